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
 * The last value that a rule allows and the first that it does not, with the numbers written out. What a rule lets pass
 * here is refused by a later one, or not at all.
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

  /** Block 720 with one transaction, the block's cumulative size being `size`. */
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

  refuses('TRANSACTION_INCONSISTENCY', 'a block of just the hard size comes further', () => judge(ofSize(limit)));
  refuses('CUMULATIVE_BLOCK_SIZE_TOO_BIG', 'a byte more does not', () => judge(ofSize(limit + 1)));
});

describe('the timestamp', () => {
  const at = (seconds: number): Promise<Verdict> => judge(changed({ timestamp: BigInt(NOW + seconds) }));
  refuses('PROOF_OF_WORK_TOO_WEAK', '360 seconds ahead are allowed', () => at(360));
  refuses('TIMESTAMP_TOO_FAR_IN_FUTURE', '361 are not', () => at(361));
});

describe('the parent block', () => {
  /** Block 720 with a parent of that many bytes. */
  const withParent = (size: number): ParsedPair => {
    const { parentBlock } = blockAt(TIP + 1).block.block;
    const { baseTransaction } = parentBlock!;
    // Lengths before the padding grow with it by some bytes.
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
  // Its commitment still stands, but the work is another's.
  refuses('PROOF_OF_WORK_TOO_WEAK', 'has 2048 bytes at most', () => judge(withParent(2048)));
  refuses('PARENT_BLOCK_SIZE_TOO_BIG', 'and not 2049', () => judge(withParent(2049)));
});

describe('a transaction', () => {
  test('has at most twice the median less 600 bytes', () => {
    expect([700, 20_000, 100_000].map(transactionSizeLimit)).toEqual([800, 39_400, 199_400]);
  });
  // Block 720 spends in one transaction, whose size the median is fitted to.
  const { size } = blockAt(TIP + 1).transactions[0]!;

  accepts('as large as the limit allows', () => judge(blockAt(TIP + 1), { mainMedianSize: (size + 600) / 2 }));
  refuses('SIZE_TOO_LARGE', 'a byte over it', () => judge(blockAt(TIP + 1), { mainMedianSize: (size + 599) / 2 }));
  test('that is too large has its error text', () => {
    expect(new RuleFailure('SIZE_TOO_LARGE').message).toBe('Transaction is too large (in bytes)');
  });
});

describe('three fast blocks', () => {
  /** 60 solve times of 60 seconds, but the last three as given. */
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
  refuses('WRONG_VERSION', 'claims height 0, whatever both say', () => judge(both(TIP + 1, TIP + 1)));
  refuses('INPUT_WRONG_COUNT', 'is refused where that is the right version', () =>
    judge(both(1, 1), { view: new BranchView(genesisView(devnet)) }),
  );
});
