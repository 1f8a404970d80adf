import { performance } from 'node:perf_hooks';
import { spawn } from 'node:child_process';
import { Failure } from '../lib/run.mjs';

/** Longest that a program may take for one thing, milliseconds. */
const PATIENCE = 120_000;

/**
 * A program that runs in `folder` with the environment `env` and nothing else. `since` is when it was started
 * (milliseconds of `performance.now()`), `text` what it has printed, `ended` resolves to its code or signal.
 */
export class Started {
  text = '';
  since = performance.now();

  constructor(program, args, { folder, env = {} }) {
    this.name = program.split('/').at(-1);
    this.child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const overdue = setTimeout(() => this.child.kill('SIGKILL'), PATIENCE);
    this.ended = new Promise((resolve) => {
      this.child.on('error', (error) => (this.text += error.message));
      this.child.on('close', (code, signal) => {
        clearTimeout(overdue);
        resolve(code ?? signal);
      });
    });
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on('data', (bytes) => (this.text += bytes));
  }

  /** Waits for its end with code 0. @throws Failure with what it printed */
  async succeeds() {
    const code = await this.ended;
    if (code !== 0) throw new Failure(`${this.name} ended with ${code}:\n${this.text}`);
  }

  /** Resolves to the match once it has printed it. @throws Failure when it ends before */
  prints(pattern) {
    return new Promise((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(this.text);
        if (match) resolve(match);
      };
      for (const stream of [this.child.stdout, this.child.stderr]) stream.on('data', look);
      void this.ended.then(() => reject(new Failure(`${this.name} ended without ${pattern}:\n${this.text}`)));
      look();
    });
  }

  /** Asks until the answer is as wanted. @throws Failure with the last answer when it ends or does not come to it */
  async answers(ask, isWanted) {
    let last;
    for (const until = performance.now() + PATIENCE / 2; performance.now() < until && this.runs;) {
      last = await ask().catch((error) => error);
      if (!(last instanceof Error) && isWanted(last)) return last;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Failure(`${this.name} answered ${JSON.stringify(last?.stack ?? last)}:\n${this.text}`);
  }

  get runs() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Ends it as a service manager does; code 0 is expected. */
  async stops() {
    this.child.kill('SIGTERM');
    await this.succeeds();
  }
}
