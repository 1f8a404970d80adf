import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Sends one request over a new connection, with the path unchanged. */
export async function send(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body }: Asked = {},
): Promise<HttpAnswer> {
  const { hostname, port } = new URL(url);
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const clientRequest = request({ hostname, port, path, method, headers: { ...length, ...headers }, agent: false });
  clientRequest.end(body);
  const [result] = (await once(clientRequest, 'response')) as [IncomingMessage];
  const raw = await buffer(result);
  const bytes = result.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
  return { status: result.statusCode ?? 0, headers: result.headers, bytes, text: bytes.toString() };
}

/** The fields of a JSON response. */
export function json(response: HttpAnswer): Record<string, unknown> {
  return JSON.parse(response.text) as Record<string, unknown>;
}
