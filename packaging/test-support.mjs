import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../scripts/lib/run.mjs';
import { top } from '../scripts/lib/workspace.mjs';

/** Longest wait for a state, milliseconds. */
const TIMEOUT_MS = 120_000;

/** A TCP port that is free now. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** An executable that runs in a folder of its own, with an empty PATH and no environment but WRKZ_NATIVE_DIR. */
export class Program {
  output = '';

  constructor(file, args, { nativeFolder, folder = mkdtempSync(join(tmpdir(), 'wrkz-program-')) }) {
    this.file = file;
    this.child = spawn(file, args, {
      cwd: folder,
      env: { WRKZ_NATIVE_DIR: nativeFolder, PATH: '/nowhere' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const timer = setTimeout(() => this.child.kill('SIGKILL'), TIMEOUT_MS * 2);
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on('data', (chunk) => (this.output += chunk));
    this.closed = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        clearTimeout(timer);
        this.code = code ?? signal;
        resolve();
      });
    });
  }

  /** Waits for the exit. @returns the output @throws Failure unless the exit code is 0 */
  async done() {
    await this.closed;
    if (this.code !== 0) throw new Failure(`${this.file} ended with ${this.code}:\n${this.output}`);
    return this.output;
  }

  /** @throws Failure unless the program exits with 0 after SIGTERM */
  async stop() {
    this.child.kill('SIGTERM');
    return this.done();
  }

  /** Polls until a result is accepted. @returns that result @throws Failure after a timeout, or if the program exits */
  async until(poll, accept) {
    const deadline = Date.now() + TIMEOUT_MS;
    let last;
    while (Date.now() < deadline && this.code === undefined) {
      try {
        last = await poll();
        if (accept(last)) return last;
      } catch (error) {
        last = error;
      }
      await pause(50);
    }
    throw new Failure(`${this.file}: timeout; last: ${last?.stack ?? JSON.stringify(last)}\n${this.output}`);
  }

  /** Polls a URL until its status is 200. @returns the response */
  available(url, options) {
    return this.until(
      () => ask(url, options),
      ({ status }) => status === 200,
    );
  }
}

/** Sends a request. @returns the response; `body` is its JSON, if it has one */
export async function ask(url, { body, headers, method = body === undefined ? 'GET' : 'POST' } = {}) {
  // A connection per request: synchronous commands between two requests hide that the server has closed an idle one.
  const response = await fetch(url, {
    method,
    headers: { connection: 'close', ...headers, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
}

/** The prefix (hex) of a transaction without proof of work. */
export function transactionPrefix() {
  const { encodeTransactionPrefix } = createRequire(import.meta.url)(join(top, 'packages/core-types/dist'));
  const key = Buffer.alloc(32, 7);
  return encodeTransactionPrefix({
    version: 1,
    unlockTime: 0n,
    inputs: [{ type: 'key', amount: 1000n, keyOffsets: [1, 2], keyImage: key }],
    outputs: [{ amount: 900n, key }],
    extra: Buffer.concat([Buffer.from([4]), Buffer.alloc(8)]),
  }).toString('hex');
}
