import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { closing } from './folder';

export interface Program {
  /** The next line that it prints. @throws Error when it ends before one */
  line(): Promise<string>;
  /** Ends its input, which is how it is asked to stop. */
  stop(): void;
  kill(): void;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
}

/** Runs a program of test/programs in a process of its own, on the sources; `cleanUp` ends it at the latest. */
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
