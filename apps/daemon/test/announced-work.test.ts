import { Checkpoints, hardSizeLimit } from '@wrkz/consensus';
import { encodeBlock, encodeTransaction, networkOf, parseBlock } from '@wrkz/core-types';
import { AnnouncedWork, largestBlock, transactionsOfBlock } from '../src/chain/announced-work';
import { chainA } from '@wrkz/testing';
import { type NodeBench, nodeBench } from './support/node';

describe('the proof of work of an announced block', () => {
  let bench: NodeBench;
  let good: Buffer;
  let earlier: Buffer;
  beforeAll(async () => {
    // Two chains of the same miner: the additional blocks of the second are announced to the first.
    bench = nodeBench('devnet');
    const other = nodeBench('devnet');
    await other.mine(3);
    for (let height = 1; height <= 2; height += 1) {
      await bench.engine.addBlocks([other.reader.rawBlock(height)!], 'sync');
    }
    good = other.reader.rawBlock(3)!.block;
    earlier = other.reader.rawBlock(2)!.block;
  });

  const work = (checkpoints = Checkpoints.none): AnnouncedWork =>
    new AnnouncedWork(networkOf('devnet'), checkpoints, bench.reader);

  /** The block with another nonce, one that does not meet the difficulty. */
  async function worthless(bytes: Buffer): Promise<Buffer> {
    const { block } = parseBlock(bytes);
    for (let nonce = 0; ; nonce += 1) {
      const changed = encodeBlock({ ...block, nonce });
      if ((await work().judge(changed)) === 'fails') return changed;
    }
  }

  it('is valid for a block on the tip and for one on its parent', async () => {
    expect(await work().judge(good)).toBe('holds');
    expect(await work().judge(earlier)).toBe('holds');
  });

  it('is invalid if the hash does not meet the difficulty, on the tip and below it', async () => {
    expect(await work().judge(await worthless(good))).toBe('fails');
    expect(await work().judge(await worthless(earlier))).toBe('fails');
  });

  it('is checked on a side branch, too, against a lower bound of the difficulty', async () => {
    const branch = nodeBench('devnet');
    await branch.mine(2);
    const [first, second] = [branch.reader.rawBlock(1)!, branch.reader.rawBlock(2)!];
    expect(await bench.engine.addBlocks([first], 'relay')).toMatchObject([{ code: 'ADDED_TO_ALTERNATIVE' }]);
    expect(await work().judge(second.block)).toBe('holds');
    const { block } = parseBlock(second.block);
    const others = Array.from({ length: 100 }, (_, nonce) => encodeBlock({ ...block, nonce }));
    const verdicts = await Promise.all(others.map((bytes) => work().judge(bytes)));
    expect(verdicts).toContain('fails');
    const zone = new Checkpoints(new Map([[2, Buffer.alloc(32)]]));
    expect(await work(zone).judge(others[verdicts.indexOf('fails')]!)).toBe('holds');
  });

  it('is checked against one chain state: a reorganisation between two reads does not change the difficulty', async () => {
    let inside = false;
    const { reader } = bench;
    const looked: boolean[] = [];
    const seen = <T>(value: T): T => (looked.push(inside), value);
    const watched = {
      snapshot<T>(read: () => T): T {
        inside = true;
        try {
          return reader.snapshot(read);
        } finally {
          inside = false;
        }
      },
      alternativeInfo: (hash: Buffer) => seen(reader.alternativeInfo(hash)),
      heightOf: (hash: Buffer) => seen(reader.heightOf(hash)),
      height: () => seen(reader.height()),
      facts: (height: number) => seen(reader.facts(height)),
      viewAt: (height: number) => seen(reader.viewAt(height)),
    };
    const judge = new AnnouncedWork(networkOf('devnet'), Checkpoints.none, watched);
    expect(await judge.judge(good)).toBe('holds');
    expect(looked.length).toBeGreaterThan(2);
    expect(looked).not.toContain(false);
  });

  it('is invalid if the parent does not commit to the block', async () => {
    const { block } = parseBlock(good);
    const changed = encodeBlock({ ...block, transactionHashes: [Buffer.alloc(32, 1)] });
    expect(await work().judge(changed)).toBe('fails');
  });

  it('is not checked if checkpoints cover it, the parent is unknown, or the block cannot be added', async () => {
    const bad = await worthless(good);
    const zone = new Checkpoints(new Map([[3, Buffer.alloc(32)]]));
    expect(await work(zone).judge(bad)).toBe('holds');
    const { block } = parseBlock(good);
    expect(await work().judge(encodeBlock({ ...block, previousHash: Buffer.alloc(32, 9) }))).toBe('holds');
    const from = (height: number): AnnouncedWork => {
      const looks = { heightOf: () => 10, height: () => height, facts: () => undefined, viewAt: () => undefined };
      const reader = { ...looks, snapshot: <T>(read: () => T): T => read() };
      return new AnnouncedWork(networkOf('devnet'), zone, reader as never);
    };
    expect([await from(191).judge(bad), await from(191).judge(good)]).toEqual(['deep', 'deep']);
    await expect(from(190).judge(good)).resolves.not.toBe('deep');
  });
});

describe('the maximum transaction count of an announced block', () => {
  it('is the number of minimal transactions that fit the hard size limit', () => {
    const smallest = encodeTransaction({
      version: 1,
      unlockTime: 0n,
      inputs: [{ type: 'key', amount: 1n, keyOffsets: [1], keyImage: Buffer.alloc(32, 1) }],
      outputs: [],
      extra: Buffer.alloc(0),
      signatures: [Buffer.alloc(64)],
    });
    expect(smallest).toHaveLength(105);
    for (const height of [0, 1_000_000, 4_500_000]) {
      const most = transactionsOfBlock(height);
      expect(most * smallest.length).toBeLessThanOrEqual(hardSizeLimit(height));
      expect((most + 1) * smallest.length).toBeGreaterThan(hardSizeLimit(height));
    }
  });

  it('bounds the size of the block template; every recorded block is smaller', () => {
    expect(largestBlock(4_500_000)).toBe(128 + 2048 + 976_712 + 32 * 9_302);
    expect(Math.max(...chainA().map(({ block }) => block.length))).toBeLessThan(largestBlock(0));
  });
});
