import axios, { type AxiosInstance } from 'axios';
import { daemonApi } from '@wrkz/api';
import { isSocketAddress, nodePath, plainText, socketPath, TimeoutError, withTimeout } from '@wrkz/service-kit';
import { z } from 'zod';
import { WorkRefused } from './work';

const REQUEST_TIMEOUT_MS = 15_000;
/** Max response size. A template takes at most some hundreds of kilobytes. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** JSON-RPC error code of a block that is not accepted. */
const NOT_ACCEPTED = daemonApi.rpcErrors.blockNotAccepted.code;

const template = z.object({
  blocktemplate_blob: z.string().regex(/^([0-9a-fA-F]{2})+$/),
  difficulty: z.number().positive(),
  height: z.number().int(),
});
export type NodeTemplate = z.infer<typeof template>;

const header = z.object({ block_header: z.object({ hash: z.string() }) });
const heights = z.object({ height: z.number(), network_height: z.number() });
const envelope = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

/** Address of a node RPC. */
export interface NodeEndpoint {
  /** Without a trailing slash. */
  readonly baseURL: string;
  /** Path of a local socket. An abstract one begins with a zero byte. */
  readonly socketPath?: string;
}

/**
 * @param text an http(s) URL, host:port, or a local socket: absolute path, `@name` or `ipc://path`
 * @throws RangeError for anything else
 */
export function nodeEndpoint(text: string): NodeEndpoint {
  const address = text.trim();
  const path = isSocketAddress(address) ? socketPath(address) : '';
  if (path !== '' && path !== '@') return { baseURL: 'http://localhost', socketPath: nodePath(path) };
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new RangeError(`${JSON.stringify(text)} is not the address of a node`);
  }
  return { baseURL: url.replace(/\/+$/, '') };
}

/** RPC client of a node. Each call has a timeout and throws an Error with a message for the operator. */
export class NodeRpc {
  private readonly client: AxiosInstance;

  constructor(endpoint: NodeEndpoint, accessToken: string | undefined) {
    this.client = axios.create({
      ...endpoint,
      maxRedirects: 0,
      maxContentLength: MAX_RESPONSE_BYTES,
      proxy: false,
      validateStatus: () => true,
      headers: accessToken === undefined ? {} : { 'X-API-KEY': accessToken },
    });
  }

  template(address: string, signal: AbortSignal): Promise<NodeTemplate> {
    return this.call('getblocktemplate', { wallet_address: address, reserve_size: 0 }, template, signal);
  }

  /** The hash of the tip. */
  async tip(signal: AbortSignal): Promise<string> {
    return (await this.call('getlastblockheader', {}, header, signal)).block_header.hash;
  }

  /** Block counts of the node and of its peers. */
  async heights(signal: AbortSignal): Promise<{ own: number; network: number }> {
    const { height, network_height: network } = heights.parse(await this.request('GET', '/height', undefined, signal));
    return { own: height, network };
  }

  /** @throws WorkRefused if the node does not accept the block */
  async submit(blob: Buffer): Promise<void> {
    const { signal } = new AbortController();
    await this.call('submitblock', [blob.toString('hex')], z.unknown(), signal);
  }

  private async call<T>(method: string, params: object, shape: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const response = envelope.parse(
      await this.request('POST', '/json_rpc', { jsonrpc: '2.0', id: 1, method, params }, signal),
    );
    if (response.error === undefined) return shape.parse(response.result);
    const { code, message } = response.error;
    if (code === NOT_ACCEPTED) throw new WorkRefused(plainText(message));
    throw new Error(`${method}: ${plainText(message)}`);
  }

  private async request(method: string, url: string, data: object | undefined, signal: AbortSignal): Promise<unknown> {
    const response = await withTimeout(REQUEST_TIMEOUT_MS, [signal], (limited) =>
      this.client.request<unknown>({ method, url, data, signal: limited }),
    ).catch((error: unknown) => {
      if (error instanceof TimeoutError)
        throw new Error(`the node sent no response within ${String(REQUEST_TIMEOUT_MS / 1000)} s`);
      throw new Error(`the node cannot be reached: ${(error as Error).message}`);
    });
    // Some servers send JSON-RPC errors with an HTTP error status.
    if (response.status === 200 || envelope.safeParse(response.data).data?.error !== undefined) return response.data;
    throw new Error(`the node refused ${url} with status ${String(response.status)}`);
  }
}
