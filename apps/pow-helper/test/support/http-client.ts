import { once } from 'node:events';
import { request, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Buffer | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Sends one request over a separate connection. Unlike with fetch, a GET may have a body. */
export async function send(url: string, { method, path, body, headers = {} }: Asked): Promise<HttpAnswer> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const clientRequest = request(url + path, { method, agent: false, headers: { ...length, ...headers } });
  clientRequest.end(body);
  return answerTo(clientRequest);
}

/** Sends the head of a request. @returns a function that sends the body and resolves to the response */
export function sendInHalves(url: string, { method, path, body = '{}' }: Asked): () => Promise<HttpAnswer> {
  const clientRequest = request(url + path, {
    method,
    agent: false,
    headers: { 'content-length': Buffer.byteLength(body) },
  });
  clientRequest.write(body.slice(0, 1));
  const answered = answerTo(clientRequest);
  return () => {
    clientRequest.end(body.slice(1));
    return answered;
  };
}

async function answerTo(clientRequest: ClientRequest): Promise<HttpAnswer> {
  const [response] = (await once(clientRequest, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) };
}
