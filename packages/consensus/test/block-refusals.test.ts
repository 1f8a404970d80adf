import {
  encodeBlock,
  networkOf,
  parseBlock,
  type Block,
  type ParsedBlock,
  type ParsedTransaction,
  type Transaction,
} from '@wrkz/core-types';
import { checkHash, powHash } from '@wrkz/crypto';
import {
  BranchView,
  Checkpoints,
  checkBlock,
  genesisBlock,
  genesisView,
  parseBlockOrRefuse,
  parseTransactionsOrRefuse,
  RuleFailure,
  runProofs,
  sealParent,
  stageBlock,
  verifyBlock,
  type BlockContext,
  type BlockFacts,
  type ChainView,
} from '@wrkz/consensus';
import { NOW, blockAt, branchTo, contextOn, devnet, stageGood, type ParsedPair } from './chain-a';
import { accepts, refuses, type Verdict } from './refuses';
import { unsigned } from './wallet';

/*
 * Every reason to refuse a block. Most cases change one field of block 720 of chain A. Later rules are never reached, so the
 * proof of work is not repeated.
 */

const TIP = 719;
const NO_POINT = Buffer.from('edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', 'hex');

let view: BranchView;
beforeAll(() => {
  view = branchTo(TIP);
});

const judge = (pair: ParsedPair, change: Partial<BlockContext> = {}): Promise<Verdict> =>
  checkBlock(pair.block, pair.transactions, contextOn(view, change));

const rebuilt = (block: Block): ParsedBlock => parseBlock(encodeBlock(block));

/** Block 720 with changed fields. */
function changed(change: Partial<Block>, transactions?: readonly ParsedTransaction[]): ParsedPair {
  const { block, transactions: own } = blockAt(TIP + 1);
  return { block: rebuilt({ ...block.block, ...change }), transactions: transactions ?? own };
}

const coinbase = (change: Partial<Transaction>): ParsedPair =>
  changed({ coinbase: { ...blockAt(TIP + 1).block.block.coinbase, ...change } });

const output = (amount: bigint, key?: Buffer) => ({
  amount,
  key: key ?? blockAt(TIP + 1).block.block.coinbase.outputs[0]!.key,
});

/** An invalid transaction with this number of bytes of extra. */
const bulk = (size: number): ParsedTransaction =>
  unsigned({ version: 1, unlockTime: 0n, inputs: [], outputs: [], extra: Buffer.alloc(size) });

describe('on chain A', () => {
  accepts('the unchanged block 720', () => judge(blockAt(TIP + 1)));
  test('a verified block has its fees, and reports whether its proofs were skipped', async () => {
    const { hash } = blockAt(TIP + 1).block;
    const trusted = new Checkpoints(new Map([[TIP + 1, hash]]));
    const [checked, listed] = [await judge(blockAt(TIP + 1)), await judge(blockAt(TIP + 1), { checkpoints: trusted })];
    const { fees } = stageGood(blockAt(TIP + 1), contextOn(view));
    expect(fees).toBeGreaterThan(0n);
    expect(checked).toMatchObject({ fees, checkpointed: false });
    expect(listed).toMatchObject({ fees, checkpointed: true });
    expect(genesisBlock(devnet)).toMatchObject({ transactions: [], fees: 0n, checkpointed: false });
  });

  test('DESERIALIZATION_FAILED: bytes that are not a block, or not a transaction', () => {
    const { block, transactions } = blockAt(TIP + 1);
    expect(parseBlockOrRefuse(block.bytes)).not.toBeInstanceOf(RuleFailure);
    expect(parseTransactionsOrRefuse(transactions.map((one) => one.bytes))).toHaveLength(transactions.length);
  });
  refuses('DESERIALIZATION_FAILED', 'a truncated block', () =>
    refusal(parseBlockOrRefuse(blockAt(TIP + 1).block.bytes.subarray(0, -1))),
  );
  test('unreadable bytes are rejected with the reason; other errors are rethrown', () => {
    expect(parseBlockOrRefuse(Buffer.alloc(0))).toMatchObject({ detail: expect.stringMatching(/./) as string });
    expect(() => parseBlockOrRefuse(undefined as never)).toThrow(TypeError);
  });
  refuses('DESERIALIZATION_FAILED', 'a transaction with a surplus byte', () =>
    refusal(parseTransactionsOrRefuse([Buffer.concat([blockAt(TIP + 1).transactions[0]!.bytes, Buffer.alloc(1)])])),
  );
  refuses('REJECTED_AS_ORPHANED', 'another parent', () => judge(changed({ previousHash: Buffer.alloc(32, 1) })));
  refuses('REJECTED_AS_ORPHANED', 'a block two above the tip', () =>
    judge(blockAt(TIP + 1), { view: branchTo(TIP - 1) }),
  );

  refuses('CUMULATIVE_BLOCK_SIZE_TOO_BIG', 'a block above the hard size of its index', () =>
    judge(changed({}, [bulk(100_200)])),
  );
  refuses('WRONG_VERSION', 'the version of another range of heights', () => judge(changed({ majorVersion: 6 })));
  refuses('WRONG_VERSION', 'the coinbase claims a height with another version', () =>
    judge(coinbase({ inputs: [{ type: 'base', height: 100 }] })),
  );
  refuses('WRONG_VERSION', 'a coinbase without a base input claims height 0', () =>
    judge(coinbase({ inputs: [], signatures: [] })),
  );
  refuses('PARENT_BLOCK_SIZE_TOO_BIG', 'a parent block of more than 2048 bytes', () => {
    const { parentBlock } = blockAt(TIP + 1).block.block;
    const { baseTransaction } = parentBlock!;
    const extra = Buffer.concat([baseTransaction.extra, Buffer.alloc(2048, 9)]);
    return judge(changed({ parentBlock: { ...parentBlock!, baseTransaction: { ...baseTransaction, extra } } }));
  });
  refuses('PARENT_BLOCK_WRONG_VERSION', 'a version 2 block with a parent of version 2', () => {
    const { block } = blockAt(2).block;
    const parent = rebuilt({ ...block, parentBlock: { ...block.parentBlock!, majorVersion: 2 } });
    return judge({ block: parent, transactions: [] }, { view: branchTo(1) });
  });
  refuses('PROOF_OF_WORK_TOO_WEAK', 'a version 2 block may have a parent of version 1', () => {
    const { block } = blockAt(2).block;
    const parent = rebuilt({ ...block, parentBlock: { ...block.parentBlock!, majorVersion: 1, minorVersion: 9 } });
    return judge({ block: parent, transactions: [] }, { view: branchTo(1) });
  });
  refuses('TIMESTAMP_TOO_FAR_IN_FUTURE', '361 seconds ahead of the clock', () =>
    judge(changed({ timestamp: BigInt(NOW + 361) })),
  );
  refuses('TIMESTAMP_TOO_FAR_IN_FUTURE', 'a timestamp of 2^64 - 1', () =>
    judge(changed({ timestamp: (1n << 64n) - 1n })),
  );
  refuses('TIMESTAMP_TOO_FAR_IN_PAST', 'a timestamp one second below the median of eleven', () =>
    judge(changed({ timestamp: BigInt(medianOfEleven() - 1) })),
  );
  refuses('PROOF_OF_WORK_TOO_WEAK', 'a timestamp equal to the median is allowed', () =>
    judge(changed({ timestamp: BigInt(medianOfEleven()) })),
  );

  /** Block 720 on a view in which every output is locked until this time. */
  const spendingLocked = (until: number): Promise<Verdict> => {
    const locked = Object.assign(Object.create(view) as BranchView, {
      output: (...place: Parameters<BranchView['output']>) => ({
        ...view.output(...place)!,
        unlockTime: BigInt(until),
      }),
    });
    return judge(blockAt(TIP + 1), { view: locked });
  };
  test('unlock times are compared with the timestamp of the parent, not of the block', () => {
    expect(Number(blockAt(TIP + 1).block.block.timestamp)).toBeGreaterThan(view.facts(TIP).timestamp);
    expect(blockAt(TIP + 1).transactions).not.toEqual([]);
  });
  accepts('a lock that ends 60 seconds after the timestamp of the parent', () =>
    spendingLocked(view.facts(TIP).timestamp + 60),
  );
  refuses(
    'INPUT_SPEND_LOCKED_OUT',
    'a lock that ends one second later, although the timestamp of the block is later',
    () => spendingLocked(view.facts(TIP).timestamp + 61),
  );

  refuses('INPUT_WRONG_COUNT', 'two coinbase inputs', () => {
    // With two inputs the claimed height is 0, so only a block of version 1 reaches this rule.
    const { block } = blockAt(1).block;
    const inputs = [...block.coinbase.inputs, ...block.coinbase.inputs];
    const two = rebuilt({
      ...block,
      coinbase: { ...block.coinbase, inputs, signatures: [Buffer.alloc(0), Buffer.alloc(0)] },
    });
    return judge({ block: two, transactions: [] }, { view: new BranchView(genesisView(devnet)) });
  });
  refuses('INPUT_UNEXPECTED_TYPE', 'a coinbase that spends a key', () => {
    const { block } = blockAt(1).block;
    const inputs = [{ type: 'key' as const, amount: 1n, keyOffsets: [], keyImage: Buffer.alloc(32) }];
    const spending = rebuilt({ ...block, coinbase: { ...block.coinbase, inputs } });
    return judge({ block: spending, transactions: [] }, { view: new BranchView(genesisView(devnet)) });
  });
  refuses('BASE_INPUT_WRONG_BLOCK_INDEX', 'a coinbase with another height', () =>
    judge(coinbase({ inputs: [{ type: 'base', height: TIP }] })),
  );
  refuses('WRONG_TRANSACTION_UNLOCK_TIME', 'a coinbase locked for 41 blocks', () =>
    judge(coinbase({ unlockTime: BigInt(TIP + 42) })),
  );
  refuses('OUTPUT_ZERO_AMOUNT', 'a coinbase output of amount 0', () => judge(coinbase({ outputs: [output(0n)] })));
  refuses('OUTPUT_INVALID_KEY', 'a coinbase output whose key is not a point', () =>
    judge(coinbase({ outputs: [output(1n, NO_POINT)] })),
  );
  refuses('OUTPUTS_AMOUNT_OVERFLOW', 'coinbase outputs with a sum above 64 bits', () =>
    judge(coinbase({ outputs: [output((1n << 64n) - 1n), output(1n)] })),
  );
  refuses('BLOCK_REWARD_MISMATCH', 'coinbase outputs with the sum 2^64 - 1', () =>
    judge(coinbase({ outputs: [output((1n << 64n) - 2n), output(1n)] })),
  );

  refuses('TRANSACTION_DUPLICATES', 'a hash listed twice', () => {
    const { block, transactions } = blockAt(TIP + 1);
    return judge(
      changed(
        { transactionHashes: [...block.block.transactionHashes, ...block.block.transactionHashes] },
        transactions,
      ),
    );
  });
  refuses('TRANSACTION_DUPLICATES', 'a transaction delivered twice', () => {
    const { transactions } = blockAt(TIP + 1);
    return judge(changed({}, [...transactions, ...transactions]));
  });
  refuses('TRANSACTION_INCONSISTENCY', 'a transaction that is missing', () => judge(changed({}, [])));
  refuses('TRANSACTION_INCONSISTENCY', 'a transaction more than are listed', () =>
    judge(changed({}, [...blockAt(TIP + 1).transactions, bulk(10)])),
  );
  refuses('TRANSACTION_INCONSISTENCY', 'another transaction than the listed one', () =>
    judge(changed({}, [blockAt(700).transactions[0] ?? bulk(10)])),
  );
  refuses('EMPTY_INPUTS', 'the first invalid transaction determines the reason', () => {
    const transaction = bulk(10);
    return judge(changed({ transactionHashes: [transaction.hash] }, [transaction]));
  });
  test('a rejection has the hash of the invalid transaction', async () => {
    const transaction = bulk(10);
    const verdict = await judge(changed({ transactionHashes: [transaction.hash] }, [transaction]));
    expect(verdict).toMatchObject({ code: 'EMPTY_INPUTS', transactionHash: transaction.hash });
  });
  test('a wrong reward is reported with the correct one', async () => {
    const { reward } = stageGood(blockAt(TIP + 1), contextOn(view));
    const verdict = await judge(coinbase({ outputs: [output(1n)] }));
    expect(verdict).toMatchObject({ detail: `1 instead of ${reward}` });
  });
  refuses('INPUT_KEYIMAGE_ALREADY_SPENT', 'a key image in two transactions of a block', () => {
    const [transaction] = blockAt(TIP + 1).transactions;
    const again = unsigned({ ...transaction!.transaction, extra: Buffer.alloc(3) });
    return judge(changed({ transactionHashes: [transaction!.hash, again.hash] }, [transaction!, again]));
  });
  refuses('BLOCK_REWARD_MISMATCH', 'a reward of one unit more', () =>
    judge(coinbase({ outputs: [...blockAt(TIP + 1).block.block.coinbase.outputs, output(1n)] })),
  );
  refuses('BLOCK_REWARD_MISMATCH', 'a reward that is too small', () => judge(coinbase({ outputs: [output(1n)] })));

  refuses('PROOF_OF_WORK_TOO_WEAK', 'a nonce that misses the difficulty', () => judge(withNonce(false)));
  accepts('another nonce that meets the difficulty', () => judge(withNonce(true)));
  refuses('PROOF_OF_WORK_TOO_WEAK', 'a parent that does not commit to the block', () =>
    judge(changed({ minorVersion: 9 })),
  );
});

const refusal = (parsed: unknown): RuleFailure | undefined => (parsed instanceof RuleFailure ? parsed : undefined);

function medianOfEleven(): number {
  const times = view.window(TIP, 11).map((block) => block.timestamp);
  return times.sort((a, b) => a - b)[5]!;
}

/** Block 720 with its own parent and a nonce that meets the difficulty, or does not. */
function withNonce(enough: boolean): ParsedPair {
  const { block, transactions } = blockAt(TIP + 1);
  for (let nonce = 0; ; nonce++) {
    const parsed = rebuilt(sealParent({ ...block.block, nonce }));
    if (checkHash(powHash('cn_upx', parsed.powInput), 10n) === enough) return { block: parsed, transactions };
  }
}

describe('before the hash list was checked', () => {
  const place = 50;
  const early = blockAt(place);
  const on = (transactions: readonly ParsedTransaction[]): Promise<Verdict> =>
    judge({ block: early.block, transactions }, { view: branchTo(place - 1) });

  test('the block has several transactions', () => expect(early.transactions.length).toBeGreaterThan(1));
  accepts('transactions delivered in another order', () => on([...early.transactions].reverse()));
  test('transactions are applied in the order of the list', () => {
    const context = contextOn(branchTo(place - 1));
    const staged = stageBlock(early.block, [...early.transactions].reverse(), context);
    expect(staged.failure).toBeUndefined();
    expect(staged.transactions.map(({ hash }) => hash)).toEqual(early.block.block.transactionHashes);
  });
  refuses('TRANSACTION_INCONSISTENCY', 'a transaction that the block does not list', () =>
    on([...early.transactions.slice(1), bulk(10)]),
  );
  refuses('TRANSACTION_INCONSISTENCY', 'a transaction that is missing', () => on(early.transactions.slice(1)));
  refuses('TRANSACTION_INCONSISTENCY', 'a transaction more than are listed', () =>
    on([...early.transactions, bulk(10)]),
  );
  refuses('INPUT_KEYIMAGE_ALREADY_SPENT', 'a repeated hash is only detected by its key images, in any order', () => {
    const [first, second] = early.transactions as [ParsedTransaction, ParsedTransaction];
    const block = rebuilt({ ...early.block.block, transactionHashes: [first.hash, second.hash, first.hash] });
    return judge({ block, transactions: [second, first, first] }, { view: branchTo(place - 1) });
  });
});

describe('sizes and the penalty', () => {
  /** Block 1 with a coinbase with this many bytes of extra: only the size of the block limits a coinbase. */
  const large = (extra: number): ParsedPair => {
    const { block } = blockAt(1).block;
    return {
      block: rebuilt({ ...block, coinbase: { ...block.coinbase, extra: Buffer.alloc(extra) } }),
      transactions: [],
    };
  };
  const on = (pair: ParsedPair): Promise<Verdict> => judge(pair, { view: new BranchView(genesisView(devnet)) });

  refuses('CUMULATIVE_BLOCK_SIZE_TOO_BIG', 'a block above twice the median', () => on(large(20_000)));
  refuses('BLOCK_REWARD_MISMATCH', 'the full reward for a block with a penalty', () => on(large(15_000)));
});

describe('on an alternative branch', () => {
  refuses('SIZE_TOO_LARGE', 'a transaction that is too large for the median of the main chain', () =>
    judge(blockAt(TIP + 1), { mainMedianSize: 500 }),
  );
  accepts('a block that fits the median of the main chain', () => judge(blockAt(TIP + 1), { mainMedianSize: 100_000 }));
});

describe('the checkpoint zone', () => {
  const { block, transactions } = blockAt(TIP + 1);
  const points = (height: number, hash: Buffer): Checkpoints => new Checkpoints(new Map([[height, hash]]));

  refuses('CHECKPOINT_BLOCK_HASH_MISMATCH', 'a hash that differs from the checkpoint', () =>
    judge({ block, transactions }, { checkpoints: points(TIP + 1, Buffer.alloc(32)) }),
  );
  accepts('the hash of the checkpoint', () =>
    judge({ block, transactions }, { checkpoints: points(TIP + 1, block.hash) }),
  );

  test('proof of work, outputs and signatures are not checked below the highest checkpoint', () => {
    const staged = stageGood(blockAt(TIP + 1), contextOn(view, { checkpoints: points(TIP + 100, Buffer.alloc(32)) }));
    expect(staged.checkpointed).toBe(true);
    expect(new Set(staged.proofs.map((proof) => proof.kind))).toEqual(new Set(['outputKey', 'keyImage']));
  });

  accepts('a nonce that misses the difficulty, in the checkpoint zone', () =>
    judge(changed({ minorVersion: 9 }), { checkpoints: points(TIP + 100, Buffer.alloc(32)) }),
  );
});

describe('difficulty', () => {
  const mainnet = networkOf('mainnet');
  const HEIGHT = 4_000_000;

  /** A mainnet chain of equal timestamps: the reference divides by zero for it. */
  const flat = (): ChainView => {
    const facts = (height: number): BlockFacts => ({
      height,
      hash: Buffer.alloc(32, 7),
      majorVersion: 7,
      minorVersion: 0,
      timestamp: 1_700_000_000,
      size: 500,
      difficulty: 1000n,
      cumulativeDifficulty: BigInt(height) * 1000n,
      generatedCoins: 10n ** 12n,
      generatedTransactions: height,
    });
    return {
      height: HEIGHT,
      facts,
      window: (end, count) => Array.from({ length: count }, (_, i) => facts(end - count + 1 + i)),
      keyImageHeight: () => undefined,
      output: () => undefined,
      outputCount: () => 0,
    };
  };

  refuses('DIFFICULTY_OVERHEAD', 'a window from which none follows', () => {
    const block: Block = {
      ...blockAt(TIP + 1).block.block,
      previousHash: Buffer.alloc(32, 7),
      timestamp: 1_700_000_000n,
      coinbase: {
        ...blockAt(TIP + 1).block.block.coinbase,
        inputs: [{ type: 'base', height: HEIGHT + 1 }],
        unlockTime: BigInt(HEIGHT + 41),
      },
      transactionHashes: [],
    };
    const context: BlockContext = { network: mainnet, view: flat(), now: NOW, checkpoints: Checkpoints.none };
    return checkBlock(rebuilt(block), [], context);
  });
});

test('simnet requires the commitment and no proof of work', () => {
  const simnet = networkOf('simnet');
  const { block } = blockAt(1);
  const staged = stageBlock(block, [], { ...contextOn(new BranchView(genesisView(simnet))), network: simnet });
  expect(staged.failure).toBeUndefined();
  expect(staged.proofs.some((proof) => proof.kind === 'pow')).toBe(false);
});

test('proofs that precede a cheap check in the order are checked first', async () => {
  const pair = coinbase({ outputs: [output(1n, NO_POINT), output(0n)] });
  const staged = stageBlock(pair.block, pair.transactions, contextOn(view));
  expect(staged.failure?.code).toBe('OUTPUT_ZERO_AMOUNT');
  expect(verifyBlock(staged, await runProofs(staged.proofs))).toMatchObject({ code: 'OUTPUT_INVALID_KEY' });
});
