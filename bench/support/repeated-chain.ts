import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkOf } from '@wrkz/core-types';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { Suite } from '@wrkz/testing';

/* A separate program: a node that serves chain A repeatedly. It sends its port to the parent process. */

interface Transaction {
  hash: string;
}

interface Item {
  blockHash: string;
  blockHeight: number;
  coinbaseTX?: Transaction;
  transactions: Transaction[];
}

/** Max bytes of blocks in one response, about the limit of a node. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
const GENESIS = networkOf('devnet').genesis.hash.toString('hex');
const length = Number(process.argv[2]);
/** Makes a base64 hash unique per repetition of the chain. */
const marked = (hash: string, round: number): string => {
  const bytes = Buffer.from(hash, 'base64');
  bytes.writeUInt32LE(round, 0);
  return bytes.toString('base64');
};

/** The blocks of chain A, genesis first, as our daemon returns them in base64. */
async function itemsOfChainA(): Promise<Item[]> {
  const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
  try {
    const node = await suite.node({ from: await suite.chainA() });
    const items: Item[] = [];
    while (items.length <= node.height) {
      const query = { startHeight: items.length, blockCount: 100, skipInputKeyOffsets: true, encoding: 'base64' };
      const response = await fetch(`${node.url}/getwalletsyncdata`, { method: 'POST', body: JSON.stringify(query) });
      items.push(...((await response.json()) as { items: Item[] }).items);
    }
    return items;
  } finally {
    await suite.stopAll();
  }
}

async function main(): Promise<void> {
  const [genesis, ...repeated] = await itemsOfChainA();
  if (genesis === undefined) throw new Error('chain A has no blocks');
  const blockAt = (height: number): Item => {
    if (height === 0) return genesis;
    const item = repeated[(height - 1) % repeated.length] ?? genesis;
    const round = Math.floor((height - 1) / repeated.length);
    const mark = <T extends Transaction>(one: T): T => ({ ...one, hash: marked(one.hash, round) });
    return {
      ...item,
      blockHash: marked(item.blockHash, round),
      blockHeight: height,
      ...(item.coinbaseTX === undefined ? {} : { coinbaseTX: mark(item.coinbaseTX) }),
      transactions: item.transactions.map(mark),
    };
  };
  const heights = new Map(Array.from({ length }, (_, height) => [keyOf(blockAt(height).blockHash), height]));
  const handlers: Record<string, (query: SyncQuery) => string> = {
    '/info': () =>
      JSON.stringify({
        ...{ height: length, network_height: length, difficulty: 10, status: 'OK' },
        ...{ incoming_connections_count: 1, outgoing_connections_count: 1 },
        sync_features: ['heightRange', 'base64'],
      }),
    '/json_rpc': () =>
      JSON.stringify({ result: { block_header: { hash: GENESIS, height: 0, orphan_status: false }, status: 'OK' } }),
    '/get_global_indexes_for_range': () => '{"indexes":[],"status":"OK"}',
    '/getwalletsyncdata': ({ blockHashCheckpoints = [], startHeight = 0, blockCount = 100, endHeight }) => {
      const known = blockHashCheckpoints.map((hash) => heights.get(hash)).find((height) => height !== undefined);
      const start = known === undefined || known === 0 ? startHeight : known + 1;
      const end = Math.min(start + blockCount, endHeight ?? length, length);
      const items: string[] = [];
      for (let bytes = 0; start + items.length < end && bytes < MAX_RESPONSE_BYTES;) {
        const text = JSON.stringify(blockAt(start + items.length));
        items.push(text);
        bytes += text.length;
      }
      if (items.length > 0) {
        return `{"items":[${items.join(',')}],"scannedToHeight":${String(start + items.length - 1)},"synced":false,"status":"OK"}`;
      }
      const tip = { hash: keyOf(blockAt(length - 1).blockHash), height: length - 1 };
      return JSON.stringify({ items: [], topBlock: tip, synced: true, status: 'OK' });
    },
  };
  const server = createServer((request, response) => {
    respond(request, response, handlers).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
}

interface SyncQuery {
  readonly blockHashCheckpoints?: readonly string[];
  readonly startHeight?: number;
  readonly blockCount?: number;
  readonly endHeight?: number;
}

const keyOf = (hash: string): string => (hash.length === 64 ? hash : Buffer.from(hash, 'base64').toString('hex'));

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  handlers: Readonly<Record<string, (query: SyncQuery) => string>>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const handler = handlers[request.url ?? ''];
  if (handler === undefined) return void response.writeHead(404).end();
  response.setHeader('Content-Type', 'application/json');
  response.end(handler(text === '' ? {} : (JSON.parse(text) as SyncQuery)));
}

process.on('disconnect', () => process.exit());
void main();
