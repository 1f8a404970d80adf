import type { RefusedSwitch } from '../src/chain/side-branches';
import { CorruptDatabase, databaseFile, openChainDb } from '@wrkz/chain-db';
import { networkOf, parseBlock, parseTransaction, type RawBlock } from '@wrkz/core-types';
import { createMemoryLogger } from '@wrkz/service-kit';
import { SqliteConnection } from '@wrkz/sqlite';
import { Forge, type ForgeOptions, TestWallet } from '@wrkz/testing';
import type { TipFacts } from '../src/chain/service';
import { DamageWatch } from '../src/damage/damage-watch';
import type { RpcContext } from '../src/rpc/context';
import { getblockheaderbyhash, getlastblockheader } from '../src/rpc/handlers/blocks';
import { P2pChain } from '../src/wiring/p2p-ports';
import { KNOWN, MAIN, SIDE, SWITCHED } from './support/codes';
import { type EngineBench, engineBench, NOW } from './support/engine';

const network = networkOf('simnet');
const START = NOW - 1_000_000;

/** A forge on block `fork` of the bench's main chain. */
function forge(bench: EngineBench, fork: number, name: string, extra: Partial<ForgeOptions> = {}): Forge {
  const timestamp = START + fork * 60 + 30;
  return new Forge(bench.reader.viewAt(fork), { network, timestamp, extraNonce: Buffer.from(name), ...extra });
}

async function grow(
  bench: EngineBench,
  count: number,
  name = 'main',
  extra: Partial<ForgeOptions> = {},
): Promise<RawBlock[]> {
  const blocks = await forge(bench, bench.engine.tip().height, name, extra).many(count);
  const results = await bench.engine.addBlocks(blocks, 'submit');
  expect(results.every(({ code }) => code === 'ADDED_TO_MAIN')).toBe(true);
  return blocks;
}

const codes = async (bench: EngineBench, blocks: RawBlock[]): Promise<string[]> =>
  (await bench.engine.addBlocks(blocks, 'sync')).map(({ code }) => code);

describe('reorganisation', () => {
  it('switches to the branch with more work, and not before it has more', async () => {
    const bench = engineBench('simnet');
    await grow(bench, 10);
    const lost = await bench.reader.rawBlocks(8, 11);
    const side = await forge(bench, 7, 'side').many(5);
    // Blocks 8, 9 and 10 have less or equal work: the main chain wins a tie.
    expect(await codes(bench, side)).toEqual([SIDE, SIDE, SIDE, SWITCHED, MAIN]);
    expect(bench.engine.tip().height).toBe(12);
    const [change] = bench.commits().filter(({ kind }) => kind === 'switch');
    expect(change).toMatchObject({ forkHeight: 7, source: 'sync' });
    expect(change?.added.map(({ height }) => height)).toEqual([8, 9, 10, 11]);
    expect(change?.removed.map(({ height }) => height)).toEqual([8, 9, 10]);
    expect(bench.engine.tip().alternativeCount).toBe(3);
    expect(await codes(bench, lost)).toEqual([KNOWN, KNOWN, KNOWN]);
    // The twin never saw the other branch.
    const twin = engineBench('simnet');
    await twin.engine.addBlocks(bench.reader.rawBlocks(1, 13), 'sync');
    expect(await bench.digest()).toBe(await twin.digest());
  });

  it('switches back to the first branch when that one grows again', async () => {
    const bench = engineBench('simnet');
    await grow(bench, 6);
    const first = forge(bench, 6, 'first');
    const second = forge(bench, 6, 'second');
    expect(await codes(bench, await first.many(2))).toEqual([MAIN, MAIN]);
    expect(await codes(bench, await second.many(3))).toEqual([SIDE, SIDE, SWITCHED]);
    expect(await codes(bench, await first.many(2))).toEqual([SIDE, SWITCHED]);
    expect(await codes(bench, await second.many(2))).toEqual([SIDE, SWITCHED]);
    expect(bench.engine.tip().height).toBe(11);
    await bench.digest();
  });

  it('verifies a branch on its own ancestors after a switch has removed them', async () => {
    const bench = engineBench('simnet');
    await grow(bench, 6);
    const third = await forge(bench, 5, 'third').many(3);
    expect(await codes(bench, third.slice(0, 1))).toEqual([SIDE]);
    expect(await codes(bench, await forge(bench, 4, 'second').many(3))).toEqual([SIDE, SIDE, SWITCHED]);
    // The third branch leaves block 5, which is no longer on the main chain.
    expect(await codes(bench, third.slice(1))).toEqual([SIDE, SWITCHED]);
    expect(bench.commits().at(-1)).toMatchObject({ kind: 'switch', forkHeight: 4 });
    await bench.digest();
  });

  it('reports the heights and headers of the blocks of both branches correctly after each switch', async () => {
    const bench = engineBench('simnet');
    await grow(bench, 4);
    const port = new P2pChain(bench.engine, bench.reader, {} as never, new DamageWatch(createMemoryLogger()));
    const branches = [forge(bench, 4, 'first'), forge(bench, 4, 'second')];
    const hashes = bench.reader.hashes(0, 5);
    const context = { reader: bench.reader } as RpcContext;
    const expectCurrent = async (): Promise<void> => {
      const tip = bench.reader.tip();
      expect(port.tip()).toEqual(tip);
      expect(await getlastblockheader.handle(context, undefined, {} as never)).toMatchObject({
        block_header: { hash: tip.hash.toString('hex'), height: tip.height, depth: 0, orphan_status: false },
      });
      for (const hash of hashes) {
        const main = bench.reader.hashes(0, tip.height + 1).findIndex((stored) => stored.equals(hash));
        const height = main < 0 ? bench.reader.alternative(hash)?.facts.height : main;
        expect(port.heightOf(hash)).toBe(main < 0 ? undefined : main);
        const header = await getblockheaderbyhash.handle(context, { hash: hash.toString('hex') }, {} as never);
        expect(header).toMatchObject({
          block_header: {
            hash: hash.toString('hex'),
            height,
            depth: tip.height - (height ?? NaN),
            orphan_status: main < 0,
          },
        });
      }
    };
    for (const [branch, count] of [
      [0, 1],
      [1, 1],
      [1, 1],
      [0, 1],
      [0, 1],
      [1, 3],
      [0, 4],
    ] as const) {
      for (const block of (await branches[branch]?.many(count)) ?? []) {
        await codes(bench, [block]);
        hashes.push(parseBlock(block.block).hash);
        await expectCurrent();
      }
    }
    expect(bench.commits().filter(({ kind }) => kind === 'switch')).toHaveLength(4);
  });

  it('retains side branches over a restart and can switch to them afterwards', async () => {
    const bench = engineBench('simnet');
    await grow(bench, 10);
    const side = await forge(bench, 5, 'side').many(6);
    expect(await codes(bench, side.slice(0, 5))).toEqual([SIDE, SIDE, SIDE, SIDE, SIDE]);
    await bench.engine.stop();
    const again = engineBench('simnet', { directory: bench.directory });
    expect(again.engine.tip()).toMatchObject({ height: 10, alternativeCount: 5 });
    expect(await codes(again, side.slice(5))).toEqual([SWITCHED]);
    expect(again.engine.tip().height).toBe(11);
    await again.digest();
  });

  it('drops a damaged stored block of a side branch with its descendants, and accepts them again', async () => {
    const bench = engineBench('simnet');
    await grow(bench, 10);
    const side = await forge(bench, 5, 'side').many(6);
    await codes(bench, side.slice(0, 5));
    await bench.engine.stop();
    const connection = new SqliteConnection(databaseFile(bench.directory));
    const damaged = parseBlock(side[1]!.block).hash.toString('hex');
    connection.exec(`UPDATE alternatives SET body = zeroblob(8) WHERE hash = x'${damaged}'`);
    connection.close();
    const again = engineBench('simnet', { directory: bench.directory });
    expect(again.engine.tip().alternativeCount).toBe(5);
    expect(() => again.reader.alternative(Buffer.from(damaged, 'hex'))).toThrow(CorruptDatabase);
    expect(await codes(again, side.slice(5))).toEqual(['REJECTED_AS_ORPHANED']);
    expect(again.reader.alternativeCount()).toBe(1);
    expect(await codes(again, side)).toEqual([KNOWN, SIDE, SIDE, SIDE, SIDE, SWITCHED]);
    await again.digest();
  });

  it('switches to a branch 180 deep and rejects one 181 deep, however heavy', async () => {
    const bench = engineBench('simnet');
    await grow(bench, 190);
    const refused: RefusedSwitch[] = [];
    bench.engine.on('refusedSwitch', (branch) => refused.push(branch));
    const deep = await forge(bench, 9, 'deep').many(3);
    expect(await codes(bench, deep)).toEqual(['REJECTED_AS_ORPHANED']);
    expect(refused).toMatchObject([
      {
        fork: 9,
        height: 10,
        reason: 'It would replace 181 blocks; at most 180 can be replaced',
        remedy: 'start the node once with --rewind-to-height 10',
      },
    ]);
    const edge = await forge(bench, 10, 'edge').many(181);
    expect(await codes(bench, edge)).toEqual([...Array<string>(180).fill(SIDE), SWITCHED]);
    expect(bench.engine.tip().height).toBe(191);
    expect(bench.commits().at(-1)?.removed).toHaveLength(180);
    expect(refused).toHaveLength(1);
    await bench.digest();
  });

  it('checks a side block against its own branch: a key image spent only on the main chain is unspent', async () => {
    const testWallet = new TestWallet('miner');
    const bench = engineBench('simnet');
    const blocks = await grow(bench, 50, 'main', { receiver: testWallet });
    const indexes = bench.reader.globalIndexes(5).map((entry) => entry.indexes);
    const output = testWallet.find(blocks[4]!, 5, indexes).at(-1)!;
    const spend = testWallet.spend(output, { fee: 10n });
    const main = forge(bench, 50, 'main');
    const holding = await main.next([spend]);
    expect(await codes(bench, [holding])).toEqual([MAIN]);
    expect(bench.reader.keyImageHeight(keyImageOf(spend))).toBe(51);

    // The same spend in the other branch, once; a second time it is a double spend there.
    const side = forge(bench, 50, 'side');
    const first = await side.next([spend]);
    const double = await forge(bench, 50, 'side').next([testWallet.spend(output, { fee: 20n })]);
    expect(await codes(bench, [first])).toEqual([SIDE]);
    expect(await codes(bench, [double])).toEqual([SIDE]);
    const second = await side.next();
    expect(await codes(bench, [second])).toEqual([SWITCHED]);
    const lost = bench.commits().at(-1)?.removed[0];
    expect(lost?.transactions).toEqual([spend]);
    await bench.digest();
  });

  it('parses a stored side branch although the size median that limited its transactions has decreased', async () => {
    const testWallet = new TestWallet('miner');
    const bench = engineBench('simnet');
    const blocks = await grow(bench, 51, 'main', { receiver: testWallet });
    const indexes = bench.reader.globalIndexes(5).map((entry) => entry.indexes);
    const spend = testWallet.spend(testWallet.find(blocks[4]!, 5, indexes).at(-1)!, { fee: 10n });
    const side = forge(bench, 50, 'side');
    expect(await codes(bench, [await side.next([spend])])).toEqual([SIDE]);
    const heavier = await side.next();
    await bench.engine.stop();

    const again = engineBench('simnet', { directory: bench.directory });
    const { state } = again.engine as unknown as { state: { currentTip: TipFacts } };
    state.currentTip = { ...state.currentTip, medianSize: 300 };
    expect(await codes(again, [heavier])).toEqual([SWITCHED]);
    await again.digest();
  });

  it('limits the transactions of a side branch by the median of the main chain, not by its own', async () => {
    const testWallet = new TestWallet('miner');
    const bench = engineBench('simnet');
    const blocks = await grow(bench, 51, 'main', { receiver: testWallet });
    const indexes = bench.reader.globalIndexes(5).map((entry) => entry.indexes);
    const spend = testWallet.spend(testWallet.find(blocks[4]!, 5, indexes).at(-1)!, { fee: 10n });
    const side = await forge(bench, 50, 'side').next([spend]);
    const { state } = bench.engine as unknown as { state: { currentTip: TipFacts } };
    const tip = bench.engine.tip();
    state.currentTip = { ...tip, medianSize: 300 };
    expect(await bench.engine.addBlocks([side], 'sync')).toMatchObject([
      { code: 'SIZE_TOO_LARGE', transactionHash: parseTransaction(spend).hash },
    ]);
    state.currentTip = tip;
    expect(await codes(bench, [side])).toEqual([SIDE]);
    await bench.digest();
  });

  it('retains a side branch with an invalid block up to that block', async () => {
    const bench = engineBench('simnet');
    await grow(bench, 10);
    const side = await forge(bench, 5, 'side').many(6);
    const bad = { ...side[3]!, transactions: [Buffer.from('no transaction')] };
    expect(await codes(bench, [...side.slice(0, 3), bad, ...side.slice(4)])).toEqual([
      SIDE,
      SIDE,
      SIDE,
      'DESERIALIZATION_FAILED',
    ]);
    expect(await codes(bench, side)).toEqual([KNOWN, KNOWN, KNOWN, SIDE, SIDE, SWITCHED]);
    await bench.digest();
  });

  it('drops branches that fork more than 180 below the tip', async () => {
    const bench = engineBench('simnet');
    await grow(bench, 10);
    expect(await codes(bench, await forge(bench, 5, 'side').many(2))).toEqual([SIDE, SIDE]);
    await grow(bench, 175);
    expect(bench.engine.tip()).toMatchObject({ height: 185, alternativeCount: 2 });
    await grow(bench, 1);
    expect(bench.engine.tip()).toMatchObject({ height: 186, alternativeCount: 0 });
    await bench.engine.stop();
    const db = openChainDb({ directory: bench.directory, network: 'simnet', readonly: true });
    expect(db.reader.alternativeCount()).toBe(0);
    db.close();
  });

  it('retains at most 50 side branches besides the heaviest', async () => {
    const bench = engineBench('simnet');
    await grow(bench, 10);
    for (let i = 0; i < 60; i++)
      expect(await codes(bench, await forge(bench, 7, `b${String(i)}`).many(1))).toEqual([SIDE]);
    expect(bench.engine.tip().alternativeCount).toBeLessThanOrEqual(52);
    await bench.digest();
  });

  it('rewinds, reports the removed blocks, and continues from there', async () => {
    const bench = engineBench('simnet');
    const blocks = await grow(bench, 10);
    await bench.engine.rewindTo(6);
    expect(bench.engine.tip().height).toBe(6);
    expect(bench.commits().at(-1)).toMatchObject({ kind: 'switch', source: 'rewind', forkHeight: 6, added: [] });
    expect(
      bench
        .commits()
        .at(-1)
        ?.removed.map(({ height }) => height),
    ).toEqual([7, 8, 9, 10]);
    await expect(bench.engine.rewindTo(7)).rejects.toThrow(RangeError);
    expect(await codes(bench, blocks.slice(6))).toEqual([MAIN, MAIN, MAIN, MAIN]);
    const twin = engineBench('simnet');
    await twin.engine.addBlocks(blocks, 'sync');
    expect(await bench.digest()).toBe(await twin.digest());
  });

  it('does not extend a branch that leaves a block which a rewind has removed', async () => {
    const bench = engineBench('simnet');
    await grow(bench, 6);
    const side = await forge(bench, 5, 'side').many(2);
    expect(await codes(bench, side.slice(0, 1))).toEqual([SIDE]);
    await bench.engine.rewindTo(4);
    expect(await codes(bench, side.slice(1))).toEqual(['REJECTED_AS_ORPHANED']);
    await grow(bench, 1);
    await bench.digest();
  });

  it('changes nothing in a rewind to the tip, and rejects a height outside of the chain', async () => {
    const bench = engineBench('simnet');
    await grow(bench, 3);
    const before = bench.events.length;
    await bench.engine.rewindTo(3);
    expect(bench.engine.tip().height).toBe(3);
    expect(bench.events).toHaveLength(before);
    for (const height of [4, -1, 1.5, NaN]) await expect(bench.engine.rewindTo(height)).rejects.toThrow(RangeError);
    await bench.engine.rewindTo(0);
    expect(bench.engine.tip().height).toBe(0);
    await bench.digest();
  });
});

function keyImageOf(transaction: Buffer): Buffer {
  const [input] = parseTransaction(transaction).transaction.inputs;
  if (input?.type !== 'key') throw new Error('it spends nothing');
  return input.keyImage;
}
