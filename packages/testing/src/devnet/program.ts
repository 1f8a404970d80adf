import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sourceArguments } from '../source';

const TOP = join(__dirname, '../../../..');
const END_WITH_PARENT = join(__dirname, '../../scripts/end-with-parent.cjs');
/** Max wait for a condition, milliseconds. */
const TIMEOUT_MS = 120_000;
const POLL_MS = 25;
/** Max duration of an orderly stop, milliseconds. */
const STOP_MS = 30_000;

export interface ProgramOptions {
  /** Matches the line that the program prints when it serves. */
  readonly ready: RegExp;
  /** Receives each printed line. */
  readonly logFile?: string;
  /** Lines that are not stored. */
  readonly omit?: RegExp;
  /** Prefix command, e.g. to run in a mount namespace. */
  readonly within?: readonly string[];
  /** Prevents a start after it was aborted. */
  readonly signal?: AbortSignal;
}

/** Result of a run of a program. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * A program of the suite in a separate process, which can be stopped, killed and restarted. It is the leader of a process group,
 * so Ctrl-C in a terminal only reaches its parent. It ends when its parent ends.
 */
export class Program {
  /** Lines printed in all runs. */
  readonly log: string[] = [];
  private child: ChildProcess | undefined;
  private ending: Promise<ProgramEnd> | undefined;

  /** @param command evaluated at each start: `nodeCommand` or `programCommand`, and arguments */
  constructor(
    readonly name: string,
    private readonly command: () => readonly string[],
    private readonly options: ProgramOptions,
  ) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Without space on the disk the line remains in `log` alone. */
  private append(file: string, line: string): void {
    try {
      appendFileSync(file, `${line}\n`);
    } catch (error) {
      const warning = `the log file ${file} cannot be written: ${(error as Error).message}`;
      if (!this.log.includes(warning)) this.log.push(warning);
    }
  }

  /** Resolves when the last run has ended. @throws Error before the first start */
  get ended(): Promise<ProgramEnd> {
    if (this.ending === undefined) throw new Error(`${this.name} was not started`);
    return this.ending;
  }

  /** Resolves when the program serves. @throws Error with the end of its log if it ends before */
  async start(): Promise<void> {
    const { ready, logFile, omit, within = [], signal } = this.options;
    signal?.throwIfAborted();
    const [command = '', ...args] = [...within, ...this.command()];
    const child = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    this.child = child;
    this.ending = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, ended) => resolve({ code, signal: ended }));
    });
    await new Promise<void>((resolve, reject) => {
      for (const output of [child.stdout, child.stderr]) {
        createInterface(output!).on('line', (line) => {
          if (omit?.test(line) !== true) this.log.push(line);
          if (logFile !== undefined) this.append(logFile, line);
          if (ready.test(line)) resolve();
        });
      }
      this.ended.then((end) => reject(new Error(this.describeEnd(end))), reject);
    });
  }

  describeEnd({ code, signal }: ProgramEnd): string {
    return `${this.name} ended (${String(signal ?? code)}):\n${this.log.slice(-8).join('\n')}`;
  }

  /** Resolves when the process has exited. @param signal SIGKILL or, for an orderly stop, SIGTERM */
  async stop(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await this.ended;
    clearTimeout(deadline);
  }
}

/**
 * The arguments of Node.js for a program of the repository.
 * @param name of the main file in `src`
 */
export function mainArguments(folder: string, name = 'main'): string[] {
  return sourceArguments(join(TOP, folder, 'src', `${name}.ts`));
}

/** Runs Node.js until it ends, or its parent does. @param args a script and its arguments */
export function nodeCommand(args: readonly string[]): string[] {
  return [process.execPath, '-r', END_WITH_PARENT, ...args];
}

/** Runs a program of the repository, or its single executable in the folder WRKZ_EXECUTABLES. */
export function programCommand(folder: string): string[] {
  const executables = process.env['WRKZ_EXECUTABLES'];
  if (executables === undefined) return nodeCommand(mainArguments(folder));
  return [join(executables, `wrkz-${basename(folder)}`)];
}

/**
 * Runs a command of a program to its end. An abort kills it.
 * @throws Error with its output if the exit code is not 0, when the process is gone
 */
export async function runMainOnce(folder: string, args: readonly string[], signal: AbortSignal): Promise<void> {
  const [command = '', ...rest] = [...programCommand(folder), ...args];
  const running = promisify(execFile)(command, rest, { signal, killSignal: 'SIGKILL' });
  // Not `once` of node:events: it rejects at the error of an abort, before the process has ended.
  const closed = new Promise((resolve) => running.child.once('close', resolve));
  await running.finally(() => closed);
}

/** Polls until a condition holds. @throws Error with the text of `pending` after two minutes */
export async function pollUntil(
  holds: () => Promise<boolean>,
  pending: () => string,
  signal?: AbortSignal,
): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited too long: ${pending()}`);
    await pause(POLL_MS, undefined, { signal });
  }
}
