import { NodeClient, NodeList } from '@wrkz/client';
import { chainIdentity, encodeBlock, networkOf, parseBlock, toHex } from '@wrkz/core-types';
import {
  checkHash,
  cnFastHash,
  derivePublicKey,
  generateKeyDerivation,
  powHash,
  scalarReduce32,
  secretKeyToPublicKey,
} from '@wrkz/crypto';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { CHAIN_A_HEIGHT, chainA, chainAWallet, StandInNode, Suite, type SuiteNode } from '@wrkz/testing';
import { Ledger, walletFromKeys, type WalletOutput } from '../../src';
import { balanceOf } from '../ledger/support/contents';
import { SyncedWallet } from './support/wallets';

/* Nodes that report outputs that are in no block, and nodes that cannot prove their reports. */

/** Chain A from this height on has outputs of alice, and is short enough to be scanned often. */
const START = 640;
/** A block without outputs of alice, for which the nodes report one. */
const MADE_UP_AT = 695;
/** A block with an output of alice. */
const OWN_AT = 694;
const alice = chainAWallet('alice');
const ALICE = { view: alice.viewSecret.toString('hex'), spend: alice.spendSecret.toString('hex') };
const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
let node: SuiteNode;
let expected: Holdings;
let unspent: WalletOutput;
const open: { close(): unknown }[] = [];
const wallets: SyncedWallet<Ledger>[] = [];

interface Holdings {
  readonly unlocked: bigint;
  readonly locked: bigint;
  readonly transactions: readonly unknown[];
}

type Json = Record<string, unknown>;

interface ReportedBlock {
  blockHeight: number;
  blockHash: string;
  coinbaseTX?: { outputs: { key: string; amount: number }[] };
  transactions: Json[];
}

const holdings = ({ ledger }: SyncedWallet<Ledger>): Holdings => ({
  ...balanceOf(ledger, CHAIN_A_HEIGHT, 0),
  transactions: ledger.content().transactions,
});

async function standIn(): Promise<StandInNode> {
  const made = await StandInNode.start(node.url);
  open.push(made);
  return made;
}

/** A node that changes the blocks of its sync responses. */
async function faultyNode(change: (block: ReportedBlock) => void): Promise<StandInNode> {
  return (await standIn()).on('/getwalletsyncdata', async ({ body }, behind) => {
    const { status, json } = await behind({ ...body, encoding: undefined });
    for (const block of (json['items'] ?? []) as ReportedBlock[]) change(block);
    return { status, json };
  });
}

/** A node without the bodies of blocks below its tip, like a pruned one. */
const pruned = (from: StandInNode): StandInNode =>
  from.on('/getrawblocks', ({ body }, behind) => behind({ ...body, startHeight: CHAIN_A_HEIGHT }));

const address = ({ port }: { port: number }) => ({ host: '127.0.0.1', port, ssl: false });
const honest = () => ({ port: node.daemon.ports.rpc });

function list(...nodes: { port: number }[]): NodeList {
  const made = new NodeList(nodes.map(address), { chain: chainIdentity('devnet') });
  open.push(made);
  return made;
}

function client(at: { port: number }): NodeClient {
  const made = new NodeClient(address(at), { chain: chainIdentity('devnet') });
  open.push(made);
  return made;
}

function opened(nodes: NodeClient | NodeList): SyncedWallet<Ledger> {
  const content = walletFromKeys(ALICE.view, ALICE.spend, { height: START, timestamp: 0 });
  const wallet = new SyncedWallet(new Ledger(content), nodes);
  wallets.push(wallet);
  return wallet;
}

/** A transaction that is in no block and pays alice. */
function madeUpTransaction(): Json {
  const secret = scalarReduce32(cnFastHash(Buffer.from('made up')));
  const derivation = generateKeyDerivation(secretKeyToPublicKey(alice.viewSecret), secret);
  const key = derivation && derivePublicKey(derivation, 0, secretKeyToPublicKey(alice.spendSecret));
  return {
    hash: 'ab'.repeat(32),
    inputs: [],
    outputs: [{ amount: 5_000_000, key: key?.toString('hex') }],
    paymentID: '',
    txPublicKey: secretKeyToPublicKey(secret).toString('hex'),
    unlockTime: 0,
  };
}

const addMadeUp = (block: ReportedBlock): void => {
  if (block.blockHeight === MADE_UP_AT) block.transactions.push(madeUpTransaction());
};

beforeAll(async () => {
  node = await suite.node({ from: await suite.chainA() });
  const wallet = opened(client(honest()));
  await wallet.untilSynced();
  expected = holdings(wallet);
  [unspent] = wallet.ledger.content().subWallets.flatMap((subWallet) => subWallet.unspent) as [WalletOutput];
});

afterEach(async () => {
  await Promise.all(wallets.splice(0).map(({ sync }) => sync.stop()));
  for (const thing of open.splice(0)) await thing.close();
});

afterAll(() => suite.stopAll());

test('the outputs of an honest node are verified', () => {
  expect(expected.unlocked).toBeGreaterThan(0n);
  expect(JSON.stringify(expected.transactions, (_, value: unknown) => String(value))).not.toContain('unverifiedBlock');
});

const FAULTS: readonly [string, (block: ReportedBlock) => void][] = [
  ['a forged transaction in a real block', addMadeUp],
  ['a missing transaction in a block with own outputs', ({ transactions }) => void transactions.pop()],
  [
    'a changed amount',
    ({ coinbaseTX, transactions }) => {
      for (const transaction of [coinbaseTX, ...transactions]) {
        for (const output of (transaction?.['outputs'] ?? []) as { amount: number }[]) output.amount *= 10;
      }
    },
  ],
  [
    'a changed unlock time',
    ({ coinbaseTX, transactions }) => {
      for (const transaction of [coinbaseTX, ...transactions]) if (transaction) (transaction as Json)['unlockTime'] = 0;
    },
  ],
  [
    'a changed payment id',
    ({ transactions }) => {
      for (const transaction of transactions) transaction['paymentID'] = 'cd'.repeat(32);
    },
  ],
];

test.each(FAULTS)('rejects %s, and has the correct balance at an honest node', async (_name, fault) => {
  const wallet = opened(client(await faultyNode(fault)));
  await wallet.until(() => wallet.sync.status.stall?.code === 'nodeHostile');
  expect(wallet.sync.status.stall?.message).toMatch(/contents of block \d+ that the bytes of the block do not have/);
  // Blocks below the forged one may be applied.
  expect(expected.transactions).toEqual(expect.arrayContaining([...wallet.ledger.content().transactions]));
  await wallet.sync.swap(client(honest()));
  await wallet.untilSynced();
  expect(holdings(wallet)).toEqual(expected);
});

test('continues at the same node after it discarded more blocks than it stores', async () => {
  let isForging = true;
  const wallet = opened(
    client(
      await faultyNode((block) => {
        if (!isForging || block.blockHeight !== MADE_UP_AT) return;
        isForging = false;
        const forged = madeUpTransaction();
        const [output] = forged['outputs'] as Json[];
        block.transactions.push({ ...forged, outputs: Array(30_000).fill(output) });
      }),
    ),
  );
  await wallet.untilSynced();
  expect(isForging).toBe(false);
  expect(holdings(wallet)).toEqual(expected);
});

test('switches to the next node when a raw block contradicts the report of the node', async () => {
  const nodes = list(await faultyNode(addMadeUp), honest());
  const wallet = opened(nodes);
  await wallet.untilSynced();
  expect(holdings(wallet)).toEqual(expected);
  expect(nodes.nodes().map(({ isInUse }) => isInUse)).toEqual([false, true]);
});

test('rejects a block with insufficient proof of work', async () => {
  const network = networkOf('devnet');
  const raw = chainA()[OWN_AT];
  if (raw === undefined) throw new Error('chain A has no such block');
  const { block } = parseBlock(raw.block);
  let weak = parseBlock(raw.block);
  const { powAlgorithm } = network.rulesAt(OWN_AT);
  for (let nonce = 0; checkHash(powHash(powAlgorithm, weak.powInput), 10n); nonce++) {
    weak = parseBlock(encodeBlock({ ...block, nonce }));
  }
  const forged = toHex(weak.hash);
  const faulty = await faultyNode((one) => {
    if (one.blockHeight === OWN_AT) one.blockHash = forged;
  });
  faulty.on('/getrawblocks', async (_request, behind) => {
    const { status, json } = await behind();
    for (const item of json['items'] as { block: string }[]) {
      if (item.block === raw.block.toString('hex')) item.block = weak.bytes.toString('hex');
    }
    return { status, json };
  });
  const wallet = opened(client(faulty));
  await wallet.until(() => wallet.sync.status.stall?.code === 'nodeHostile');
  expect(wallet.ledger.position().height).toBeLessThan(OWN_AT);
});

test('locks outputs that a pruned node cannot verify, and unlocks them when another node verifies them', async () => {
  const wallet = opened(client(pruned(await standIn())));
  await wallet.untilSynced();
  const unproved = holdings(wallet);
  expect(unproved.unlocked).toBe(0n);
  expect(unproved.locked).toBe(expected.unlocked + expected.locked);
  const verified: string[] = [];
  wallet.sync.on('verified', (transactions) => verified.push(...transactions.map(({ hash }) => hash)));
  await wallet.sync.swap(client(honest()));
  await wallet.until(() => wallet.ledger.unverifiedBlocks().length === 0);
  expect(holdings(wallet)).toEqual(expected);
  expect(verified.length).toBeGreaterThan(0);
});

test('uses the next node of the list instead of a pruned one', async () => {
  const wallet = opened(list(pruned(await standIn()), honest()));
  await wallet.untilSynced();
  expect(holdings(wallet)).toEqual(expected);
});

test('rejects a forged output of a pruned node that the next node disproves', async () => {
  const nodes = list(pruned(await faultyNode(addMadeUp)), honest());
  const wallet = opened(nodes);
  await wallet.untilSynced();
  expect(holdings(wallet)).toEqual(expected);
  expect(nodes.nodes()[1]?.isInUse).toBe(true);
});

test('removes a forged transaction of a pruned node when another node disproves it', async () => {
  const wallet = opened(client(pruned(await faultyNode(addMadeUp))));
  await wallet.untilSynced();
  expect(balanceOf(wallet.ledger, CHAIN_A_HEIGHT, 0)).toMatchObject({ unlocked: 0n });
  expect(wallet.ledger.confirmed('ab'.repeat(32))).toBeDefined();
  const disproved: number[] = [];
  wallet.sync.on('disproved', ({ height }) => disproved.push(height));
  await wallet.sync.swap(client(honest()));
  await wallet.until(() => wallet.sync.status.isAtTip && wallet.ledger.unverifiedBlocks().length === 0);
  expect(disproved).toEqual([MADE_UP_AT]);
  expect(wallet.warnings).toContainEqual(expect.stringContaining(`block ${MADE_UP_AT} with hash`));
  expect(holdings(wallet)).toEqual(expected);
});

test('removes a forged spend in a real transaction when another node disproves it', async () => {
  const spend = { k_image: unspent.keyImage, amount: Number(unspent.amount) };
  let at = Infinity;
  const faulty = await faultyNode(({ blockHeight, transactions: [first] }) => {
    if (first === undefined || blockHeight <= unspent.blockHeight || blockHeight > at) return;
    at = blockHeight;
    (first['inputs'] as Json[]).push(spend);
  });
  const wallet = opened(client(pruned(faulty)));
  await wallet.untilSynced();
  expect(wallet.ledger.findOutput(unspent.key)?.list).toBe('spent');
  const disproved: number[] = [];
  wallet.sync.on('disproved', ({ height }) => disproved.push(height));
  await wallet.sync.swap(client(honest()));
  await wallet.until(() => wallet.sync.status.isAtTip && wallet.ledger.unverifiedBlocks().length === 0);
  expect(disproved).toEqual([at]);
  // A whole wallet verifies at the tip.
  wallet.ledger.releaseAbandoned();
  expect(holdings(wallet)).toEqual(expected);
});

test('rejects blocks that the other node does not have', async () => {
  const other = (await standIn()).on('/json_rpc', async ({ body }, behind) =>
    body['method'] === 'getblockheaderbyhash'
      ? { json: { jsonrpc: '2.0', error: { code: -5, message: 'not found' } } }
      : behind(),
  );
  const wallet = opened(list(honest(), pruned(other)));
  await wallet.untilSynced();
  expect(holdings(wallet).unlocked).toBe(0n);
  other.off('/json_rpc');
  await wallet.until(() => wallet.ledger.unverifiedBlocks().length === 0);
  expect(holdings(wallet)).toEqual(expected);
});

test('requests the blocks of a range together, and only ranges with own outputs', async () => {
  const counted = await standIn();
  const wallet = opened(client(counted));
  await wallet.untilSynced();
  const heights = new Set(
    wallet.ledger.content().transactions.map(({ blockHeight }) => blockHeight - (blockHeight % 10)),
  );
  const starts = counted.requestsTo('/getrawblocks').map(({ body }) => body['startHeight']);
  expect(starts.toSorted()).toEqual([...heights].toSorted());
});
