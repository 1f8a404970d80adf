import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../scripts/lib/run.mjs';

/** Longest wait for anything that must happen, milliseconds. */
const PATIENCE = 120_000;

/** A port of this machine that is free now. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * A program as somebody runs it who has nothing else: in an empty folder, with no environment but where its native modules may lie, and
 * with no PATH in which a Node.js could be found.
 */
export class Program {
  constructor(file, args, { nativesIn, folder = mkdtempSync(join(tmpdir(), 'wrkz-program-')) }) {
    this.name = file;
    this.text = '';
    this.child = spawn(file, args, {
      cwd: folder,
      env: { WRKZ_NATIVE_DIR: nativesIn, PATH: '/nowhere' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const overdue = setTimeout(() => this.child.kill('SIGKILL'), PATIENCE * 2);
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on('data', (chunk) => (this.text += chunk));
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        clearTimeout(overdue);
        this.code = code ?? signal;
        resolve(this.code);
      });
    });
  }

  /** Runs to its end. @throws Failure unless it ends with 0 */
  async done() {
    if ((await this.ended) !== 0) throw new Failure(`${this.name} ended with ${this.code}:\n${this.text}`);
    return this.text;
  }

  /** @throws Failure unless SIGTERM ends it with 0 */
  async stop() {
    this.child.kill('SIGTERM');
    return this.done();
  }

  /** Asks until the answer is what is wanted. @returns the answer @throws Failure when it does not come, or the program ends */
  async until(ask, wanted) {
    const limit = performance.now() + PATIENCE;
    let last;
    while (performance.now() < limit && this.code === undefined) {
      try {
        last = await ask();
        if (wanted(last)) return last;
      } catch (error) {
        last = error;
      }
      await pause(50);
    }
    throw new Failure(
      `${this.name}: waited in vain, the last was ${String(last?.stack ?? JSON.stringify(last))}\n${this.text}`,
    );
  }
}

/** The answer to a request, JSON where it is. */
export async function ask(url, { body, headers, method = body === undefined ? 'GET' : 'POST' } = {}) {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
}
