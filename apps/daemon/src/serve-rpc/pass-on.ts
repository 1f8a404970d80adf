import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { daemonApi } from '@wrkz/api';
import { appendVary, clientAddressOf, rawBody, type RouteRequest } from '@wrkz/service-kit';
import { WAITING_PER_ADDRESS } from '../events/routes/event-source';
import { refuse, refuseNode, refuseOverload } from '../rpc/errors';
import { READER_HEADER, type NodeLink } from './node-link';
import { PassPlaces } from './places';

const { refusals } = daemonApi;

export type PassedRequest = RouteRequest['http']['request'];
type Response = RouteRequest['http']['response'];

export interface PassOnOptions {
  readonly link: NodeLink;
  /** Milliseconds in which the node must say something. */
  readonly silenceMs: number;
  /** A request that may have changed what the node knows was answered. */
  readonly onAnswered: () => void;
}

/** What of a caller's headers the node is told. Who the caller is, the reader has looked at; nobody else's word counts. */
const TOLD = [
  'accept',
  'accept-encoding',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'last-event-id',
  'user-agent',
] as const;

/** What of the node's answer belongs to its own connection, or is said by the reader itself. */
const OWN = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['date', 'x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'vary'],
]);

/** The longest that `/events` is silent by its own rules, with some time to spare. */
const LONGEST_WAIT = 75_000;

/** Answers with what the node answers: requests that need what the node has in memory. */
export class PassOn {
  private readonly places = new PassPlaces({ all: 256, perAddress: 32 });
  /** Those who wait for events hold theirs for long. */
  private readonly waiting = new PassPlaces({ all: 1024, perAddress: WAITING_PER_ADDRESS });

  constructor(private readonly options: PassOnOptions) {}

  /**
   * Passes a request on, whose body was read within the limit, and the answer back as it comes: what the caller has not taken
   * waits at the node. It is asked once, whatever comes of it.
   *
   * @throws RpcRefusal 503 when the node cannot be reached, is silent, or is a reader; 429, 503 when too many are on their way
   */
  async answer(path: string, request: PassedRequest, response: Response): Promise<void> {
    assertNotPassed(request);
    const leave = this.enter(path, clientAddressOf(request));
    try {
      await this.pass(path, request, response);
    } finally {
      leave();
    }
  }

  private enter(path: string, client: string): () => void {
    const waits = path === '/events';
    const leave = (waits ? this.waiting : this.places).take(client);
    if (typeof leave === 'function') return leave;
    if (!waits) throw refuseOverload();
    throw refuse(leave === 'address' ? refusals.tooManyWaitHere : refusals.tooManyWait);
  }

  private async pass(path: string, request: PassedRequest, response: Response): Promise<void> {
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    response.once('close', leave);
    try {
      const answer = await this.ask(path, request, gone.signal);
      if (request.method !== 'GET' && request.method !== 'HEAD') this.options.onAnswered();
      takeHead(answer, response);
      response.flushHeaders();
      await pipeline(answer, response);
    } catch (error) {
      // Nobody is there to be told, or half of an answer is out: it must not look like a whole one.
      if (response.destroyed || response.headersSent) return void response.destroy();
      throw error;
    } finally {
      response.off('close', leave);
    }
  }

  private ask(path: string, request: PassedRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const silenceMs = path === '/events' ? Math.max(this.options.silenceMs, LONGEST_WAIT) : this.options.silenceMs;
    const body = rawBody(request);
    return new Promise((resolve, reject) => {
      const { method } = request;
      const asked = this.options.link.ask({
        method,
        path: path + search(request.url),
        headers: headersFor(request, body),
        signal,
      });
      let answer: IncomingMessage | undefined;
      asked.setTimeout(silenceMs, () => {
        if (answer === undefined) reject(refuseNode(refusals.nodeSilent));
        asked.destroy();
      });
      asked.on('error', () => reject(refuseNode(refusals.nodeAway)));
      asked.on('response', (response) => {
        answer = response;
        // The caller's own token was looked at before: it is the reader whom the node does not let in.
        if (response.statusCode !== 401) return resolve(response);
        response.resume();
        reject(refuseNode(refusals.nodeAway));
      });
      asked.end(body.length === 0 ? undefined : body);
    });
  }
}

/** @throws RpcRefusal 503 for what another reader has passed on: in a circle it would go round for ever */
export function assertNotPassed({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (headers[READER_HEADER.toLowerCase()] !== undefined) throw refuseNode(refusals.readerOfReader);
}

function headersFor(
  { headers }: { readonly headers: IncomingHttpHeaders },
  body: Buffer,
): Record<string, string | number> {
  const sent: Record<string, string | number> = {};
  for (const name of TOLD) {
    const value = headers[name];
    if (typeof value === 'string') sent[name] = value;
  }
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return hasBody ? { ...sent, 'content-length': body.length } : sent;
}

/** The query of a request's target, with its question mark. */
function search(url = ''): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

function takeHead({ statusCode = 502, headers }: IncomingMessage, response: Response): void {
  response.statusCode = statusCode;
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !OWN.has(name) && !name.startsWith('access-control-')) response.setHeader(name, value);
  }
  if (headers.vary !== undefined) appendVary(response, headers.vary);
}
