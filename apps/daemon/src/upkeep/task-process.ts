import { fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { errorText, type WorkerEntry } from '@wrkz/service-kit/base';

/**
 * A task in a child process, for work that blocks its thread in SQLite for minutes: a process can be killed at any moment, a
 * thread cannot. {@link runTask} is the parent's side, {@link serveTask} the child's.
 */

type TaskMessage =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly reason: string };

export interface TaskProcessOptions<T> {
  /** The file that calls `serveTask`. */
  readonly entry: WorkerEntry;
  readonly task: T;
  /** Kills the child process; the promise then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Lower priority than the node. */
const NICE = 10;

/**
 * Runs one task in a child process, which has exited when the promise settles.
 * @returns the value that the task returned
 * @throws Error with the message of the child's error; the signal's reason
 */
export async function runTask<T extends object>(options: TaskProcessOptions<T>): Promise<unknown> {
  const { entry, task, signal, onProgress } = options;
  signal.throwIfAborted();
  const child = fork(entry.path, [], { execArgv: entry.execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  let outcome: TaskMessage | undefined;
  try {
    await new Promise<void>((exited) => {
      child.on('message', (message: TaskMessage) => {
        if (message.kind === 'progress') return onProgress?.(message.done, message.total);
        outcome = message;
        kill();
      });
      child.on('error', (error) => {
        outcome ??= { kind: 'failed', reason: `the child process cannot be started: ${error.message}` };
        if (child.pid === undefined) exited();
      });
      child.once('exit', () => exited());
      if (child.pid !== undefined) lowerPriority(child.pid);
      child.send(task, () => undefined);
    });
  } finally {
    signal.removeEventListener('abort', kill);
  }
  if (outcome?.kind === 'done') return outcome.value;
  signal.throwIfAborted();
  throw new Error(outcome?.kind === 'failed' ? outcome.reason : 'the child process was killed');
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, NICE);
  } catch {
    // Not permitted on some systems; the task then runs at the node's priority.
  }
}

/** A task may block the main thread for hours, so a second thread checks that the parent is alive. */
const WATCH_PARENT = `
const parent = process.ppid;
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 100);
`;

/**
 * The main function of the child process. The parent kills the child after the result: closing the SQLite connection normally
 * could delete the write-ahead log that other processes use.
 */
export function serveTask<T>(work: (task: T, progress: (done: number, total: number) => void) => unknown): void {
  const send = (message: TaskMessage): void => void process.send?.(message);
  new Worker(WATCH_PARENT, { eval: true });
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // A terminal sends its interrupt to the whole process group; the parent decides when the child ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.once('message', (task: T) => {
    void (async () => {
      try {
        const value = await work(task, (done, total) => send({ kind: 'progress', done, total }));
        send({ kind: 'done', value });
      } catch (error) {
        send({ kind: 'failed', reason: errorText(error) });
      }
    })();
  });
}
