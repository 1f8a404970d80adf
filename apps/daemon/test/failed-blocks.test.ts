import { sealParent, type Template } from '@wrkz/consensus';
import {
  decodeBlock,
  encodeBlock,
  encodeTransaction,
  networkOf,
  parseTransaction,
  powInput,
  powNonceOffset,
} from '@wrkz/core-types';
import { checkHash, powHash, searchNonce } from '@wrkz/crypto';
import { chainA } from '@wrkz/testing';
import { NOW } from './support/engine';
import { type NodeBench, nodeBench } from './support/node';

/*
 * A transaction that a block was refused for must not be mined again and again
 * (docs/protocol/lessons.md#templates-that-are-refused).
 */

/** Seconds from the clock to an unlock time: 15 blocks, and one more. */
const LOCK = 960;

const mined = async ({
  block,
  height,
  difficulty,
}: Pick<Template, 'block' | 'height' | 'difficulty'>): Promise<Buffer> => {
  const sealed = sealParent(block);
  const found = await searchNonce({
    algorithm: networkOf('devnet').rulesAt(height).powAlgorithm,
    data: powInput(sealed),
    nonceOffset: powNonceOffset(sealed),
    nonceSize: 4,
    difficulty,
  });
  return encodeBlock({ ...sealed, nonce: Number(found!.nonce) });
};

describe('a transaction whose unlock time is long enough on the tip, but too short in a later block', () => {
  let bench: NodeBench;
  let locked: Buffer;
  let spend: (unlockTime: number) => Buffer;

  beforeEach(async () => {
    bench = nodeBench('devnet');
    await bench.engine.addBlocks(chainA().slice(1, 161), 'import');
    await bench.mine(45, bench.reader.tip().timestamp + 60);
    const [own, other] = [bench.coinbaseOutput(161), bench.coinbaseOutput(162)];
    const { timestamp } = bench.reader.tip();
    spend = (unlockTime) =>
      bench.testWallet.spend(own, {
        fee: 20_000n,
        unlockTime: BigInt(unlockTime),
        decoys: [{ index: other.globalIndex, key: other.publicKey }],
      });
    bench.clock.now = timestamp;
    locked = spend(timestamp + LOCK);
    expect(await bench.pool.add(locked, 'rpc')).toMatchObject({ accepted: true });
    bench.clock.now = timestamp + LOCK - 900;
  });
  afterEach(() => bench.digest());

  it('is accepted if a block on this tip may contain it, although templates omit it', async () => {
    const { pool, reader } = bench;
    const { height } = reader.tip();
    for (const hash of pool.hashes()) pool.remove(hash, 'NotActual');
    expect(await pool.add(spend(height + 15), 'rpc')).toMatchObject({ accepted: true });
    expect((await blockOf()).transactionHashes).toEqual([]);
    expect(await pool.add(spend(height + 16), 'rpc')).toMatchObject({ accepted: true });
    expect((await blockOf()).transactionHashes).toHaveLength(1);
  });

  it('leaves the pool within a minute after no template can contain it', async () => {
    const { pool, clock } = bench;
    await pool.sweep();
    expect(pool.size).toBe(1);
    clock.now += 1;
    await pool.sweep();
    expect(pool.size).toBe(0);
  });

  const blockOf = async (): Promise<ReturnType<typeof decodeBlock>> =>
    decodeBlock((await bench.miner.template(bench.testWallet, Buffer.alloc(0))).blob);

  it('is in a template of that second, and not in later ones', async () => {
    expect((await blockOf()).transactionHashes).toHaveLength(1);
    bench.clock.now += 1;
    expect((await blockOf()).transactionHashes).toEqual([]);
    expect(bench.pool.size).toBe(1);
  });

  it('leaves the pool when the block of a miner with a later clock is rejected because of it', async () => {
    const template = await bench.miner.build(bench.testWallet, Buffer.alloc(0), bench.clock.now);
    const block = { ...template.block, timestamp: template.block.timestamp + 1n };
    expect(await bench.miner.submit(await mined({ ...template, block }))).toMatchObject({
      code: 'UNLOCK_TIME_TOO_SMALL',
    });
    expect(bench.pool.size).toBe(0);
    bench.clock.now = NOW;
    await bench.mine(1, bench.reader.tip().timestamp + 60);
  });

  it('stays when that block is on a side branch, since templates extend another block', async () => {
    const { miner, testWallet, clock } = bench;
    const withIt = await miner.build(testWallet, Buffer.alloc(0), clock.now);
    const without = await miner.build(testWallet, Buffer.alloc(0), clock.now + 1);
    const at = ({ block }: Template, time: number) => ({ ...block, timestamp: BigInt(time) });
    const best = await mined({ ...without, block: at(without, clock.now) });
    expect(await miner.submit(best)).toMatchObject({ code: 'ADDED_TO_MAIN' });
    const late = await mined({ ...withIt, block: at(withIt, clock.now + 1) });
    expect(await miner.submit(late)).toMatchObject({ code: 'UNLOCK_TIME_TOO_SMALL' });
    expect(bench.pool.size).toBe(1);
  });

  it('stays when the block has no proof of work, and a mined block with it is accepted', async () => {
    const template = await bench.miner.build(bench.testWallet, Buffer.alloc(0), bench.clock.now);
    let later = sealParent({ ...template.block, timestamp: template.block.timestamp + 1n });
    const algorithm = networkOf('devnet').rulesAt(template.height).powAlgorithm;
    // A few nonces have one.
    while (checkHash(powHash(algorithm, powInput(later)), template.difficulty))
      later = { ...later, nonce: later.nonce + 1 };
    expect(await bench.miner.submit(encodeBlock(later))).toMatchObject({ code: 'UNLOCK_TIME_TOO_SMALL' });
    expect(await bench.miner.submit(await mined(template))).toMatchObject({ code: 'ADDED_TO_MAIN' });
  });

  it('stays when the block is rejected for another reason, or has another parent', async () => {
    const block = await blockOf();
    expect(await bench.miner.submit(encodeBlock(block))).toMatchObject({ code: 'PROOF_OF_WORK_TOO_WEAK' });
    const [parent] = bench.reader.factsRange(bench.reader.tip().height - 1, bench.reader.tip().height);
    if (parent === undefined) throw new Error('the chain is too short');
    const height = parent.height + 1;
    const coinbase = {
      ...block.coinbase,
      inputs: [{ type: 'base' as const, height }],
      unlockTime: BigInt(height + 40),
    };
    const elsewhere = { ...block, previousHash: parent.hash, coinbase, timestamp: block.timestamp + 1n };
    expect(await bench.miner.submit(encodeBlock(elsewhere))).toMatchObject({ code: 'UNLOCK_TIME_TOO_SMALL' });
    expect(bench.pool.size).toBe(1);
  });
});

describe('a transaction that spends an output with a time lock', () => {
  it('is in no template while a lower timestamp of the tip locks the output again', async () => {
    const bench = nodeBench('devnet');
    try {
      await bench.engine.addBlocks(chainA().slice(1, 161), 'import');
      await bench.mine(45, bench.reader.tip().timestamp + 60);
      const { height, timestamp } = bench.reader.tip();
      const lockedUntil = timestamp + 3_600;
      const [own, other] = [bench.coinbaseOutput(161), bench.coinbaseOutput(162)];
      const half = (own.amount - 20_000n) / 2n;
      const locking = bench.testWallet.spend(own, {
        fee: own.amount - 2n * half,
        amounts: [half, half],
        unlockTime: BigInt(lockedUntil),
        decoys: [{ index: other.globalIndex, key: other.publicKey }],
      });
      bench.clock.now = timestamp;
      expect(await bench.pool.add(locking, 'rpc')).toMatchObject({ accepted: true });
      bench.clock.now = NOW;
      await bench.mine(60, timestamp + 60);
      const indexes = bench.reader.globalIndexes(height + 1).map((one) => one.indexes);
      const found = bench.testWallet.find(bench.reader.rawBlock(height + 1)!, height + 1, indexes);
      const [output, decoy] = found.filter(({ amount }) => amount === half);
      if (output === undefined || decoy === undefined) throw new Error('the locked outputs are not in the block');

      // Another miner built this block before the transaction was in the pool, by a clock that is behind that of the tip.
      const earlier = await bench.miner.build(bench.testWallet, Buffer.alloc(0), lockedUntil - 120);
      const spending = bench.testWallet.spend(output, {
        fee: 20_000n,
        unlockTime: BigInt(height + 200),
        decoys: [{ index: decoy.globalIndex, key: decoy.publicKey }],
      });
      expect(await bench.pool.add(spending, 'rpc')).toMatchObject({ accepted: true });
      expect(await bench.miner.add({ block: await mined(earlier), transactions: [] })).toMatchObject({
        code: 'ADDED_TO_MAIN',
      });
      expect(bench.pool.size).toBe(1);
      await bench.mine(1, lockedUntil);
      expect(bench.pool.size).toBe(1);
      // That block has unlocked the output.
      await bench.mine(1, lockedUntil);
      expect(bench.pool.size).toBe(0);
    } finally {
      await bench.digest();
    }
  });
});

describe('a transaction that fails several rules', () => {
  it('gets the reason of the reference over RPC; for others its proofs are not checked', async () => {
    const bench = nodeBench('devnet');
    try {
      await bench.engine.addBlocks(chainA().slice(1, 161), 'import');
      await bench.mine(45, bench.reader.tip().timestamp + 60);
      const [own, other] = [bench.coinbaseOutput(161), bench.coinbaseOutput(162)];
      const unlockTime = BigInt(bench.reader.tip().height + 100);
      const decoys = [{ index: other.globalIndex, key: other.publicKey }];
      expect(
        await bench.pool.add(bench.testWallet.spend(own, { fee: 20_000n, unlockTime, decoys }), 'rpc'),
      ).toMatchObject({ accepted: true });
      await bench.mine(1, bench.reader.tip().timestamp + 60);
      const { transaction } = parseTransaction(bench.testWallet.spend(own, { fee: 30_000n, unlockTime, decoys }));
      // The key image is spent, and an output is not a point of the curve.
      const notAPoint = Buffer.alloc(32, 0xff);
      const bytes = encodeTransaction({
        ...transaction,
        outputs: transaction.outputs.map(({ amount }) => ({ amount, key: notAPoint })),
      });
      expect(await bench.pool.add(bytes, 'rpc')).toMatchObject({ code: 'OUTPUT_INVALID_KEY', scope: 'everywhere' });
      expect(await bench.pool.add(bytes, 'p2p')).toMatchObject({
        code: 'INPUT_KEYIMAGE_ALREADY_SPENT',
        scope: 'here',
      });
    } finally {
      await bench.digest();
    }
  });
});
