import type { Agent } from 'node:http';
import axios, { type AxiosInstance, type AxiosResponse, isAxiosError } from 'axios';
import { errorText, stringifyJson, VERSION } from '@wrkz/service-kit/base';
import { type NodeAddress, type NodeLocation, nodeLocation } from './address';
import { connectTo, freshConnections, nodeAgent } from './connect';
import { NodeFailure } from './failure';

/** How long a node may take, in milliseconds. */
export interface NodeTimeouts {
  readonly connectMs: number;
  /** Without a single byte. */
  readonly silenceMs: number;
  /** From the request to the last byte of the response. */
  readonly responseMs: number;
}

export const NODE_TIMEOUTS: NodeTimeouts = { connectMs: 10_000, silenceMs: 30_000, responseMs: 120_000 };

export interface TransportOptions {
  readonly timeouts?: Partial<NodeTimeouts> | undefined;
  readonly userAgent?: string | undefined;
  /** Connections that may be open at once. */
  readonly sockets?: number | undefined;
  /** Certificates that are trusted besides the system's, as PEM. */
  readonly certificates?: string | undefined;
}

/** One request to a node. */
export interface NodeRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object | undefined;
  /** Bytes that the response may have, unpacked. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Never repeated, since the node may have received the first one. Uses a new connection. */
  readonly isOnce?: boolean | undefined;
}

/** A response of any status. */
export interface NodeResponse {
  readonly status: number;
  readonly body: Buffer;
}

const SOCKETS = 5;

/** Requests and responses as bytes, over few kept connections. Every failure is a NodeFailure; every request ends. */
export class NodeTransport {
  readonly endpoint: NodeLocation;
  readonly timeouts: NodeTimeouts;
  readonly headers: Readonly<Record<string, string>>;
  private readonly client: AxiosInstance;
  private readonly agent: Agent;
  private readonly fresh: Agent;

  /** @throws RangeError when the address names no node */
  constructor(
    address: NodeAddress,
    readonly options: TransportOptions = {},
  ) {
    this.endpoint = nodeLocation(address);
    this.timeouts = { ...NODE_TIMEOUTS, ...options.timeouts };
    this.headers = {
      'User-Agent': options.userAgent ?? `Nigel/${VERSION}`,
      ...(address.token === undefined || address.token === '' ? {} : { 'X-API-KEY': address.token }),
    };
    this.agent = nodeAgent(this.endpoint, options.sockets ?? SOCKETS, this.connectOptions());
    this.fresh = freshConnections(this.endpoint, this.connectOptions());
    this.client = axios.create({
      baseURL: this.endpoint.baseUrl,
      httpAgent: this.agent,
      httpsAgent: this.agent,
      adapter: 'http',
      responseType: 'arraybuffer',
      maxRedirects: 0,
      proxy: false,
      timeout: this.timeouts.silenceMs,
      headers: {
        ...this.headers,
        Accept: 'application/json',
        // On this machine compression costs more processor time than the copy that it saves.
        'Accept-Encoding': this.endpoint.isLoopback ? 'identity' : 'gzip',
      },
      validateStatus: () => true,
      transformRequest: [],
      transformResponse: [],
    });
  }

  /** @throws NodeFailure without a response; the signal's reason when the caller gives up */
  async request(request: NodeRequest): Promise<NodeResponse> {
    try {
      return await this.sendOnce(request);
    } catch (error) {
      request.signal?.throwIfAborted();
      // A kept connection that the node was just closing: nothing was heard, so the request is put once more.
      if (request.isOnce !== true && isStaleConnection(error)) return this.sendOnce(request).catch(refuse);
      return refuse(error);
    }
  }

  /** A connection of its own, for a stream. */
  connect(): ReturnType<typeof connectTo> {
    return connectTo(this.endpoint, this.connectOptions());
  }

  close(): void {
    this.agent.destroy();
    this.fresh.destroy();
  }

  private async sendOnce({ method, path, body, maxBytes, signal, isOnce = false }: NodeRequest): Promise<NodeResponse> {
    const limit = AbortSignal.timeout(this.timeouts.responseMs);
    const response: AxiosResponse<Buffer> = await this.client
      .request<Buffer>({
        method,
        url: path,
        ...(isOnce && { httpAgent: this.fresh, httpsAgent: this.fresh }),
        maxContentLength: maxBytes,
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
        ...(body === undefined ? {} : { data: stringifyJson(body), headers: { 'Content-Type': 'application/json' } }),
      })
      .catch((error: unknown) => {
        throw limit.aborted && signal?.aborted !== true
          ? new NodeFailure('timeout', 'did not complete its response in time')
          : error;
      });
    return { status: response.status, body: response.data };
  }

  private connectOptions(): { connectMs: number; certificates: string | undefined } {
    return { connectMs: this.timeouts.connectMs, certificates: this.options.certificates };
  }
}

/** Whether a kept connection broke before the response began. */
function isStaleConnection(error: unknown): boolean {
  if (!isAxiosError(error) || error.response !== undefined) return false;
  const request = error.request as { reusedSocket?: boolean } | undefined;
  return request?.reusedSocket === true && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

/** How the system says that there was never a connection. */
const NO_CONNECTION: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EADDRNOTAVAIL',
  'ENOENT',
  'EACCES',
]);

function refuse(error: unknown): never {
  if (error instanceof NodeFailure) throw error;
  const code = isAxiosError(error) ? error.code : undefined;
  const text = errorText(error);
  if (code === 'ECONNABORTED' || code === 'ETIMEDOUT')
    throw new NodeFailure('timeout', `did not respond in time: ${text}`);
  if (text.includes('maxContentLength')) throw new NodeFailure('tooLarge', 'returned a response larger than its limit');
  // A connection that broke within a response speaks of the connection, not of what was said.
  const isCut = text.includes('aborted');
  if (!isCut && code !== undefined && /^(Z_|ERR_BAD_RESPONSE$|HPE_)/.test(code)) {
    throw new NodeFailure('malformed', `returned an unreadable response: ${text}`);
  }
  const facts = code !== undefined && NO_CONNECTION.has(code) ? { isUnsent: true } : {};
  throw new NodeFailure('unreachable', `cannot be reached: ${text}`, facts);
}
