import { fork } from 'node:child_process';
import { setPriority } from 'node:os';
import type { WorkerEntry } from '@wrkz/service-kit/base';
import type { FromTaskProcess } from './task-process-main';

export interface TaskProcessOptions<T> {
  /** The file that calls `serveTask`. */
  readonly entry: WorkerEntry;
  readonly task: T;
  /** Ends the process at once; the promise then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
  readonly onProgress?: (done: number, total: number) => void;
}

/** What nice value a task gets: the node goes first. */
const NICE = 10;

/**
 * Does a task in a process of its own.
 * @returns what it says at its end
 * @throws Error with the text of what failed there; the signal's reason. In any case the process is gone by then.
 */
export async function runTask<T extends object>(options: TaskProcessOptions<T>): Promise<unknown> {
  const { entry, task, signal, env, onProgress } = options;
  signal.throwIfAborted();
  const child = fork(entry.path, [], {
    execArgv: entry.execArgv,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  let outcome: FromTaskProcess | undefined;
  try {
    await new Promise<void>((gone) => {
      child.on('message', (message: FromTaskProcess) => {
        if (message.kind === 'progress') return onProgress?.(message.done, message.total);
        outcome = message;
        kill();
      });
      child.on('error', (error) => {
        outcome ??= { kind: 'failed', why: `the process for it cannot be started: ${error.message}` };
        if (child.pid === undefined) gone();
      });
      child.once('exit', () => gone());
      if (child.pid !== undefined) giveWay(child.pid);
      child.send(task, () => undefined);
    });
  } finally {
    signal.removeEventListener('abort', kill);
  }
  if (outcome?.kind === 'done') return outcome.value;
  signal.throwIfAborted();
  throw new Error(outcome?.kind === 'failed' ? outcome.why : 'the process for it was ended');
}

function giveWay(pid: number): void {
  try {
    setPriority(pid, NICE);
  } catch {
    // Where the system refuses, it runs on as it is.
  }
}
