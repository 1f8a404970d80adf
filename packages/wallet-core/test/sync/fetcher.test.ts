import { chainIdentity } from '@wrkz/core-types';
import { type NodeCalls, NodeClient, type SyncBlock } from '@wrkz/client';
import { StandInNode } from '@wrkz/testing';
import { FakeLedger } from './support/fake-ledger';
import { KEYS, scriptedChain, serveChain, type ServedChain } from './support/scripted-chain';
import { SyncedWallet } from './support/wallets';

const open: { close(): unknown }[] = [];
let wallet: SyncedWallet | undefined;

afterEach(async () => {
  await wallet?.sync.stop();
  wallet = undefined;
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function clientOf(chain: ServedChain): Promise<NodeClient> {
  const node = serveChain(await StandInNode.start(), chain);
  const client = new NodeClient({ host: '127.0.0.1', port: node.port, ssl: false }, { chain: chainIdentity('devnet') });
  open.push(node, client);
  return client;
}

function opened(node: NodeCalls, options: ConstructorParameters<typeof SyncedWallet>[2] = {}): SyncedWallet {
  wallet = new SyncedWallet(new FakeLedger(KEYS), node, options);
  return wallet;
}

const range = (start: number, end: number): number[] => Array.from({ length: end - start }, (_, i) => start + i);

test.each([10, 150, 290])(
  'applies each of the last 100 blocks without coinbases, although all are empty (non-empty block %i)',
  async (nonEmpty) => {
    const blocks = scriptedChain(300);
    const [block, payment] = [blocks[nonEmpty], scriptedChain(2, 'other')[1]?.coinbaseTX];
    if (block !== undefined && payment !== undefined) {
      blocks[nonEmpty] = { ...block, transactions: [{ ...payment, inputs: [], paymentID: '' }] };
    }
    const chain = { blocks, isSparse: true };
    const synced = opened(await clientOf(chain), { skipCoinbases: true });
    const applied: SyncBlock[] = [];
    synced.sync.on('applied', (_, one) => applied.push(one));
    await synced.untilSynced();
    expect(applied.map(({ height }) => height)).toEqual([
      ...range(nonEmpty, Math.min(200, nonEmpty + 1)),
      ...range(200, 300),
    ]);
    expect(applied.filter(({ coinbase }) => coinbase !== undefined)).toEqual([]);
    expect(synced.ledger.total).toBe(1_000n);
    chain.blocks = scriptedChain(301, 'main', blocks);
    await synced.until(() => synced.ledger.position().height === 300);
    expect(applied.at(-1)?.height).toBe(300);
  },
);

test.each([false, true])(
  'refuses a block above the plausible height (coinbases skipped: %s)',
  async (skipCoinbases) => {
    const plausible = { height: 120 };
    const client = await clientOf({ blocks: scriptedChain(150), isSparse: true });
    const synced = opened(client, { skipCoinbases, plausibleHeight: () => plausible.height });
    await synced.until(() => synced.sync.status.stall?.code === 'nodeHostile');
    expect(synced.sync.status.stall?.message).toMatch(/can have reached 120 at most/);
    expect(synced.ledger.position().height).toBeLessThanOrEqual(120);
    plausible.height = 149;
    await synced.untilSynced();
    expect(synced.ledger.position().height).toBe(149);
  },
);
