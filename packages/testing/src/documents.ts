import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const SCRIPT = join(__dirname, '..', 'scripts', 'validate-document.mjs');

/** The errors of a document according to the validator of its specification. */
export async function documentErrors(kind: 'openapi' | 'openrpc', document: string): Promise<unknown[]> {
  const validator = spawn(process.execPath, [SCRIPT, kind], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [printed, [code]] = await Promise.all([
    text(validator.stdout),
    once(validator, 'close') as Promise<[number]>,
    validator.stdin.end(document),
  ]);
  if (code !== 0) throw new Error(`the validator of ${kind} ended with code ${code}`);
  return JSON.parse(printed) as unknown[];
}
