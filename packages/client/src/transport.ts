import type { Agent } from 'node:http';
import axios, { type AxiosInstance, isAxiosError } from 'axios';
import { errorText, stringifyJson, TimeoutError, VERSION, withTimeout } from '@wrkz/service-kit/base';
import { type NodeAddress, type NodeLocation, nodeLocation } from './address';
import { connectTo, nodeAgent } from './connect';
import { NodeFailure } from './failure';

/** Timeouts in milliseconds. */
export interface NodeTimeouts {
  readonly connectMs: number;
  /** Max time without a received byte. */
  readonly silenceMs: number;
  /** Max time from the request to the last byte of the response. */
  readonly responseMs: number;
}

export const NODE_TIMEOUTS: NodeTimeouts = { connectMs: 10_000, silenceMs: 30_000, responseMs: 120_000 };

export interface TransportOptions {
  readonly timeouts?: Partial<NodeTimeouts> | undefined;
  /** Max number of open connections: one for sequential requests, and one per window that is fetched concurrently. */
  readonly sockets?: number | undefined;
  /** Trusted certificates in PEM format. They replace the default certificates of Node.js. */
  readonly certificates?: string | undefined;
}

export interface NodeRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object | undefined;
  /** Max response size in bytes after decompression. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Whether the request must not be repeated, because the node may have received it. Uses a new connection. */
  readonly isOnce?: boolean | undefined;
  /** Whether the caller also reads responses that are not JSON. */
  readonly acceptsBytes?: boolean;
}

/** A response of any status. */
export interface NodeResponse {
  readonly status: number;
  readonly body: Buffer;
}

const SOCKETS = 5;

/** HTTP transport over a few keep-alive connections. Every request ends; every failure is a NodeFailure. */
export class NodeTransport {
  readonly endpoint: NodeLocation;
  readonly timeouts: NodeTimeouts;
  readonly headers: Readonly<Record<string, string>>;
  private readonly client: AxiosInstance;
  private readonly agent: Agent;
  private readonly fresh: Agent;
  private readonly closing = new AbortController();

  /** @throws RangeError when the address is invalid */
  constructor(
    address: NodeAddress,
    readonly options: TransportOptions = {},
  ) {
    this.endpoint = nodeLocation(address);
    this.timeouts = { ...NODE_TIMEOUTS, ...options.timeouts };
    this.headers = {
      'User-Agent': `Nigel/${VERSION}`,
      ...(address.token === undefined || address.token === '' ? {} : { 'X-API-KEY': address.token }),
    };
    this.agent = nodeAgent(this.endpoint, options.sockets ?? SOCKETS, this.connectOptions());
    this.fresh = nodeAgent(this.endpoint, 0, this.connectOptions());
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
        // On loopback, compression takes more CPU time than it saves.
        'Accept-Encoding': this.endpoint.isLoopback ? 'identity' : 'gzip',
      },
      validateStatus: () => true,
      transformRequest: [],
      transformResponse: [],
    });
  }

  /** @returns a response of any status @throws NodeFailure without a response; the signal's reason */
  async request(request: NodeRequest): Promise<NodeResponse> {
    try {
      return await this.sendOnce(request);
    } catch (error) {
      request.signal?.throwIfAborted();
      // The node closed a keep-alive connection before responding, so the request is repeated once.
      if (request.isOnce !== true && isStaleConnection(error)) return this.sendOnce(request).catch(refuse);
      return refuse(error);
    }
  }

  /** Opens a separate connection for a stream. */
  connect(): ReturnType<typeof connectTo> {
    return connectTo(this.endpoint, this.connectOptions());
  }

  /** Running and later requests fail. */
  close(): void {
    this.closing.abort();
    this.agent.destroy();
    this.fresh.destroy();
  }

  private async sendOnce(request: NodeRequest): Promise<NodeResponse> {
    const { method, path, body, maxBytes, signal, isOnce = false, acceptsBytes = false } = request;
    const config = {
      method,
      url: path,
      ...(isOnce && { httpAgent: this.fresh, httpsAgent: this.fresh }),
      maxContentLength: maxBytes,
      ...(body !== undefined && { data: stringifyJson(body) }),
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(acceptsBytes && { Accept: 'application/octet-stream, application/json' }),
      },
    };
    const { status, data } = await withTimeout(this.timeouts.responseMs, [signal, this.closing.signal], (limited) =>
      this.client.request<Buffer>({ ...config, signal: limited }),
    ).catch((error: unknown) => {
      throw error instanceof TimeoutError ? new NodeFailure('timeout', 'did not complete its response in time') : error;
    });
    return { status, body: data };
  }

  private connectOptions(): { connectMs: number; certificates: string | undefined } {
    return { connectMs: this.timeouts.connectMs, certificates: this.options.certificates };
  }
}

/** Whether a keep-alive connection broke before the response began. */
function isStaleConnection(error: unknown): boolean {
  if (!isAxiosError(error) || error.response !== undefined) return false;
  const request = error.request as { reusedSocket?: boolean } | undefined;
  return request?.reusedSocket === true && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

/** Error codes of connections that were never established. */
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
  // A connection that broke during a response is `unreachable`, not `malformed`.
  const isCut = text.includes('aborted');
  if (!isCut && code !== undefined && /^(Z_|ERR_BAD_RESPONSE$|HPE_)/.test(code)) {
    throw new NodeFailure('malformed', `returned an unreadable response: ${text}`);
  }
  const facts = code !== undefined && NO_CONNECTION.has(code) ? { isUnsent: true } : {};
  throw new NodeFailure('unreachable', `cannot be reached: ${text}`, facts);
}
