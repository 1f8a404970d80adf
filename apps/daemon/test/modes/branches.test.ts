import { networkOf, type RawBlock } from '@wrkz/core-types';
import { Forge } from '@wrkz/testing';
import { MAIN, SIDE, SWITCHED } from '../support/codes';
import { type EngineBench, engineBench, NOW } from '../support/engine';

/* What a node does with branches that leave the chain below what it stores (docs/protocol/storage.md#modes). */

const LITE = 8;
const ORPHANED = 'REJECTED_AS_ORPHANED';

/** A forge on block `fork` of the bench's main chain. */
function forge(bench: EngineBench, fork: number, name: string): Forge {
  const timestamp = NOW - 1_000_000 + fork * 60 + 30;
  return new Forge(bench.reader.viewAt(fork), {
    network: networkOf('simnet'),
    timestamp,
    extraNonce: Buffer.from(name),
  });
}

const codes = async (bench: EngineBench, blocks: readonly RawBlock[]): Promise<string[]> =>
  (await bench.engine.addBlocks(blocks, 'sync')).map(({ code }) => code);

/** What the engine has told of branches that it does not follow. */
function unfollowed(bench: EngineBench): string[] {
  const texts: string[] = [];
  bench.engine.on('unfollowed', (text) => texts.push(text));
  return texts;
}

test('a lite node refuses and tells of a branch from below its height, once, and follows one from above', async () => {
  const bench = engineBench('simnet', { lite: LITE });
  const texts = unfollowed(bench);
  expect(await codes(bench, await forge(bench, 0, 'main').many(12))).toEqual(Array<string>(12).fill(MAIN));
  const deep = await forge(bench, LITE - 2, 'deep').many(9);
  expect((await codes(bench, deep))[0]).toBe(ORPHANED);
  expect(await codes(bench, [deep[0] as RawBlock])).toEqual([ORPHANED]);
  expect(texts).toEqual([
    `a branch that leaves the chain at block ${String(LITE - 2)} is refused: ` +
      `This node is a lite node and stores no transaction data below height ${String(LITE)}`,
  ]);
  expect(bench.engine.tip()).toMatchObject({ height: 12, alternativeCount: 0 });
  const edge = await forge(bench, LITE - 1, 'edge').many(6);
  expect(await codes(bench, edge)).toEqual([SIDE, SIDE, SIDE, SIDE, SIDE, SWITCHED]);
  expect(texts).toHaveLength(1);
  await bench.engine.stop();
});

test('until it has reached its height it follows no other branch', async () => {
  const bench = engineBench('simnet', { lite: LITE });
  const texts = unfollowed(bench);
  expect(await codes(bench, await forge(bench, 0, 'main').many(5))).toEqual(Array<string>(5).fill(MAIN));
  expect((await codes(bench, await forge(bench, 4, 'side').many(3)))[0]).toBe(ORPHANED);
  expect(texts).toHaveLength(1);
  expect(await codes(bench, await forge(bench, 5, 'main').many(4))).toEqual(Array<string>(4).fill(MAIN));
  expect(bench.reader.scanBlocks(LITE, 10).blocks).toHaveLength(2);
  await bench.engine.stop();
});
