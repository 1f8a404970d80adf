import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { daemonApi } from '@wrkz/api';
import { appendVary, clientAddressOf, rawBody, type RouteRequest } from '@wrkz/service-kit';
import { MAX_WAITING_PER_ADDRESS } from '../events/routes/event-source';
import { refuse, refuseRetryable } from '../rpc/errors';
import { RequestSlots } from '../util/request-slots';
import { type NodeSocketClient, READER_HEADER } from './node-client';

const { nodeAway, nodeSilent, overloaded, readerOfReader, tooManyWait, tooManyWaitHere } = daemonApi.refusals;

export type ForwardedRequest = RouteRequest['http']['request'];
type Response = RouteRequest['http']['response'];

export interface NodeProxyDependencies {
  readonly client: NodeSocketClient;
  /** Max milliseconds without data from the node. */
  readonly idleTimeoutMs: number;
  /** Called after each response to a request that may have changed the state of the node. */
  readonly onChange: () => void;
}

/** Headers that are forwarded. The reader has already resolved the client address; forwarded headers are dropped. */
const REQUEST_HEADERS = [
  'accept',
  'accept-encoding',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'last-event-id',
  'user-agent',
] as const;

/** Headers of the node's response that belong to its connection, or that the reader sets itself. */
const OWN_HEADERS = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['date', 'x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'vary'],
]);

/** `/events` sends nothing for up to 60 s; some seconds are added. */
const MIN_EVENTS_TIMEOUT_MS = 75_000;

/** Forwards requests to the node, for responses that are made from its memory. */
export class NodeProxy {
  private readonly slots = new RequestSlots({ total: 256, perAddress: 32 });
  /** Requests for events wait for long, so they have slots of their own. */
  private readonly eventSlots = new RequestSlots({ total: 1024, perAddress: MAX_WAITING_PER_ADDRESS });

  constructor(private readonly dependencies: NodeProxyDependencies) {}

  /**
   * Forwards a request, whose body has been read, and streams the response with back-pressure. There is no second attempt.
   *
   * @throws RpcRefusal 503 if the node cannot be reached, times out, or is a reader; 429 or 503 if no slot is free
   */
  async forward(path: string, request: ForwardedRequest, response: Response): Promise<void> {
    assertNotForwarded(request);
    const release = this.takeSlot(path, clientAddressOf(request));
    try {
      await this.stream(path, request, response);
    } finally {
      release();
    }
  }

  private takeSlot(path: string, client: string): () => void {
    const isEvents = path === '/events';
    const release = (isEvents ? this.eventSlots : this.slots).take(client);
    if (typeof release === 'function') return release;
    if (!isEvents) throw refuseRetryable(overloaded);
    throw refuse(release === 'address' ? tooManyWaitHere : tooManyWait);
  }

  private async stream(path: string, request: ForwardedRequest, response: Response): Promise<void> {
    const gone = new AbortController();
    const onClose = (): void => gone.abort();
    response.once('close', onClose);
    try {
      const nodeResponse = await this.send(path, request, gone.signal);
      if (request.method !== 'GET' && request.method !== 'HEAD') this.dependencies.onChange();
      copyHead(nodeResponse, response);
      response.flushHeaders();
      await pipeline(nodeResponse, response);
    } catch (error) {
      // The client is gone, or it has a part of the response: closing the connection marks it as incomplete.
      if (response.destroyed || response.headersSent) return void response.destroy();
      throw error;
    } finally {
      response.off('close', onClose);
    }
  }

  private send(path: string, request: ForwardedRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const { client, idleTimeoutMs } = this.dependencies;
    const timeoutMs = path === '/events' ? Math.max(idleTimeoutMs, MIN_EVENTS_TIMEOUT_MS) : idleTimeoutMs;
    const body = rawBody(request);
    return new Promise((resolve, reject) => {
      const { method } = request;
      const toNode = client.request({
        method,
        path: path + queryOf(request.url),
        headers: headersFor(request, body),
        signal,
      });
      let responded = false;
      toNode.setTimeout(timeoutMs, () => {
        if (!responded) reject(refuseRetryable(nodeSilent));
        toNode.destroy();
      });
      toNode.on('error', () => reject(refuseRetryable(nodeAway)));
      toNode.on('response', (response) => {
        responded = true;
        // The reader has checked the client's token: a 401 means that the reader's own token is wrong.
        if (response.statusCode !== 401) return resolve(response);
        response.resume();
        reject(refuseRetryable(nodeAway));
      });
      toNode.end(body.length === 0 ? undefined : body);
    });
  }
}

/** @throws RpcRefusal 503 for a request that another reader has forwarded: readers in a circle would forward it for ever */
export function assertNotForwarded({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (headers[READER_HEADER.toLowerCase()] !== undefined) throw refuseRetryable(readerOfReader);
}

function headersFor(
  { headers }: { readonly headers: IncomingHttpHeaders },
  body: Buffer,
): Record<string, string | number> {
  const sent: Record<string, string | number> = {};
  for (const name of REQUEST_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') sent[name] = value;
  }
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return hasBody ? { ...sent, 'content-length': body.length } : sent;
}

/** The query of a request target, with its question mark. */
function queryOf(url = ''): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

function copyHead({ statusCode = 502, headers }: IncomingMessage, response: Response): void {
  response.statusCode = statusCode;
  for (const [name, value] of Object.entries(headers)) {
    const isOwn = OWN_HEADERS.has(name) || name.startsWith('access-control-');
    if (value !== undefined && !isOwn) response.setHeader(name, value);
  }
  if (headers.vary !== undefined) appendVary(response, headers.vary);
}
