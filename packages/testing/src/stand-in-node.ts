import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { plainRequest } from './plain-request';

type Fields = Record<string, unknown>;

/** A request to a stand-in. */
export interface StandInRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The fields of a JSON body; empty without a body. */
  readonly body: Fields;
  /** Whether its connection was used before. */
  readonly isReused: boolean;
}

/** A response: a JSON value, a text, or a function that writes the response. */
export type StandInResponse =
  { readonly status?: number; readonly json?: unknown; readonly text?: string } | ((response: ServerResponse) => void);

export type StandInHandler = (
  request: StandInRequest,
  /** Forwards the request to the node, with this body if one is given. */
  behind: (body?: Fields) => Promise<{ readonly status: number; readonly json: Fields }>,
) => StandInResponse | Promise<StandInResponse>;

/**
 * A proxy in front of a node: it forwards all requests except for the routes that a test handles. It listens on loopback and only
 * connects to the given URL.
 */
export class StandInNode {
  readonly requests: StandInRequest[] = [];
  private readonly handlers = new Map<string, StandInHandler>();
  private readonly connections = new WeakSet<object>();

  private constructor(
    private readonly server: Server,
    private readonly behind: string | undefined,
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.respond(request, response).catch(() => response.destroy());
    });
  }

  /** @param behind the URL of a node; if undefined, every route needs a handler */
  static async start(behind?: string, port = 0): Promise<StandInNode> {
    const server = createServer({ keepAliveTimeout: 3_000 }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new StandInNode(server, behind);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  on(path: string, handler: StandInHandler): this {
    this.handlers.set(path, handler);
    return this;
  }

  /** Forwards a route to the node again. */
  off(path: string): this {
    this.handlers.delete(path);
    return this;
  }

  /** The handler of a route, so that a test can replace it for some requests. */
  handlerOf(path: string): StandInHandler {
    return this.handlers.get(path) ?? ((_request, behind) => behind());
  }

  requestsTo(path: string): StandInRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** Closes at once, also during a response. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const isReused = this.connections.has(request.socket);
    this.connections.add(request.socket);
    const requests = {
      path,
      isReused,
      headers: request.headers,
      body: text === '' ? {} : (JSON.parse(text) as Fields),
    };
    this.requests.push(requests);
    const handler = this.handlers.get(path);
    if (handler === undefined) {
      const { accept = 'application/json' } = request.headers;
      const { status, bytes } = await this.forward(request, requests.body, { Accept: accept });
      response.writeHead(status, { 'Content-Type': 'application/json' });
      return void response.end(bytes);
    }
    const result = await handler(requests, (body) => this.pass(request, body ?? requests.body));
    if (typeof result === 'function') return result(response);
    response.writeHead(result.status ?? 200, { 'Content-Type': 'application/json' });
    response.end(result.text ?? (result.json === undefined ? '' : JSON.stringify(result.json)));
  }

  /** For handlers, which change JSON: a binary response is not requested. */
  private async pass(request: IncomingMessage, body: Fields): Promise<{ status: number; json: Fields }> {
    const { status, text } = await this.forward(request, body);
    return { status, json: (text === '' ? {} : JSON.parse(text)) as Fields };
  }

  private async forward(
    request: IncomingMessage,
    body: Fields,
    headers: Readonly<Record<string, string>> = {},
  ): ReturnType<typeof plainRequest> {
    if (this.behind === undefined) throw new Error(`no handler for ${request.url ?? ''}`);
    return plainRequest(this.behind + (request.url ?? '/'), {
      method: request.method,
      headers,
      body: request.method === 'GET' ? undefined : JSON.stringify(body),
    });
  }
}

/** The fields that `/info` had in July 2025. */
const OLD_INFO = new Set(
  (
    'height difficulty tx_count tx_pool_size alt_blocks_count outgoing_connections_count incoming_connections_count ' +
    'white_peerlist_size grey_peerlist_size last_known_block_index network_height upgrade_heights supported_height ' +
    'hashrate synced major_version minor_version version status start_time'
  ).split(' '),
);
const OLD_MAX_BLOCKS = 100;

/** Makes a stand-in respond to `/getrawblocks` like the C++ node: without global indexes. */
export function omitGlobalIndexes(node: StandInNode): StandInNode {
  return node.on('/getrawblocks', ({ body }, behind) => behind({ ...body, globalIndexes: false }));
}

/** Makes a stand-in respond like nodes of July 2025 (docs/protocol/wallet-sync.md#older-nodes). */
export function respondAsJuly2025(node: StandInNode): StandInNode {
  return omitGlobalIndexes(node)
    .on('/info', async (_request, behind) => {
      const { status, json } = await behind();
      return { status, json: Object.fromEntries(Object.entries(json).filter(([name]) => OLD_INFO.has(name))) };
    })
    .on('/getinfo', () => ({ status: 404 }))
    .on('/getrandom_outs', async ({ body }, behind) => {
      const { status, json } = await behind();
      const sets = (json['outs'] ?? []) as readonly { outs: readonly unknown[] }[];
      const isShort = sets.some(({ outs }) => outs.length < Number(body['outs_count']));
      return isShort ? { status: 400, json: { errorCode: 27, errorMessage: 'too few outputs' } } : { status, json };
    })
    .on('/getwalletsyncdata', async function respondOld(request, behind): Promise<StandInResponse> {
      const { body } = request;
      const { blockHashCheckpoints, startHeight, startTimestamp, blockCount, skipCoinbaseTransactions } = body;
      const checkpoints = (blockHashCheckpoints ?? []) as readonly string[];
      const count = Math.min(Number(blockCount ?? 0) || OLD_MAX_BLOCKS, OLD_MAX_BLOCKS);
      const skips = skipCoinbaseTransactions === true;
      const requests = { startHeight, startTimestamp, blockCount: count, skipCoinbaseTransactions: skips };
      let start = Number(startHeight ?? 0);
      let place: number | undefined;
      if (checkpoints.length > 0) {
        place = await placeOf(checkpoints, behind);
        if (place === undefined) return { status: 500 };
        start = Math.max(start, place);
        requests.startTimestamp = 0;
      }
      const { status, json } = await behind({ ...requests, startHeight: start });
      // A node responds from one state of its chain: a reorganisation between these requests must not show.
      if (checkpoints.length > 0 && (await placeOf(checkpoints, behind)) !== place) return respondOld(request, behind);
      const { items, synced, topBlock, status: ok } = json;
      const kept = (items as readonly { transactions: readonly unknown[] }[]).filter(
        ({ transactions }) => !skips || transactions.length > 0,
      );
      return { status, json: { items: kept, synced, topBlock, status: ok } };
    });
}

/** The height after the highest of these hashes that the node has; undefined if it has none. */
async function placeOf(
  checkpoints: readonly string[],
  behind: Parameters<StandInHandler>[1],
): Promise<number | undefined> {
  const { json } = await behind({ blockHashCheckpoints: checkpoints, startHeight: 0, blockCount: 1 });
  const items = json['items'] as readonly { blockHeight: number }[];
  const { topBlock } = json as { topBlock?: { height: number } };
  if (topBlock !== undefined) return topBlock.height + 1;
  return items[0]?.blockHeight === 0 ? undefined : items[0]?.blockHeight;
}

/** Makes a stand-in respond like a lite node with full blocks from a height on. */
export function respondAsLiteNode(node: StandInNode, liteStartHeight: number): StandInNode {
  const refusal = `This node is a lite node and stores no transaction data below height ${String(liteStartHeight)}`;
  return node
    .on('/info', async (_request, behind) => {
      const { status, json } = await behind();
      return { status, json: { ...json, lite: true, lite_start_height: liteStartHeight } };
    })
    .on('/getwalletsyncdata', async ({ body }, behind) => {
      const { status, json } = await behind();
      const [first] = (json['items'] ?? []) as readonly { blockHeight: number }[];
      if (first === undefined || first.blockHeight >= liteStartHeight) return { status, json };
      return behind({ ...body, blockHashCheckpoints: [], startTimestamp: 0, startHeight: liteStartHeight });
    })
    .on('/get_global_indexes_for_range', async ({ body }, behind) => {
      if (Number(body['startHeight']) >= liteStartHeight) return behind();
      return { status: 400, json: { status: 'Failed', error: refusal } };
    });
}
