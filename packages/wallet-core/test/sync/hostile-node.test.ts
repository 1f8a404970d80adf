import { chainIdentity, networkOf } from '@wrkz/core-types';
import { gzipSync } from 'node:zlib';
import { type NodeCalls, NodeClient } from '@wrkz/client';
import { StandInNode } from '@wrkz/testing';
import { FakeLedger } from './support/fake-ledger';
import { KEYS, type ScriptedBlock, scriptedChain, serveChain, type ServedChain } from './support/scripted-chain';
import { SyncedWallet } from './support/wallets';

/* Malformed, incomplete and endless responses: the wallet reports them, applies nothing, and recovers at an honest node. */

/** Small when compressed; twice the maximum response size when decompressed. */
const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
const honest = { blocks: scriptedChain(150) };
const open: { close(): unknown }[] = [];
let wallet: SyncedWallet | undefined;

function keep<T extends { close(): unknown }>(resource: T): T {
  open.push(resource);
  return resource;
}

async function standIn(chain: ServedChain = honest): Promise<StandInNode> {
  return keep(serveChain(await StandInNode.start(), chain));
}

/** A client with short timeouts. */
function client(node: StandInNode): NodeClient {
  const timeouts = { connectMs: 5_000, silenceMs: 1_000, responseMs: 3_000 };
  return keep(
    new NodeClient({ host: '127.0.0.1', port: node.port, ssl: false }, { chain: chainIdentity('devnet'), timeouts }),
  );
}

function opened(node: NodeCalls, options = {}): SyncedWallet {
  wallet = new SyncedWallet(new FakeLedger(KEYS), node, options);
  return wallet;
}

/** Switches to an honest node and expects the balance and transactions of the recording. */
async function expectRecovery(at: SyncedWallet): Promise<void> {
  await at.sync.swap(client(await standIn()));
  await at.untilSynced();
  expect(at.ledger.blocks.map(({ hash }) => hash)).toEqual(honest.blocks.map(({ blockHash }) => blockHash));
  expect(at.ledger.total).toBe(150n * 1_000n);
  expect(at.sync.status.stall).toBeUndefined();
}

afterEach(async () => {
  await wallet?.sync.stop();
  wallet = undefined;
  for (const resource of open.splice(0)) await resource.close();
});

/** A change of each sync response, and the stall that the wallet reports. */
const FAULTS: readonly [string, string, RegExp, (node: StandInNode) => void][] = [
  [
    'a gzip bomb',
    'nodeHostile',
    /larger than its limit/,
    (node) =>
      node.on('/getwalletsyncdata', () => (response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
        response.end(BOMB);
      }),
  ],
  [
    'an amount of 2^64',
    'nodeHostile',
    /amount is not an unsigned 64-bit integer/,
    (node) => changed(node, (text) => text.replaceAll('"amount":1000', '"amount":18446744073709551616')),
  ],
  ['truncated JSON', 'nodeHostile', /is not JSON/, (node) => changed(node, (text) => text.slice(0, text.length / 2))],
  [
    'a missing block',
    'nodeHostile',
    /omits blocks below 8/,
    (node) => items(node, (blocks) => blocks.filter(({ blockHeight }) => blockHeight !== 7)),
  ],
  [
    'a repeated block',
    'nodeHostile',
    /are not in ascending order/,
    (node) => items(node, (blocks) => blocks.flatMap((block) => (block.blockHeight === 7 ? [block, block] : [block]))),
  ],
  [
    'missing lowest blocks',
    'gap',
    /serves no blocks below 20/,
    (node) => items(node, (blocks) => blocks.filter(({ blockHeight }) => blockHeight >= 20)),
  ],
  [
    'a tip at 1,000,000 without blocks',
    'nodeHostile',
    /reports a tip at 1000000/,
    (node) =>
      node.on('/getwalletsyncdata', () => ({
        json: { items: [], topBlock: { hash: 'ab'.repeat(32), height: 1_000_000 }, synced: true, status: 'OK' },
      })),
  ],
  [
    'another first block',
    'foreignChain',
    /first block is not that of this network/,
    (node) =>
      node.on('/json_rpc', () => ({
        json: { result: { block_header: { hash: 'cd'.repeat(32), height: 0, orphan_status: false }, status: 'OK' } },
      })),
  ],
  [
    'another first block while its header cannot be requested',
    'foreignChain',
    /first block is not that of this network/,
    (node) => {
      node.on('/json_rpc', () => ({ status: 404 }));
      items(node, (blocks) =>
        blocks.map((block) => (block.blockHeight > 0 ? block : { ...block, blockHash: 'cd'.repeat(32) })),
      );
    },
  ],
  [
    'no response',
    'nodeUnreachable',
    /did not respond in time/,
    (node) => node.on('/getwalletsyncdata', () => () => undefined),
  ],
  [
    'an endless response',
    'nodeUnreachable',
    /did not complete its response in time/,
    (node) =>
      node.on('/getwalletsyncdata', () => (response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(drip));
      }),
  ],
  [
    'status 500 without a body',
    'nodeFailing',
    /failed \(500\)/,
    (node) => node.on('/getwalletsyncdata', () => ({ status: 500 })),
  ],
  ['status 429', 'rateLimited', /rate limiting/, (node) => node.on('/getwalletsyncdata', () => ({ status: 429 }))],
  [
    'more blocks than were requested',
    'nodeHostile',
    /more blocks than were requested/,
    (node) => node.on('/getwalletsyncdata', () => ({ json: { items: honest.blocks, synced: false, status: 'OK' } })),
  ],
];

/** Changes the text of honest responses. */
function changed(node: StandInNode, change: (text: string) => string): void {
  items(node, undefined, change);
}

function items(
  node: StandInNode,
  change?: (blocks: ScriptedBlock[]) => ScriptedBlock[],
  text: (given: string) => string = (given) => given,
): void {
  node.on('/getwalletsyncdata', ({ body }) => {
    const start = Number(body['startHeight']);
    const blocks = honest.blocks.slice(start, start + Number(body['blockCount']));
    return { text: text(JSON.stringify({ items: change?.(blocks) ?? blocks, synced: false, status: 'OK' })) };
  });
}

test.each(FAULTS)('%s: %s', async (_name, code, message, fault) => {
  const node = await standIn();
  fault(node);
  const wallet = opened(client(node));
  await wallet.until(() => wallet.sync.status.stall?.code === code);
  expect(wallet.sync.status.stall?.message).toMatch(message);
  expect(wallet.ledger.blocks).toEqual([]);
  await expectRecovery(wallet);
});

test('applies no chain that contradicts a known block of the network', async () => {
  const known = { height: 60, hash: honest.blocks[60]?.blockHash ?? '' };
  const network = { ...networkOf('devnet'), knownBlocks: [known] };
  const forged = await standIn({ blocks: scriptedChain(150, 'forged', honest.blocks.slice(0, 60)) });
  const wallet = opened(client(forged), { network });
  await wallet.until(() => wallet.sync.status.stall?.code === 'foreignChain');
  expect(wallet.sync.status.stall?.message).toContain('its block 60 is not that of this network');
  expect(wallet.ledger.position().height).toBeLessThan(60);
  await expectRecovery(wallet);
});

test('switches to another chain, and leaves it at a lower node of the network', async () => {
  const wallet = opened(client(await standIn({ blocks: scriptedChain(400, 'forged', honest.blocks.slice(0, 1)) })));
  await wallet.untilSynced();
  expect(wallet.ledger.position().height).toBe(399);
  const rewound: number[] = [];
  wallet.sync.on('rewound', (height) => rewound.push(height));
  await expectRecovery(wallet);
  expect(rewound).toEqual([1]);
  expect(wallet.warnings).toEqual([
    expect.stringContaining('is stalled: the node is at height 149, below this wallet at 399'),
    expect.stringContaining('has no block of this wallet'),
  ]);
});

test.each([
  ['at its tip', 0],
  ['below its tip', 20],
])('rescans the chain at an honest node when a node had reported shifted heights: %s', async (_name, below) => {
  const { blocks } = honest;
  const shifted = blocks.slice(51, blocks.length - below).map((one) => ({ ...one, blockHeight: one.blockHeight - 50 }));
  const wallet = opened(client(await standIn({ blocks: [...blocks.slice(0, 1), ...shifted] })));
  await wallet.untilSynced();
  expect(wallet.ledger.position()).toEqual({ height: 99 - below, hash: shifted.at(-1)?.blockHash });
  await expectRecovery(wallet);
});

test('switches to a higher node with another chain, and warns', async () => {
  const shorter = await standIn({ blocks: scriptedChain(250, 'forged', honest.blocks.slice(0, 1)) });
  const moved = opened(client(shorter));
  await moved.untilSynced();
  const higher = await standIn({ blocks: scriptedChain(300, 'another', honest.blocks.slice(0, 1)) });
  await moved.sync.swap(client(higher));
  await moved.until(() => moved.ledger.position().height === 299);
  // The stand-in reports no global indexes, which the wallet checks on its own timer.
  const warnings = moved.warnings.filter((text) => !text.includes('no global index'));
  expect(warnings).toEqual([expect.stringMatching(/forks from that of this wallet at block 1, 249 blocks back/)]);
});

test('warns once about an unreachable node', async () => {
  const node = await standIn();
  const wallet = opened(client(node));
  await wallet.untilSynced();
  await node.close();
  await wallet.until(() => wallet.warnings.length > 0);
  expect(wallet.warnings).toEqual([expect.stringMatching(/is stalled: the node cannot be reached/)]);
});

test('waits for a node that synchronizes', async () => {
  const chain = { blocks: honest.blocks, networkHeight: 150 };
  const node = await standIn(chain);
  const kept = opened(client(node));
  await kept.untilSynced();
  chain.blocks = honest.blocks.slice(0, 100);
  const requestCount = node.requestsTo('/getwalletsyncdata').length;
  await kept.until(
    () =>
      kept.sync.status.stall?.code === 'nodeBehindWallet' ||
      node.requestsTo('/getwalletsyncdata').length > requestCount + 9,
  );
  expect(kept.ledger.rewinds).toEqual([]);
  chain.blocks = scriptedChain(160, 'main', honest.blocks);
  await kept.until(() => kept.ledger.position().height === 159);
  expect(kept.ledger.rewinds).toEqual([]);
});

test('applies a reorganisation at the tip, a deep one, and one below all stored hashes', async () => {
  const chain = { blocks: honest.blocks };
  const kept = opened(client(await standIn(chain)));
  await kept.untilSynced();
  for (const [fork, branch] of [
    [148, 'short'],
    [60, 'deep'],
    [1, 'whole'],
  ] as const) {
    chain.blocks = scriptedChain(chain.blocks.length + 1, branch, chain.blocks.slice(0, fork));
    await kept.until(() => kept.ledger.position().hash === chain.blocks.at(-1)?.blockHash);
    expect(kept.ledger.blocks.map(({ hash }) => hash)).toEqual(chain.blocks.map(({ blockHash }) => blockHash));
    expect(kept.ledger.total).toBe(BigInt(chain.blocks.length) * 1_000n);
  }
  await kept.until(() => kept.ledger.unindexedOutputs().length === 0);
});

test('reports and skips a block that the ledger refuses', async () => {
  const kept = opened(client(await standIn()));
  kept.ledger.broken.add(40).add(149);
  await kept.untilSynced();
  expect(kept.unreadable).toEqual([40, 149]);
  expect(kept.sync.status).toMatchObject({ unreadableBlocks: 2, walletHeight: 149, stall: undefined });
  expect(kept.ledger.total).toBe(148n * 1_000n);
});

test('requests windows concurrently far below the tip, and misses no block when one is incomplete', async () => {
  const chain = { blocks: scriptedChain(2_000) };
  const node = await standIn(chain);
  const serve = node.handlerOf('/getwalletsyncdata');
  let windows = 0;
  node.on('/getwalletsyncdata', async (request, behind) => {
    const isWindow = request.body['endHeight'] !== undefined;
    if (isWindow && ++windows % 7 === 0) return { status: 500 };
    const outcome = (await serve(request, behind)) as { json: { items: unknown[]; scannedToHeight: number } };
    if (!isWindow || windows % 5 !== 0) return outcome;
    const { items: blocks, ...rest } = outcome.json;
    return {
      json: { ...rest, items: blocks.slice(0, 50), scannedToHeight: rest.scannedToHeight - blocks.length + 50 },
    };
  });
  const kept = opened(client(node), { maxBlocks: 50 });
  await kept.untilSynced();
  expect(windows).toBeGreaterThan(8);
  expect(kept.ledger.blocks).toHaveLength(2_000);
  expect(kept.ledger.total).toBe(2_000n * 1_000n);
});

test('lowers the maximum batch size after 400, and not after 429', async () => {
  const node = await standIn({ blocks: scriptedChain(900) });
  const serve = node.handlerOf('/getwalletsyncdata');
  let limited = 2;
  node.on('/getwalletsyncdata', (request, behind) => {
    if (Number(request.body['blockCount']) > 250) return { status: 400, json: { status: 'Failed', error: 'too many' } };
    if (Number(request.body['blockCount']) > 100 && limited-- > 0) return { status: 429 };
    return serve(request, behind);
  });
  const kept = opened(client(node));
  await kept.untilSynced();
  const counts = node.requestsTo('/getwalletsyncdata').map(({ body }) => body['blockCount']);
  expect(counts.slice(0, 6)).toEqual([100, 200, 200, 200, 400, 200]);
  expect(kept.clock.waits.filter((wait) => wait === 20_000)).toHaveLength(2);
});

test('requests a missing index three times', async () => {
  const node = await standIn();
  const serve = node.handlerOf('/get_global_indexes_for_range');
  node.on('/get_global_indexes_for_range', (request, behind) =>
    request.body['startHeight'] === 30 ? { json: { indexes: [], status: 'OK' } } : serve(request, behind),
  );
  const kept = opened(client(node));
  await kept.until(() => kept.warnings.length > 0);
  expect(kept.warnings).toEqual([expect.stringContaining('no global index of 10 own outputs')]);
  const requests = node
    .requestsTo('/get_global_indexes_for_range')
    .map(({ body }) => [body['startHeight'], body['endHeight']]);
  expect(requests.filter(([start]) => start === 30)).toEqual(Array(3).fill([30, 40]));
  expect(kept.ledger.unindexedOutputs()).toHaveLength(10);
});

test('polls a node that publishes its blocks once a minute', async () => {
  const chain = { blocks: honest.blocks };
  const node = client(await standIn(chain));
  let notifyTip: (() => void) | undefined;
  let end: (() => void) | undefined;
  node.tipStream = async (onTip) => {
    notifyTip = onTip;
    return { ended: new Promise<void>((resolve) => (end = resolve)), close: () => end?.() };
  };
  const kept = opened(node);
  await kept.until(() => kept.sync.status.isAtTip && kept.clock.waits.includes(60_000));
  expect(kept.sync.status.isFollowing).toBe(true);
  chain.blocks = scriptedChain(151, 'main', honest.blocks);
  const grown = new Promise((resolve) => kept.sync.once('progressed', () => resolve(undefined)));
  // The clock is stopped during the wait.
  notifyTip?.();
  await grown;
  expect(kept.ledger.position().height).toBe(150);
  end?.();
});
