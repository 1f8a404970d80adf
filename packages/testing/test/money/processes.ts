import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { sourceArguments } from '../../src/source';

/** Longest wait for anything that must happen, milliseconds. */
const PATIENCE_MS = 120_000;
const POLL_MS = 25;
/** Lines of the log that say nothing to a reader of a failure. */
const COMMON = /money event: (transaction|send|send-confirmed|send-settled) /;

/** Polls until a condition holds. @throws Error with the complaint after two minutes */
export async function until(holds: () => Promise<boolean>, complaint: () => string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited too long: ${complaint()}`);
    await pause(POLL_MS);
  }
}

/** A TypeScript program in a process of its own that can be killed and started again. */
export class RestartableProgram {
  /** What it has printed in all its runs. */
  readonly log: string[] = [];
  private child: ChildProcess | undefined;

  /** @param within a command that runs another one, e.g. in a mount namespace */
  constructor(
    private readonly file: string,
    private readonly args: () => readonly string[],
    private readonly ready: RegExp,
    private readonly within: readonly string[] = [],
  ) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Resolves when it has printed that it is ready. @throws Error with the end of its log when it ends before */
  async start(): Promise<void> {
    const [command = '', ...rest] = [...this.within, process.execPath, ...sourceArguments(this.file), ...this.args()];
    const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    await new Promise<void>((resolve, reject) => {
      for (const output of [child.stdout, child.stderr]) {
        createInterface(output).on('line', (line) => {
          if (!COMMON.test(line)) this.log.push(line);
          if (this.ready.test(line)) resolve();
        });
      }
      child.once('close', (code, signal) =>
        reject(new Error(`${this.file} ended (${String(signal ?? code)}): ${this.log.slice(-8).join('\n')}`)),
      );
    });
  }

  /** Resolves when it is gone. @param signal SIGKILL or, for an orderly end, SIGTERM */
  async stop(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill(signal);
    await closed;
  }
}
