import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sourceArguments } from '@wrkz/testing/source';

const app = join(__dirname, '..', '..');

/** The arguments that run a source file of this app. */
export function commandFor(source: string): string[] {
  return sourceArguments(join(app, source));
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A daemon in a separate process. */
export class DaemonProcess {
  private readonly child: ChildProcess;
  private stdout = '';
  private stderr = '';
  readonly ended: Promise<Ended>;

  /**
   * @param hook a script that is loaded before the program
   * @param within a command that runs another one, e.g. in a namespace
   */
  constructor(args: readonly string[], cwd: string, hook?: string, within: readonly string[] = []) {
    const before = hook === undefined ? [] : ['--require', hook];
    const [command = '', ...rest] = [...within, process.execPath, ...before, ...commandFor('src/main.ts'), ...args];
    this.child = spawn(command, rest, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (text: Buffer) => (this.stdout += text.toString()));
    this.child.stderr?.on('data', (text: Buffer) => (this.stderr += text.toString()));
    this.ended = once(this.child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** The first match in its output. @throws Error when it ends before */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    const found = (): RegExpExecArray | null => pattern.exec(this.stdout + this.stderr);
    let over = false;
    void this.ended.then(() => (over = true));
    for (let match = found(); ; match = found()) {
      if (match !== null) return match;
      if (over) throw new Error(`it ended without ${String(pattern)}:\n${this.stdout}${this.stderr}`);
      await Promise.race([
        this.ended,
        ...[this.child.stdout, this.child.stderr].map((stream) => stream && once(stream, 'data')),
      ]);
    }
  }
}

/** Runs a daemon to its end. */
export function runDaemon(args: readonly string[], cwd: string): Promise<Ended> {
  return new DaemonProcess(args, cwd).ended;
}
