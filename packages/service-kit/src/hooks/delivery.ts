import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { statSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { withTimeout } from '../async';
import { errorText } from '../error-text';
import { readOperatorFile } from '../files';
import { fillPlaceholders, type HookTarget } from './target';

export type DeliveryOutcome =
  | { readonly kind: 'delivered' }
  /** A status other than 2xx, or an exit code other than 0. */
  | { readonly kind: 'refused'; readonly why: string }
  /** No response: no listener, the program cannot be started, a timeout. */
  | { readonly kind: 'unreachable'; readonly why: string }
  | { readonly kind: 'cancelled' };

/** One event for one receiver. */
export interface Delivery {
  readonly target: HookTarget;
  /** The same for all attempts of one event. */
  readonly id: string;
  readonly placeholders: Readonly<Record<string, string>>;
  readonly body: string;
  /** Key of the signature, base64. */
  readonly key?: string | undefined;
  readonly timeoutMs: number;
}

/** Makes one delivery. After the timeout a command is killed and a POST aborted. */
export async function deliver(delivery: Delivery, cancel: AbortSignal): Promise<DeliveryOutcome> {
  const { target, timeoutMs } = delivery;
  const outcome = await withTimeout(timeoutMs, [cancel], (signal) =>
    target.kind === 'command' ? runCommand(target.words, delivery, signal) : postWebhook(target.url, delivery, signal),
  );
  if (outcome.kind !== 'cancelled' || cancel.aborted) return outcome;
  const what = target.kind === 'command' ? `'${target.words[0] ?? ''}'` : `webhook ${new URL(target.url).origin}`;
  return { kind: 'unreachable', why: `${what} did not finish within ${String(timeoutMs / 1000)} s` };
}

/**
 * Runs a command without a shell, with the environment, working directory and output of this process, without input. It is the
 * leader of a process group, so that its children are killed with it.
 */
function runCommand(
  words: readonly string[],
  { placeholders, id }: Delivery,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const [program = '', ...rest] = words.map((word) => fillPlaceholders(word, placeholders));
  return new Promise((resolve) => {
    let child: ChildProcess;
    const failed = (error: unknown): void =>
      resolve({ kind: 'unreachable', why: `failed to start '${program}': ${errorText(error)}` });
    try {
      child = spawn(program, rest, {
        stdio: ['ignore', 'inherit', 'inherit'],
        detached: true,
        env: { ...process.env, WRKZ_DELIVERY_ID: id },
      });
    } catch (error) {
      return failed(error);
    }
    const kill = (): void => killGroup(child);
    signal.addEventListener('abort', kill, { once: true });
    child.once('error', failed);
    child.once('exit', (code, killedBy) => {
      signal.removeEventListener('abort', kill);
      if (signal.aborted) resolve({ kind: 'cancelled' });
      else if (code === 0) resolve({ kind: 'delivered' });
      else if (code !== null) resolve({ kind: 'refused', why: `'${program}' exited with code ${String(code)}` });
      else resolve({ kind: 'refused', why: `'${program}' terminated by signal ${killedBy ?? 'unknown'}` });
    });
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

/** Bytes and time to read the body of a response, so that the connection can be reused. */
const BODY_LIMIT = 64 * 1024;
const BODY_MS = 1_000;
const ATTEMPTS = 2;

const AGENT_OPTIONS = { keepAlive: true, keepAliveMsecs: 1_000 };
const agents = { 'http:': new http.Agent(AGENT_OPTIONS), 'https:': new https.Agent(AGENT_OPTIONS) };

/** POSTs an event without following redirects. A connection error is retried once; a status is final. */
async function postWebhook(url: string, delivery: Delivery, signal: AbortSignal): Promise<DeliveryOutcome> {
  const { origin } = new URL(url);
  let why = '';
  for (let attempt = 0; attempt < ATTEMPTS && !signal.aborted; attempt++) {
    try {
      const status = await post(new URL(url), delivery, signal);
      if (status >= 200 && status < 300) return { kind: 'delivered' };
      return { kind: 'refused', why: `webhook ${origin} answered HTTP ${String(status)}` };
    } catch (error) {
      why = errorText(error);
    }
  }
  return signal.aborted ? { kind: 'cancelled' } : { kind: 'unreachable', why: `webhook ${origin} failed: ${why}` };
}

/** @returns the status of the response */
function post(url: URL, { id, body, key }: Delivery, signal: AbortSignal): Promise<number> {
  const isSecure = url.protocol === 'https:';
  const timestamp = Math.floor(Date.now() / 1000);
  return new Promise((resolve, reject) => {
    const request = (isSecure ? https : http).request(url, {
      method: 'POST',
      agent: isSecure ? agents['https:'] : agents['http:'],
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        ...webhookHeaders({ id, timestamp, body }, key),
      },
      signal,
    });
    let hasResponse = false;
    request.once('error', reject);
    // Some connections end without another event, and the promise must settle.
    request.once('close', () => {
      if (!hasResponse) reject(new Error('the connection was closed without a response'));
    });
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.once('response', (response) => {
      hasResponse = true;
      const done = (): void => resolve(response.statusCode ?? 0);
      response.once('error', done);
      response.once('close', done);
      skipBody(response);
    });
    request.end(body);
  });
}

/** Reads the rest of a response, or closes the connection if it is long or slow. */
function skipBody(response: http.IncomingMessage): void {
  let length = 0;
  const cut = setTimeout(() => response.destroy(), BODY_MS);
  response.once('close', () => clearTimeout(cut));
  response.on('data', (part: Buffer) => {
    length += part.length;
    if (length > BODY_LIMIT) response.destroy();
  });
}

const MIN_SECRET_BYTES = 16;
const STANDARD_PREFIX = 'whsec_';

/**
 * Reads the secret of webhook signatures: `whsec_` and base64, the format of Standard Webhooks, or any other text, whose bytes
 * are the secret. Surrounding whitespace is ignored.
 * @throws Error with a message for the operator
 */
export function readHookSecret(path: string): HookSecret {
  try {
    const text = readOperatorFile(path).toString('utf8').trim();
    const key = text.startsWith(STANDARD_PREFIX)
      ? Buffer.from(text.slice(STANDARD_PREFIX.length), 'base64')
      : Buffer.from(text, 'utf8');
    if (key.length < MIN_SECRET_BYTES) throw new Error(`at least ${String(MIN_SECRET_BYTES)} bytes are expected`);
    return { key: key.toString('base64'), text, shared: (statSync(path).mode & 0o077) !== 0 };
  } catch (error) {
    throw new Error(`the notification secret ${path} cannot be used: ${errorText(error)}`, { cause: error });
  }
}

export interface HookSecret {
  /** The key, base64. */
  readonly key: string;
  /** Text of the file, to be hidden in logs. */
  readonly text: string;
  /** Whether others than the owner may read the file. */
  readonly shared: boolean;
}

/** The signed parts of a POST. */
export interface SignedContent {
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of a webhook. The id is the same for all attempts of one event. */
export function webhookHeaders(content: SignedContent, key: string | undefined): Record<string, string> {
  const headers = { 'webhook-id': content.id };
  if (key === undefined) return headers;
  return {
    ...headers,
    'webhook-timestamp': String(content.timestamp),
    'webhook-signature': `v1,${signatureOf(content, key)}`,
  };
}

/** HMAC-SHA256 of `id.timestamp.body`, base64 (Standard Webhooks). */
function signatureOf({ id, timestamp, body }: SignedContent, key: string): string {
  return createHmac('sha256', Buffer.from(key, 'base64'))
    .update(`${id}.${String(timestamp)}.${body}`)
    .digest('base64');
}
