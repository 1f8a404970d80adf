import { request } from 'node:http';
import { errorText, nodePath } from '@wrkz/service-kit';

/** Milliseconds to connect. */
const CONNECT = 2_000;
/** A command may run for hours. */
const ANSWER = 24 * 3_600_000;
/** Bytes of an answer. */
const MOST_BYTES = 64 * 1024 * 1024;

export interface AttachTarget {
  /** An absolute path, or `@name`. */
  readonly path: string;
  /** Sent along where there is one. */
  readonly token: string;
}

/** Runs one line in the daemon and gives what it printed. @throws Error that says why it could not */
export async function runRemotely({ path, token }: AttachTarget, line: string, signal: AbortSignal): Promise<string> {
  const { status, text } = await post(path, token, JSON.stringify({ command: line }), signal);
  if (status === 200) return outputOf(text);
  throw new Error(`HTTP ${status}: ${status === 404 ? OLD : refusalText(text)}`);
}

const OLD = 'this daemon does not serve console commands; it needs upgrading';

function outputOf(text: string): string {
  const output = member(text, 'output');
  if (output === undefined) throw new Error('unreadable reply: it carries no output string');
  return output;
}

function refusalText(text: string): string {
  return member(text, 'error') ?? text.slice(0, 200);
}

function member(text: string, name: string): string | undefined {
  try {
    const value: unknown = (JSON.parse(text) as Record<string, unknown>)[name];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function post(path: string, token: string, body: string, signal: AbortSignal): Promise<Answer> {
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
    ...(token === '' ? {} : { 'X-API-Key': token }),
  };
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(new Error(errorText(error), { cause: error }));
    const asked = request(
      { socketPath: nodePath(path), path: '/console', method: 'POST', headers, agent: false, signal },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MOST_BYTES) response.destroy(new Error('the reply is too large'));
          else chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      },
    );
    const patience = setTimeout(() => asked.destroy(new Error(`no connection within ${CONNECT / 1000} s`)), CONNECT);
    asked.on('socket', (socket) => socket.once('connect', () => clearTimeout(patience)));
    asked.on('close', () => clearTimeout(patience));
    asked.on('error', fail);
    asked.setTimeout(ANSWER, () => asked.destroy(new Error('no answer')));
    asked.end(body);
  });
}
