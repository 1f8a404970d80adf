import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface PlainRequestOptions {
  readonly method?: string | undefined;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One request over a separate connection, with its complete response. Not with `fetch`: that of Node.js 22 and 24 (undici 6.28,
 * 7.29) ends the process if a server closes a connection while a long response is being read
 * (https://github.com/nodejs/undici/pull/5389).
 */
export function plainRequest(
  url: string,
  { method = 'GET', body, headers = {}, signal }: PlainRequestOptions = {},
): Promise<{ status: number; bytes: Buffer; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, signal, agent: false }, (response) => {
      buffer(response).then(
        (bytes) => resolve({ status: response.statusCode ?? 0, bytes, text: bytes.toString('utf8') }),
        reject,
      );
    });
    outgoing.on('error', reject).end(body);
  });
}
