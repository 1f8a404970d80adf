import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openChainDb, rulesDigest } from '@wrkz/chain-db';
import { buildSpend, chainAWallet, findNonceHere, spendable } from '@wrkz/testing';
import { newSuite } from '../network/daemons';

/*
 * Chain A grown to 3,000 blocks, with transfers below and above block 2,000, on a full, a pruned and a lite node: wallets read
 * the same from each, the rules read the same, and a table of the data on disk.
 */

const suite = newSuite();
afterAll(() => suite.stopAll());

const COUNT = 3_000;
const LITE = 2_000;
const STEP = 60;
const LITE_ARGS = ['--lite', '--lite-height', String(LITE)];

type Node = Awaited<ReturnType<typeof suite.node>>;

/** Grows the chain of a node, with one transfer every 60 blocks as long as there is something to spend. */
async function grow(node: Node): Promise<number[]> {
  const alice = chainAWallet('alice');
  const outputs = await spendable(node, alice);
  const heights: number[] = [];
  const every = Math.floor((COUNT - node.height) / (outputs.length + 1));
  let next = node.height + every;
  while (node.height < COUNT - 1) {
    const output = node.height >= next ? outputs.shift() : undefined;
    if (output !== undefined) {
      const spend = await buildSpend(node, alice, output, {
        height: node.height,
        fee: 100_000n,
        findNonce: findNonceHere,
      });
      await node.send(spend.transaction);
      heights.push(node.height + 1);
      next += every;
    }
    await node.generate(alice.address, Math.min(STEP, COUNT - 1 - node.height, Math.max(1, next - node.height)));
  }
  return heights;
}

/** Bytes of the files of a chain database. */
function sizeOf(dataDir: string): number {
  const folder = join(dataDir, 'devnet');
  const files = readdirSync(folder).filter((file) => file.startsWith('chain.sqlite'));
  return files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

/** The sync data that a wallet reads from a height on, block by block. */
async function rescan(node: Node, startHeight: number): Promise<unknown[]> {
  const items: { blockHash: string; blockHeight: number }[] = [];
  for (;;) {
    const last = items.at(-1);
    const from = last === undefined ? { startHeight } : { blockHashCheckpoints: [last.blockHash] };
    const body = { ...from, blockCount: 1000 };
    const response = await node.post<{ items: typeof items }>('/getwalletsyncdata', body);
    if (response.items.length === 0) return items;
    items.push(...response.items);
  }
}

function digestAt({ dataDir }: Node): string {
  const db = openChainDb({ directory: join(dataDir, 'devnet'), network: 'devnet', readonly: true });
  try {
    return rulesDigest(db.reader);
  } finally {
    db.close();
  }
}

test('3,000 blocks on a full, a pruned and a lite node', async () => {
  const full = await suite.node({ from: await suite.chainA() });
  const transfers = await grow(full);
  expect([full.height, transfers.some((height) => height < LITE), transfers.some((height) => height > LITE)]).toEqual([
    COUNT - 1,
    true,
    true,
  ]);
  const whole = await rescan(full, 0);
  const digest = digestAt(full);
  const upper = await rescan(full, LITE);
  await full.stop();
  const fullSize = sizeOf(full.dataDir);

  const dump = join(suite.folder(), 'grown.dump');
  expect(await suite.run(full.dataDir, ['--export-blockchain', '--dump-file', dump])).toBe(0);
  const folder = suite.folder();
  expect(await suite.run(folder, [...LITE_ARGS, '--import-blockchain', '--dump-file', dump])).toBe(0);
  const lite = await suite.node({ from: folder, args: LITE_ARGS });
  const pruned = await suite.node({ from: full.dataDir, args: ['--prune'] });
  expect(whole).toHaveLength(COUNT);
  expect(await rescan(pruned, 0)).toEqual(whole);
  expect(await rescan(lite, 0)).toEqual(upper);
  expect(upper).toHaveLength(COUNT - LITE);
  expect([digestAt(pruned), digestAt(lite)]).toEqual([digest, digest]);
  const header = await pruned.rpc('getlastblockheader');
  expect(await lite.rpc('getlastblockheader')).toEqual(header);

  // a pass in the middle is left to the next start
  for (let floor = 0; floor < COUNT - 400; await new Promise((turn) => setImmediate(turn))) {
    const db = openChainDb({ directory: join(pruned.dataDir, 'devnet'), network: 'devnet', readonly: true });
    floor = db.reader.floors().bodies;
    db.close();
  }
  await Promise.all([pruned.stop(), lite.stop()]);
  const again = await suite.node({ from: pruned.dataDir, args: ['--prune'] });
  expect(await rescan(again, 0)).toEqual(whole);
  await again.stop();
  const rows = [
    ['full', fullSize],
    ['pruned, 400 bodies', sizeOf(again.dataDir)],
    [`lite, from ${LITE}`, sizeOf(lite.dataDir)],
  ] as const;
  for (const [mode, bytes] of rows) {
    process.stdout.write(
      `${mode.padEnd(20)} ${String(bytes).padStart(10)} bytes ${((100 * bytes) / fullSize).toFixed(1)} %\n`,
    );
  }
  expect(sizeOf(again.dataDir)).toBeLessThan(fullSize);
  expect(sizeOf(lite.dataDir)).toBeLessThan(fullSize);
});
