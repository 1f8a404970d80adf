import { encodeBlock, networkOf, parseBlock, type RawBlock } from '@wrkz/core-types';
import { Forge } from '@wrkz/testing';
import { KNOWN, MAIN, SIDE } from './support/codes';
import { type EngineBench, engineBench, NOW } from './support/engine';

/*
 * The engine reports one of several faults of a block (docs/protocol/blocks.md#order-of-checks): the first in the order
 * of the rules.
 */

const network = networkOf('simnet');
const START = NOW - 1_000_000;
const UNREADABLE = Buffer.from('no transaction');

const forge = (bench: EngineBench, fork: number, name: string): Forge =>
  new Forge(bench.reader.viewAt(fork), { network, timestamp: START + fork * 60, extraNonce: Buffer.from(name) });

const code = async (bench: EngineBench, ...blocks: RawBlock[]): Promise<string[]> =>
  (await bench.engine.addBlocks(blocks, 'sync')).map((result) => result.code);

/** A bench with three blocks, and those blocks. */
async function withThree(): Promise<{ bench: EngineBench; blocks: RawBlock[] }> {
  const bench = engineBench('simnet');
  const blocks = await forge(bench, 0, 'main').many(3);
  expect(await code(bench, ...blocks)).toEqual([MAIN, MAIN, MAIN]);
  return { bench, blocks };
}

describe('the order of block checks', () => {
  it('detects a known block before parsing its transactions', async () => {
    const { bench, blocks } = await withThree();
    expect(await code(bench, { ...blocks[2]!, transactions: [UNREADABLE] })).toEqual([KNOWN]);
    const [side] = await forge(bench, 1, 'side').many(1);
    expect(await code(bench, side!)).toEqual([SIDE]);
    expect(await code(bench, { ...side!, transactions: [UNREADABLE] })).toEqual([KNOWN]);
    await bench.engine.stop();
  });

  it('detects an orphan before parsing its transactions', async () => {
    const { bench } = await withThree();
    const ahead = await forge(bench, 3, 'ahead').many(2);
    expect(await code(bench, { ...ahead[1]!, transactions: [UNREADABLE] })).toEqual(['REJECTED_AS_ORPHANED']);
    expect(await code(bench, { ...ahead[0]!, transactions: [UNREADABLE] })).toEqual(['DESERIALIZATION_FAILED']);
    expect(await code(bench, ...ahead)).toEqual([MAIN, MAIN]);
    await bench.engine.stop();
  });

  it('continues with the blocks after an unreadable block', async () => {
    const { bench } = await withThree();
    const [good, next] = await forge(bench, 3, 'next').many(2);
    const both = [
      bench.engine.addBlocks([{ ...good!, transactions: [UNREADABLE] }], 'sync'),
      bench.engine.addBlocks([good!, next!], 'relay'),
    ];
    expect((await Promise.all(both)).flat().map((result) => result.code)).toEqual([
      'DESERIALIZATION_FAILED',
      'ADDED_TO_MAIN',
      'ADDED_TO_MAIN',
    ]);
    await bench.engine.stop();
  });

  it('rejects a delivery over the hard size limit without parsing it', async () => {
    const { bench } = await withThree();
    const [block] = await forge(bench, 3, 'large').many(1);
    expect(await code(bench, { ...block!, transactions: [Buffer.alloc(100_001)] })).toEqual([
      'CUMULATIVE_BLOCK_SIZE_TOO_BIG',
    ]);
    expect(await code(bench, { ...block!, transactions: [Buffer.alloc(90_000)] })).toEqual(['DESERIALIZATION_FAILED']);
    await bench.engine.stop();
  });

  it('checks the block header before its transaction list, in the versions that checked no list', async () => {
    const { bench } = await withThree();
    const [raw] = await forge(bench, 3, 'list').many(1);
    const { block } = parseBlock(raw!.block);
    const late = encodeBlock({ ...block, timestamp: BigInt(NOW + 7201), transactionHashes: [Buffer.alloc(32, 1)] });
    expect(await code(bench, { block: late, transactions: [] })).toEqual(['TIMESTAMP_TOO_FAR_IN_FUTURE']);
    const listed = encodeBlock({ ...block, transactionHashes: [Buffer.alloc(32, 1)] });
    expect(await code(bench, { block: listed, transactions: [] })).toEqual(['TRANSACTION_INCONSISTENCY']);
    await bench.engine.stop();
  });
});
