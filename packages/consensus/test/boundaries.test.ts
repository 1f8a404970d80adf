import { encodeBlock, encodeTransaction, parseBlock, type Block, type ParsedTransaction } from '@wrkz/core-types';
import {
  BranchView,
  checkBlock,
  genesisView,
  hardSizeLimit,
  lwmaDifficulty,
  RuleFailure,
  transactionSizeLimit,
  type BlockContext,
} from '@wrkz/consensus';
import { blockAt, branchTo, contextOn, devnet, NOW, type ParsedPair } from './chain-a';
import { accepts, refuses, type Verdict } from './refuses';
import { unsigned } from './wallet';

/*
 * The last allowed and the first refused value of each rule, as literal numbers. A block or transaction that passes the rule
 * here is refused by a later rule, or accepted.
 */

const TIP = 719;
let view: BranchView;
beforeAll(() => {
  view = branchTo(TIP);
});

const judge = (pair: ParsedPair, change: Partial<BlockContext> = {}): Promise<Verdict> =>
  checkBlock(pair.block, pair.transactions, contextOn(view, change));

function changed(change: Partial<Block>, transactions?: readonly ParsedTransaction[]): ParsedPair {
  const { block, transactions: own } = blockAt(TIP + 1);
  return { block: parseBlock(encodeBlock({ ...block.block, ...change })), transactions: transactions ?? own };
}

describe('the hard size', () => {
  test('is 100,000 bytes and grows by 102,400 in 525,600 blocks', () => {
    expect([0, 5, 6, 525_599, 525_600, 4_200_000].map(hardSizeLimit)).toEqual([
      100_000, 100_000, 100_001, 202_399, 202_400, 918_264,
    ]);
  });

  /** Block 720 with one transaction and the cumulative size `size`. */
  const ofSize = (size: number): ParsedPair => {
    const coinbase = encodeTransaction(blockAt(TIP + 1).block.block.coinbase).length;
    const empty = { version: 1, unlockTime: 0n, inputs: [], outputs: [] } as const;
    const bare = size - coinbase - 6;
    const bulk = [-3, -2, -1, 0, 1, 2, 3]
      .map((more) => unsigned({ ...empty, extra: Buffer.alloc(bare + more) }))
      .find((transaction) => transaction.size === size - coinbase);
    return changed({}, [bulk!]);
  };
  const limit = 100_140; // of index 720

  refuses('TRANSACTION_INCONSISTENCY', 'a block of exactly the hard size passes the size check', () =>
    judge(ofSize(limit)),
  );
  refuses('CUMULATIVE_BLOCK_SIZE_TOO_BIG', 'a block of one more byte does not', () => judge(ofSize(limit + 1)));
});

describe('the timestamp', () => {
  const at = (seconds: number): Promise<Verdict> => judge(changed({ timestamp: BigInt(NOW + seconds) }));
  refuses('PROOF_OF_WORK_TOO_WEAK', 'a timestamp 360 seconds ahead is allowed', () => at(360));
  refuses('TIMESTAMP_TOO_FAR_IN_FUTURE', 'a timestamp 361 seconds ahead is not', () => at(361));
});

describe('the parent block', () => {
  /** Block 720 with a parent of this number of bytes. */
  const withParent = (size: number): ParsedPair => {
    const { parentBlock } = blockAt(TIP + 1).block.block;
    const { baseTransaction } = parentBlock!;
    // Length fields before the padding grow by some bytes with it.
    for (let more = size - blockAt(TIP + 1).block.parentSize - 4; ; more++) {
      const extra = Buffer.concat([baseTransaction.extra, Buffer.alloc(more, 9)]);
      const pair = changed({ parentBlock: { ...parentBlock!, baseTransaction: { ...baseTransaction, extra } } });
      if (pair.block.parentSize >= size) {
        expect(pair.block.parentSize).toBe(size);
        return pair;
      }
    }
  };
  test.each([[2048], [2049]])('a parent of %i bytes can be made', (size) => void withParent(size));
  // The parent still commits to the block, but its changed bytes have another hash.
  refuses('PROOF_OF_WORK_TOO_WEAK', 'may have 2048 bytes', () => judge(withParent(2048)));
  refuses('PARENT_BLOCK_SIZE_TOO_BIG', 'must not have 2049 bytes', () => judge(withParent(2049)));
});

describe('a transaction', () => {
  test('has at most twice the median less 600 bytes', () => {
    expect([700, 20_000, 100_000].map(transactionSizeLimit)).toEqual([800, 39_400, 199_400]);
  });
  // Block 720 has one transaction; the median is computed from its size.
  const { size } = blockAt(TIP + 1).transactions[0]!;

  accepts('a transaction of the maximum size', () => judge(blockAt(TIP + 1), { mainMedianSize: (size + 600) / 2 }));
  refuses('SIZE_TOO_LARGE', 'a transaction of one more byte', () =>
    judge(blockAt(TIP + 1), { mainMedianSize: (size + 599) / 2 }),
  );
  test('that is too large has its error text', () => {
    expect(new RuleFailure('SIZE_TOO_LARGE').message).toBe('Transaction is too large (in bytes)');
  });
});

describe('three fast blocks', () => {
  /** The difficulty after 57 solve times of 60 seconds and these three. */
  const after = (...lastThree: number[]): bigint => {
    const solveTimes = [...Array<number>(57).fill(60), ...lastThree];
    const timestamps = [1_700_000_000];
    for (const time of solveTimes) timestamps.push(timestamps.at(-1)! + time);
    return lwmaDifficulty(
      'lwma5',
      timestamps,
      timestamps.map((_, i) => BigInt(i) * 1_000_000n),
    );
  };

  test('raise the difficulty when they took less than 48 seconds together', () => {
    expect(after(16, 16, 15)).toBe(1_080_000n);
    expect(after(16, 16, 16)).toBeLessThan(1_080_000n);
    expect(after(48, 0, 0)).toBeLessThan(1_080_000n);
    expect(after(60, -30, 17)).toBe(1_080_000n);
  });
});

describe('a coinbase of two inputs', () => {
  const both = (height: number, at: number): ParsedPair => {
    const { block } = blockAt(at).block;
    const inputs = [
      { type: 'base' as const, height },
      { type: 'base' as const, height },
    ];
    const coinbase = { ...block.coinbase, inputs, signatures: [Buffer.alloc(0), Buffer.alloc(0)] };
    return { block: parseBlock(encodeBlock({ ...block, coinbase })), transactions: [] };
  };
  refuses('WRONG_VERSION', 'claims height 0, regardless of the heights of both inputs', () =>
    judge(both(TIP + 1, TIP + 1)),
  );
  refuses('INPUT_WRONG_COUNT', 'is refused at a height with the version of height 0', () =>
    judge(both(1, 1), { view: new BranchView(genesisView(devnet)) }),
  );
});
