import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sourceArguments } from '@wrkz/testing/source';

export interface Program {
  /** The next printed line. @throws Error when the program ends before it */
  line(): Promise<string>;
  /** Closes standard input, which ends the programs. */
  stop(): void;
  kill(): void;
  /** The exit code, or the signal that ended the program. */
  readonly ended: Promise<number | string | null>;
}

const running = new Set<Program>();

/** Runs a program of test/programs from the sources. @param shell command to run before it (`ulimit ...`) */
export function runProgram(name: string, parameters: readonly string[], shell = ':'): Program {
  const line = [process.execPath, ...sourceArguments(join(__dirname, '../programs', name)), ...parameters];
  const child = spawn('/bin/sh', ['-c', `${shell}; exec "$@"`, 'sh', ...line], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const program: Program = {
    line: async () => {
      const next = await lines.next();
      if (next.done === true) throw new Error(`${name} ended`);
      return next.value;
    },
    stop: () => child.stdin.end(),
    kill: () => void child.kill('SIGKILL'),
    ended: new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code))),
  };
  running.add(program);
  void program.ended.then(() => running.delete(program));
  return program;
}

/** Kills programs that are still running; for `afterEach`. */
export async function endPrograms(): Promise<void> {
  const left = [...running];
  for (const program of left) program.kill();
  await Promise.all(left.map(({ ended }) => ended));
}
