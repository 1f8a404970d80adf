import axios, { type AxiosInstance } from 'axios';
import { daemonApi } from '@wrkz/api';
import { plainText } from '@wrkz/service-kit';
import { z } from 'zod';
import { WorkRefused } from '../work';
import type { NodeEndpoint } from './endpoint';

/** How long an answer may take, in milliseconds. */
const PATIENCE = 15_000;
/** A template with all its digits is some hundreds of kilobytes at most. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** The code of a block that is refused. */
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

/** The three questions of a miner that works alone. Each throws Error with a text for the operator, and ends by itself. */
export class NodeRpc {
  readonly #client: AxiosInstance;

  constructor(endpoint: NodeEndpoint, accessToken: string | undefined) {
    this.#client = axios.create({
      ...endpoint,
      maxRedirects: 0,
      maxContentLength: MAX_ANSWER_BYTES,
      proxy: false,
      validateStatus: () => true,
      headers: accessToken === undefined ? {} : { 'X-API-KEY': accessToken },
    });
  }

  template(address: string, signal: AbortSignal): Promise<NodeTemplate> {
    return this.#call('getblocktemplate', { wallet_address: address, reserve_size: 0 }, template, signal);
  }

  /** The hash of the tip. */
  async tip(signal: AbortSignal): Promise<string> {
    return (await this.#call('getlastblockheader', {}, header, signal)).block_header.hash;
  }

  /** Blocks that the node has, and that its peers have. */
  async heights(signal: AbortSignal): Promise<{ own: number; network: number }> {
    const { height, network_height: network } = heights.parse(await this.#ask('GET', '/height', undefined, signal));
    return { own: height, network };
  }

  /** @throws WorkRefused when the node does not take the block */
  async submit(blob: Buffer): Promise<void> {
    const { signal } = new AbortController();
    await this.#call('submitblock', [blob.toString('hex')], z.unknown(), signal);
  }

  async #call<T>(method: string, params: object, shape: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const answer = envelope.parse(
      await this.#ask('POST', '/json_rpc', { jsonrpc: '2.0', id: 1, method, params }, signal),
    );
    if (answer.error === undefined) return shape.parse(answer.result);
    const { code, message } = answer.error;
    if (code === NOT_ACCEPTED) throw new WorkRefused(plainText(message));
    throw new Error(`${method}: ${plainText(message)}`);
  }

  async #ask(method: string, url: string, data: object | undefined, signal: AbortSignal): Promise<unknown> {
    const limit = AbortSignal.timeout(PATIENCE);
    const response = await this.#client
      .request<unknown>({ method, url, data, signal: AbortSignal.any([signal, limit]) })
      .catch((error: unknown) => {
        if (limit.aborted) throw new Error(`the node gave no answer within ${String(PATIENCE / 1000)} s`);
        throw new Error(`the node cannot be asked: ${(error as Error).message}`);
      });
    // JSON-RPC errors come with a status of their own where they come with one at all
    if (response.status === 200 || envelope.safeParse(response.data).data?.error !== undefined) return response.data;
    throw new Error(`the node refused ${url} with status ${String(response.status)}`);
  }
}
