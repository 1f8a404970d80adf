import { type ClientRequest, type IncomingMessage, request, type RequestOptions } from 'node:http';
import { errorText, type Logger, nodePath } from '@wrkz/service-kit';
import { z } from 'zod';

/** Marks the requests of a reader process, so that readers do not forward them to each other for ever. */
export const READER_HEADER = 'X-Wrkz-Reader';

/** HTTP client of the node. Each request has a new connection: the node might close a reused one at that moment. */
export class NodeSocketClient {
  /** @param socket a path or `@name` @param token access token; empty for none */
  constructor(
    private readonly socket: string,
    private readonly token: string | (() => string),
  ) {}

  request({ headers, ...rest }: Pick<RequestOptions, 'method' | 'path' | 'headers' | 'signal'>): ClientRequest {
    const token = typeof this.token === 'string' ? this.token : this.token();
    return request({
      ...rest,
      socketPath: nodePath(this.socket),
      agent: false,
      headers: {
        ...headers,
        Host: 'localhost',
        Connection: 'close',
        [READER_HEADER]: '1',
        ...(token === '' ? {} : { 'X-API-Key': Buffer.from(token, 'utf8').toString('latin1') }),
      },
    });
  }
}

/** The fields of `/info` that only the node knows. */
const nodeInfo = z.looseObject({
  heavier_branch: z.object({ height: z.number(), hash: z.string() }).optional(),
  height: z.number(),
  network_height: z.number(),
  last_known_block_index: z.number(),
  synced: z.boolean(),
  incoming_connections_count: z.number(),
  outgoing_connections_count: z.number(),
  white_peerlist_size: z.number(),
  grey_peerlist_size: z.number(),
  seed_nodes_count: z.number(),
  last_seed_bootstrap: z.number(),
  sync_active_peers: z.number(),
  sync_avg_batch_size: z.number(),
  sync_demoted_peers: z.number(),
  start_time: z.number(),
  tx_pool_size: z.number(),
});

export type NodeInfoResponse = z.output<typeof nodeInfo>;

/** Min milliseconds between two requests. */
const MIN_INTERVAL_MS = 500;
/** Age up to which a response is used while the node times out. */
const MAX_AGE_MS = 10_000;
const TIMEOUT_MS = 1_000;
const MAX_BYTES = 65_536;

/** The node is not there, or refused the request: its last response is invalid. */
class NodeAway extends Error {}

/**
 * Caches `/info` of the node. It is requested on demand, at most every 500 ms. While the node is away there is no value, and no
 * client waits: one request at a time runs in the background.
 */
export class NodeInfoCache {
  private info: NodeInfoResponse | undefined;
  private receivedAt = -Infinity;
  private requestedAt = -Infinity;
  private running: Promise<void> | undefined;
  private failed: string | undefined;

  constructor(
    private readonly client: NodeSocketClient,
    private readonly logger: Logger,
  ) {}

  /** The last response; undefined while the node is away. */
  get current(): NodeInfoResponse | undefined {
    return performance.now() - this.receivedAt < MAX_AGE_MS ? this.info : undefined;
  }

  /** Why the last request failed; undefined after a success. */
  get failure(): string | undefined {
    return this.failed;
  }

  /** Updates `current`. Resolves at once while the node is away. Never rejects. */
  async refresh(): Promise<void> {
    if (this.running === undefined && performance.now() - this.requestedAt >= MIN_INTERVAL_MS) {
      this.requestedAt = performance.now();
      this.running = this.update().finally(() => (this.running = undefined));
    }
    if (this.failed === undefined) await this.running;
  }

  /** The next `refresh` makes a request, because the state of the node has changed. */
  invalidate(): void {
    this.requestedAt = -Infinity;
  }

  private async update(): Promise<void> {
    const { logger } = this;
    try {
      this.info = await this.fetch();
      this.receivedAt = performance.now();
      if (this.failed !== undefined) logger.warning('the node responds again');
      this.failed = undefined;
    } catch (error) {
      if (error instanceof NodeAway) this.info = undefined;
      const text = errorText(error);
      if (text !== this.failed) logger.warning(`the node does not respond: ${text}`);
      this.failed = text;
    }
  }

  private fetch(): Promise<NodeInfoResponse> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => sent.destroy(new Error('timeout')), TIMEOUT_MS);
      const sent = this.client.request({ method: 'GET', path: '/info' });
      sent.on('close', () => clearTimeout(timer));
      sent.on('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === undefined ? error : new NodeAway(errorText(error), { cause: error })),
      );
      sent.on('response', (response) => void readInfo(response).then(resolve, reject));
      sent.end();
    });
  }
}

async function readInfo(response: IncomingMessage): Promise<NodeInfoResponse> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_BYTES) throw new NodeAway('its response is too long for a node');
    parts.push(part);
  }
  const text = Buffer.concat(parts).toString('utf8');
  const { statusCode: status = 0 } = response;
  if (status === 401) throw new NodeAway('it requires its access token (--node-access-token)');
  if (status !== 200) throw new NodeAway(`its response has status ${String(status)}: ${text.slice(0, 200)}`);
  const info = nodeInfo.safeParse(parsedJson(text));
  if (!info.success) throw new NodeAway('the server at its socket is not a node');
  return info.data;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
