import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sourceArguments } from '@wrkz/testing/source';
import { freePort } from '@wrkz/testing';

/** A helper in a separate process, which can be killed. */
export interface Instance {
  readonly url: string;
  kill(signal: NodeJS.Signals): Promise<{ code: number | null }>;
}

export async function startInstance(args: readonly string[], at?: number): Promise<Instance> {
  const port = at ?? (await freePort());
  const main = sourceArguments(join(__dirname, '../../src/main.ts'));
  const child = spawn(process.execPath, [...main, '--bind-port', String(port), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = once(child, 'exit').then(([code]) => ({ code: code as number | null }));
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes(' listens on ')) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void exited.then(() => reject(new Error(`the helper ended: ${output}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    kill(signal) {
      child.kill(signal);
      return exited;
    },
  };
}
