import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { sourceArguments } from '@wrkz/testing/source';

export interface Child {
  readonly process: ChildProcess;
  /** The next line of its output; rejects if the process ends before. */
  line(): Promise<string>;
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | string>;
}

/** Runs a program of test/programs from its source in another process. */
export function runProgram(name: string, ...parameters: string[]): Child {
  const child = spawn(process.execPath, [...sourceArguments(join(__dirname, '../programs', name)), ...parameters], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ready: string[] = [];
  const waiting: { resolve(line: string): void; reject(error: Error): void }[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const next = waiting.shift();
      if (next === undefined) ready.push(line);
      else next.resolve(line);
    }
  });
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      for (const { reject } of waiting.splice(0)) reject(new Error(`${name} ended with ${signal ?? code}`));
      resolve(signal ?? code ?? -1);
    });
  });
  const line = (): Promise<string> => {
    const first = ready.shift();
    return first !== undefined
      ? Promise.resolve(first)
      : new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  };
  return { process: child, line, ended };
}
