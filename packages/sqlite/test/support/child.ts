import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { closing } from './folder';

export interface Program {
  /** The next line of its output. @throws Error if the process ends before */
  line(): Promise<string>;
  /** Ends the input of the process, which stops it. */
  stop(): void;
  kill(): void;
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | string | null>;
}

/** Runs a program of test/programs from its source in another process. `cleanUp` ends a running one. */
export function runProgram(name: string, ...parameters: string[]): Program {
  const file = join(__dirname, '../programs', name);
  const loader = require.resolve('tsx/cjs');
  const child = spawn(process.execPath, ['-r', loader, file, ...parameters], { stdio: ['pipe', 'pipe', 'inherit'] });
  closing({ close: () => child.kill('SIGKILL') });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    line: async () => {
      const next = await lines.next();
      if (next.done === true) throw new Error(`${name} ended`);
      return next.value;
    },
    stop: () => child.stdin.end(),
    kill: () => void child.kill('SIGKILL'),
    ended: new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code))),
  };
}
