import { Checkpoints } from '@wrkz/consensus';
import { networkOf, parseBlock, type RawBlock } from '@wrkz/core-types';
import { createMemoryLogger } from '@wrkz/service-kit';
import { chainA, Forge } from '@wrkz/testing';
import { DamageWatch } from '../src/damage/damage-watch';
import { sideTransactions } from '../src/wiring/storage';
import { type EngineBench, engineBench, NOW } from './support/engine';

/*
 * Inside the checkpoint zone work costs nothing, so the first peer can put a false branch on top of the last
 * reached checkpoint. This branch must not block the true one, however long or heavy it is.
 */

const START = NOW - 1_000_000;
const codes = async (bench: EngineBench, blocks: readonly RawBlock[]): Promise<Record<string, number>> => {
  const count: Record<string, number> = {};
  for (const { code } of await bench.engine.addBlocks(blocks, 'sync')) count[code] = (count[code] ?? 0) + 1;
  return count;
};
const at = (blocks: readonly RawBlock[], ...heights: number[]): Checkpoints =>
  new Checkpoints(new Map(heights.map((height) => [height, parseBlock(blocks[height - 1]!.block).hash])));

/** Mines without work, which no block of the zone needs. */
const forge = (bench: EngineBench, fork: number, name: string, spacing: number): Forge =>
  new Forge(bench.reader.viewAt(fork), {
    network: { ...networkOf('mainnet'), checkProofOfWork: false },
    timestamp: START + fork * 60,
    spacing,
    extraNonce: Buffer.from(name),
  });

/** The true chain, made elsewhere. */
async function trueChain(count: number): Promise<RawBlock[]> {
  const elsewhere = engineBench('mainnet');
  const blocks = await forge(elsewhere, 0, 'true', 60).many(count);
  await elsewhere.engine.stop();
  return blocks;
}

it('switches to the branch that reaches the next checkpoint, though a false branch is heavier', async () => {
  const blocks = await trueChain(30);
  const bench = engineBench('mainnet', { checkpoints: at(blocks, 5, 25) });
  expect(await codes(bench, blocks.slice(0, 5))).toEqual({ ADDED_TO_MAIN: 5 });
  const falseBranch = await forge(bench, 5, 'false', 20).many(19);
  expect(await codes(bench, falseBranch)).toEqual({ ADDED_TO_MAIN: 19 });
  const heavy = bench.engine.tip().cumulativeDifficulty;
  expect(await codes(bench, blocks.slice(5, 24))).toEqual({ ADDED_TO_ALTERNATIVE: 19 });
  expect(await codes(bench, blocks.slice(24))).toEqual({ ADDED_TO_ALTERNATIVE_AND_SWITCHED: 1, ADDED_TO_MAIN: 5 });
  expect(bench.engine.tip().height).toBe(30);
  expect(bench.reader.facts(25)?.cumulativeDifficulty).toBeLessThan(heavy);
  await bench.digest();
});

it('retains a branch deeper than 180 if it forks above the last checkpoint', async () => {
  const blocks = await trueChain(250);
  const bench = engineBench('mainnet', { checkpoints: at(blocks, 10, 250) });
  expect(await codes(bench, blocks.slice(0, 10))).toEqual({ ADDED_TO_MAIN: 10 });
  expect(await codes(bench, await forge(bench, 10, 'false', 59).many(239))).toEqual({ ADDED_TO_MAIN: 239 });
  expect(await codes(bench, await forge(bench, 9, 'deep', 60).many(1))).toEqual({ CHECKPOINT_BLOCK_HASH_MISMATCH: 1 });
  expect(await codes(bench, blocks.slice(10))).toEqual({
    ADDED_TO_ALTERNATIVE: 239,
    ADDED_TO_ALTERNATIVE_AND_SWITCHED: 1,
  });
  // The zone is over: 180 again, and the false branch is forgotten.
  expect(bench.engine.tip()).toMatchObject({ height: 250, alternativeCount: 0 });
  await bench.digest();
});

it.each([
  { zone: 720, returned: 0 },
  { zone: 0, returned: 1 },
])(
  'with a zone up to block $zone $returned transactions of a removed block return to the pool',
  async ({ zone, returned }) => {
    const main = chainA();
    const fork = main.findIndex(({ transactions }) => transactions.length === 1);
    const checkpoints = new Checkpoints(new Map([[zone, Buffer.alloc(32)]]));
    const bench = engineBench('devnet', { checkpoints });
    expect(await codes(bench, main.slice(1, fork + 1))).toEqual({ ADDED_TO_MAIN: fork });
    const side = new Forge(bench.reader.viewAt(fork - 1), {
      network: networkOf('devnet'),
      timestamp: NOW,
      checkpoints,
    });
    expect(await codes(bench, await side.many(2))).toMatchObject({ ADDED_TO_ALTERNATIVE_AND_SWITCHED: 1 });
    const removed = bench.commits().flatMap((commit) => commit.removed);
    expect(removed.flatMap(({ transactions }) => transactions)).toHaveLength(returned);
    const damage = new DamageWatch(createMemoryLogger());
    expect([...sideTransactions(bench.reader, checkpoints, damage)].flat()).toHaveLength(returned);
    await bench.digest();
  },
);
