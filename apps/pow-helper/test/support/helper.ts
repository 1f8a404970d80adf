import { encodeTransactionPrefix, type TransactionInput, type TransactionPrefix } from '@wrkz/core-types';
import { PowHelper, readPowHelperConfig, type PowHelperOverrides } from '../../src';

/** A running helper on a free port, and its URL. */
export interface RunningHelper {
  readonly helper: PowHelper;
  readonly url: string;
  stop(): Promise<void>;
}

const running = new Set<PowHelper>();

export async function startHelper(
  args: readonly string[] = [],
  overrides: PowHelperOverrides = {},
): Promise<RunningHelper> {
  const helper = new PowHelper(readPowHelperConfig(['--log-level', 'disabled', ...args]), { port: 0, ...overrides });
  await helper.start();
  running.add(helper);
  return {
    helper,
    url: `http://127.0.0.1:${helper.port}`,
    async stop() {
      running.delete(helper);
      await helper.stop();
    },
  };
}

/** Stops all helpers; for `afterEach`, so that none is left after a failed test. */
export async function stopAll(): Promise<void> {
  const helpers = [...running];
  running.clear();
  await Promise.all(helpers.map((helper) => helper.stop()));
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export async function sendRequest(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
}

export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return sendRequest(url, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
}

const KEY = Buffer.alloc(32, 7);

export function keyInput(amount: bigint, ring = 2): TransactionInput {
  return { type: 'key', amount, keyOffsets: Array.from({ length: ring }, (_, i) => i + 1), keyImage: KEY };
}

/** A valid prefix: one input of 1000, one output of 900, space for a nonce. */
export function makePrefix(changes: Partial<TransactionPrefix> = {}): Buffer {
  return encodeTransactionPrefix({
    version: 1,
    unlockTime: 0n,
    inputs: [keyInput(1000n)],
    outputs: [{ amount: 900n, key: KEY }],
    extra: Buffer.concat([Buffer.from([4]), Buffer.alloc(8)]),
    ...changes,
  });
}

export const goodPrefix = (): string => makePrefix().toString('hex');
