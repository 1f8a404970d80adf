import {
  encodeTransactionPrefix,
  MAX_UINT64,
  networkOf,
  prefixHash,
  type ParsedTransaction,
  type TransactionPrefix,
} from '@wrkz/core-types';
import { checkHash, generateRingSignatures, powHash } from '@wrkz/crypto';
import {
  BranchView,
  effectiveMedian,
  runProofs,
  settleTransaction,
  stageForTemplate,
  stageTransaction,
  keyImageId,
  type TransactionContext,
} from '@wrkz/consensus';
import { NOW, blockAt, branchTo, devnet } from './chain-a';
import { accepts, refuses, type Verdict } from './refuses';
import {
  draftPrefix,
  ownedCoinbases,
  reparse,
  sign,
  unsigned,
  walletKeys,
  type Draft,
  type OwnedOutput,
} from './wallet';

/*
 * Every reason to refuse a transaction, at the tip of chain A under the rules of 2026. Each case changes a payment that is
 * valid in the pool and in a block, so the change is the only cause.
 */

const TIP = 720;
/** A point of order 8: it is decoded, but l times the point is not the identity. */
const TORSION = Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex');
/** y = p: the reference refuses encodings that are not reduced. */
const NO_POINT = Buffer.from('edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', 'hex');

let view: BranchView;
/** Unspent, unlocked coinbases of 1,000,000. */
let owned: OwnedOutput[];
let payee: Buffer;

beforeAll(() => {
  view = branchTo(TIP);
  owned = ownedCoinbases('dave', 1_000_000n).filter(
    (output) => view.keyImageHeight(output.keyImage) === undefined && output.unlockTime <= BigInt(TIP + 1),
  );
  payee = walletKeys('bob').spendPublic;
});

const context = (change: Partial<TransactionContext> = {}): TransactionContext => {
  const tip = view.facts(TIP);
  return {
    network: devnet,
    height: TIP,
    blockTimestamp: tip.timestamp + 60,
    view,
    pool: false,
    checkpointed: false,
    medianSize: effectiveMedian(devnet, view),
    tipTimestamp: tip.timestamp,
    now: NOW,
    spentInBlock: new Set(),
    ...change,
  };
};

async function judge(transaction: ParsedTransaction, change: Partial<TransactionContext> = {}): Promise<Verdict> {
  const staged = stageTransaction(transaction, context(change));
  return settleTransaction(staged, await runProofs(staged.proofs));
}

/** One input with a ring of two, and a fee of 20,000, which replaces the proof of work. */
function payment(change: Partial<Draft> = {}): Draft {
  const [output, other] = owned as [OwnedOutput, OwnedOutput];
  return {
    spends: [{ output, ring: [output.globalIndex, other.globalIndex] }],
    outputs: [{ amount: 980_000n, key: payee }],
    unlockTime: BigInt(TIP + 15),
    extra: Buffer.alloc(0),
    ...change,
  };
}

const signed = (draft: Draft): ParsedTransaction => sign(draftPrefix(draft), draft.spends, view);
const bare = (change: Partial<TransactionPrefix>): ParsedTransaction =>
  unsigned({ ...draftPrefix(payment()), ...change });
const inputs = () => draftPrefix(payment()).inputs;
/** Indexes in `owned`. */
const first = 0;
const second = 1;
const keyInput = (place: number = first, change: object = {}) => {
  const [input] = draftPrefix(payment({ spends: [{ output: owned[place]!, ring: ringOf(place) }] })).inputs;
  return { ...input!, ...change };
};
const ringOf = (place: number): number[] =>
  [owned[place]!.globalIndex, owned[place + 1]!.globalIndex].sort((a, b) => a - b);
/** This number of outputs, with the same fee. */
const outputs = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ amount: i === 0 ? 980_000n - BigInt(count - 1) : 1n, key: payee }));

describe.each([
  ['in a block', false],
  ['in the pool', true],
])('%s', (_, pool) => {
  const verdict = (transaction: ParsedTransaction, change: Partial<TransactionContext> = {}): Promise<Verdict> =>
    judge(transaction, { pool, ...change });

  accepts('the unchanged payment', () => verdict(signed(payment())));

  refuses('SIZE_TOO_LARGE', 'a size above twice the median less 600', () =>
    verdict(bare({ extra: Buffer.alloc(199_400) })),
  );

  test('a rejection reports its transaction, and no fusion flag before it is known', () => {
    const transaction = bare({ inputs: [] });
    const staged = stageTransaction(transaction, context({ pool }));
    expect(staged).toMatchObject({ failure: 'EMPTY_INPUTS', isFusion: false });
    expect(settleTransaction(staged, [])).toMatchObject({ code: 'EMPTY_INPUTS', transactionHash: transaction.hash });
  });
  test('each input has a ring to prove', () => {
    const two = bare({ inputs: [keyInput(first), keyInput(second)] });
    const { failure, proofs } = stageTransaction(two, context({ pool }));
    expect(failure).toBeUndefined();
    expect(proofs.filter(({ kind }) => kind === 'ring')).toHaveLength(2);
  });
  test('10,000 atomic units replace the proof of work', () => {
    const proofs = (fee: bigint): string[] => {
      const paying = bare({ outputs: [{ amount: 1_000_000n - fee, key: payee }] });
      return stageTransaction(paying, context({ pool })).proofs.map(({ kind }) => kind);
    };
    expect([proofs(10_000n).includes('txPow'), proofs(9_999n).includes('txPow')]).toEqual([false, true]);
  });
  test('no proof of work was required before its fork height', () => {
    const early = branchTo(20);
    const at = context({ pool, height: 20, view: early, medianSize: effectiveMedian(devnet, early) });
    const { proofs } = stageTransaction(bare({ outputs: [{ amount: 900_000n, key: payee }] }), at);
    expect(proofs.map(({ kind }) => kind)).not.toContain('txPow');
  });
  refuses('EMPTY_INPUTS', 'no inputs', () => verdict(bare({ inputs: [] })));
  refuses('INPUT_UNKNOWN_TYPE', 'an input that is not a key input', () =>
    verdict(bare({ inputs: [...inputs(), { type: 'base', height: 1 }] })),
  );
  refuses('INPUT_IDENTICAL_KEYIMAGES', 'a repeated key image', () =>
    verdict(bare({ inputs: [keyInput(), keyInput()] })),
  );
  refuses('INPUT_EMPTY_OUTPUT_USAGE', 'an empty ring', () =>
    verdict(bare({ inputs: [keyInput(first, { keyOffsets: [] })] })),
  );
  refuses('INPUT_INVALID_DOMAIN_KEYIMAGES', 'a key image outside the prime-order group', () =>
    verdict(bare({ inputs: [keyInput(first, { keyImage: TORSION })] })),
  );
  refuses('INPUT_INVALID_DOMAIN_KEYIMAGES', 'a key image that is not a point', () =>
    verdict(bare({ inputs: [keyInput(first, { keyImage: NO_POINT })] })),
  );
  refuses('INPUT_INVALID_DOMAIN_KEYIMAGES', 'the key image is checked before the ring and the outputs', () =>
    verdict(bare({ inputs: [keyInput(first, { keyImage: NO_POINT, keyOffsets: [1, 0] })], outputs: [] })),
  );
  refuses('INPUT_IDENTICAL_OUTPUT_INDEXES', 'a zero offset after the first', () =>
    verdict(bare({ inputs: [keyInput(first, { keyOffsets: [3, 0] })] })),
  );
  refuses('INPUT_KEYIMAGE_ALREADY_SPENT', 'a key image spent earlier in the block', () =>
    verdict(signed(payment()), { spentInBlock: new Set([keyImageId(owned[first]!.keyImage)]) }),
  );
  refuses('INPUTS_AMOUNT_OVERFLOW', 'inputs with a sum above 64 bits', () =>
    verdict(bare({ inputs: [keyInput(first, { amount: MAX_UINT64 }), keyInput(second, { amount: 1n })] })),
  );
  refuses('INPUT_INVALID_SIGNATURES_COUNT', 'inputs with the sum 2^64 - 1, without signatures', () =>
    verdict(bare({ inputs: [keyInput(first, { amount: MAX_UINT64 - 1n }), keyInput(second, { amount: 1n })] })),
  );

  refuses('OUTPUT_ZERO_AMOUNT', 'an output of amount 0', () =>
    verdict(bare({ outputs: [{ amount: 0n, key: payee }] })),
  );
  refuses('OUTPUT_AMOUNT_TOO_LARGE', 'an output above 12,500,000,000,000', () =>
    verdict(bare({ outputs: [{ amount: 12_500_000_000_001n, key: payee }] })),
  );
  refuses('WRONG_AMOUNT', 'an output of 12,500,000,000,000 only exceeds its inputs', () =>
    verdict(bare({ outputs: [{ amount: 12_500_000_000_000n, key: payee }] })),
  );
  refuses('OUTPUT_INVALID_KEY', 'an output whose key is not a point', () =>
    verdict(bare({ outputs: [{ amount: 1n, key: NO_POINT }] })),
  );
  refuses('WRONG_AMOUNT', 'outputs above the inputs', () =>
    verdict(bare({ outputs: [{ amount: 1_000_001n, key: payee }] })),
  );
  refuses('WRONG_AMOUNT', 'an input of amount 0 without outputs', () =>
    verdict(bare({ inputs: [keyInput(first, { amount: 0n })], outputs: [] })),
  );

  refuses('WRONG_FEE', 'a fee below 10 per started 128 bytes', () =>
    verdict(bare({ outputs: [{ amount: 999_981n, key: payee }] })),
  );
  refuses('EXTRA_TOO_LARGE', 'extra of 1024 bytes', () => verdict(bare({ extra: Buffer.alloc(1024) })));
  accepts('extra of 1023 bytes', () => verdict(signed(payment({ extra: Buffer.alloc(1023, 0xff) }))));
  refuses('UNLOCK_TIME_TOO_SMALL', 'an unlock time 14 blocks ahead', () =>
    verdict(bare({ unlockTime: BigInt(TIP + 14) })),
  );
  refuses('UNLOCK_TIME_TOO_SMALL', 'an unlock time 899 seconds ahead', () =>
    verdict(bare({ unlockTime: BigInt(context().blockTimestamp + 899) })),
  );
  accepts('an unlock time 900 seconds ahead', () =>
    verdict(signed(payment({ unlockTime: BigInt(context().blockTimestamp + 900) }))),
  );
  refuses('EXCESSIVE_OUTPUTS', '91 outputs', () => verdict(bare({ outputs: outputs(91) })));
  accepts('90 outputs', () => verdict(signed(payment({ outputs: outputs(90) }))));
  refuses('INVALID_MIXIN', 'a ring of one', () => verdict(bare({ inputs: [keyInput(first, { keyOffsets: [1] })] })));
  refuses('INVALID_MIXIN', 'a ring of nine', () =>
    verdict(bare({ inputs: [keyInput(first, { keyOffsets: new Array<number>(9).fill(1) })] })),
  );
  refuses('INVALID_MIXIN', 'a ring of one and a larger ring', () =>
    verdict(bare({ inputs: [keyInput(first), keyInput(second, { keyOffsets: [1] })] })),
  );
  refuses('POW_INVALID', 'a fee of 9,999 without proof of work', () =>
    verdict(withWork({ outputs: [{ amount: 990_001n, key: payee }] }, false)),
  );
  accepts('a fee of 9,999 with proof of work', () =>
    verdict(withWork({ outputs: [{ amount: 990_001n, key: payee }] }, true)),
  );

  refuses('INPUT_KEYIMAGE_ALREADY_SPENT', 'a key image that the chain has spent', () => {
    const spent = ownedCoinbases('frank', 1_000_000n)[0]!;
    return verdict(signed(payment({ spends: [{ output: spent, ring: withOther(spent) }] })));
  });
  refuses('INPUT_SPEND_LOCKED_OUT', 'a ring member that is still locked', () =>
    verdict(signed(payment({ spends: [lockedSpend()] }))),
  );
  refuses('INPUT_INVALID_SIGNATURES_COUNT', 'a ring member that does not exist', () => {
    const [output] = owned;
    const draft = payment({ spends: [{ output: output!, ring: [output!.globalIndex, 4_000_000] }] });
    return verdict(unsigned(draftPrefix(draft)));
  });
  refuses(
    pool ? 'INPUT_INVALID_GLOBAL_INDEX' : 'INPUT_INVALID_SIGNATURES_COUNT',
    'a ring member that is referenced twice, by an overflow at 2^32',
    () =>
      verdict(bare({ inputs: [keyInput(first, { keyOffsets: [owned[first]!.globalIndex, 0x80000000, 0x80000000] })] })),
  );
  if (pool) refuses('INPUT_INVALID_GLOBAL_INDEX', 'a valid ring in descending order', () => verdict(descending()));
  else accepts('a valid ring in descending order', () => verdict(descending()));
  refuses('INPUT_INVALID_SIGNATURES', 'a signature of zeros', () => verdict(bare({})));
  refuses('INPUT_INVALID_SIGNATURES', 'a signature with a flipped bit', () => {
    const { transaction } = signed(payment());
    const signatures = transaction.signatures.map((one) => Buffer.from(one));
    signatures[0]![70]! ^= 1;
    return verdict(reparse({ ...transaction, signatures }));
  });
  refuses('INPUT_INVALID_SIGNATURES', 'a prefix that was changed after signing', () => {
    const { transaction } = signed(payment());
    return verdict(reparse({ ...transaction, extra: Buffer.from([1]) }));
  });
  refuses('INPUT_INVALID_SIGNATURES', 'the identity as key image, which only fails the signature check', () => {
    const identity = Buffer.alloc(32);
    identity[0] = 1;
    return verdict(bare({ inputs: [keyInput(first, { keyImage: identity })] }));
  });
});

/** A signed payment whose ring has its larger index first: the sum of the offsets overflows at 2^32. */
function descending(): ParsedTransaction {
  const draft = payment();
  const [low, high] = ringOf(first) as [number, number];
  const inputs = [keyInput(first, { keyOffsets: [high, low - high + 2 ** 32] })];
  return sign({ ...draftPrefix(draft), inputs }, draft.spends, view);
}

/** A ring of this output and another one. */
const withOther = (output: OwnedOutput): number[] => [output.globalIndex, owned[0]!.globalIndex].sort((a, b) => a - b);

/** A coinbase of the last 40 blocks. */
function lockedSpend(): Draft['spends'][number] {
  const output = ownedCoinbases('dave', 1_000_000n)
    .concat(ownedCoinbases('alice', 1_000_000n))
    .find((one) => one.unlockTime > BigInt(TIP + 1))!;
  return { output, ring: withOther(output) };
}

/** A signed payment with a nonce in extra that meets the difficulty of devnet, or does not. */
function withWork(change: Partial<Draft>, enough: boolean): ParsedTransaction {
  for (let nonce = 0; ; nonce++) {
    const extra = Buffer.alloc(9, 4);
    extra.writeUInt32LE(nonce, 1);
    const draft = payment({ ...change, extra });
    const hash = powHash('cn_upx', encodeTransactionPrefix(draftPrefix(draft)));
    if (checkHash(hash, 45n) === enough) return signed(draft);
  }
}

describe('by height', () => {
  /** The reason by the rules of another height. Unsigned, because only cheap checks run. */
  const cheapCode = (prefix: TransactionPrefix, change: Partial<TransactionContext>): string | undefined =>
    stageTransaction(unsigned(prefix), context(change)).failure;

  refuses('OUTPUTS_AMOUNT_OVERFLOW', 'outputs with a sum above 64 bits, before outputs had a maximum', () =>
    judge(
      bare({
        outputs: [
          { amount: MAX_UINT64, key: payee },
          { amount: 1n, key: payee },
        ],
      }),
      { height: 79 },
    ),
  );
  refuses('WRONG_AMOUNT', 'outputs with the sum 2^64 - 1 only exceed the inputs', () =>
    judge(bare({ outputs: [MAX_UINT64 - 1n, 1n].map((amount) => ({ amount, key: payee })) }), { height: 79 }),
  );

  test('blocks have each limit from its height on, the pool has some of them at every height', () => {
    const large = { ...draftPrefix(payment()), extra: Buffer.alloc(1024) };
    expect(cheapCode(large, { height: 93 })).not.toBe('EXTRA_TOO_LARGE');
    expect(cheapCode(large, { height: 94 })).toBe('EXTRA_TOO_LARGE');
    expect(cheapCode(large, { height: 93, pool: true })).toBe('EXTRA_TOO_LARGE');
    // With the fee of that height.
    const many = { ...draftPrefix(payment()), outputs: outputs(91).map((one) => ({ ...one, amount: 1n })) };
    expect(cheapCode(many, { height: 76 })).not.toBe('EXCESSIVE_OUTPUTS');
    expect(cheapCode(many, { height: 77 })).toBe('EXCESSIVE_OUTPUTS');
    expect(cheapCode(many, { height: 76, pool: true })).toBe('EXCESSIVE_OUTPUTS');
  });

  test('the count of signatures is not checked in early blocks', async () => {
    const early = branchTo(54);
    const output = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace']
      .flatMap((name) => ownedCoinbases(name, 1_000_000n))
      .find((one) => one.unlockTime <= 54n && early.keyImageHeight(one.keyImage) === undefined)!;
    const draft = payment({ spends: [{ output, ring: [output.globalIndex, 4_000_000] }], unlockTime: 0n });
    const prefix = draftPrefix(draft);
    // Only one ring member exists: its ring of one is signed, and a second signature is appended.
    const alone = generateRingSignatures(prefixHash(prefix), output.keyImage, [output.key], output.secret, 0);
    const transaction = reparse({ ...prefix, signatures: [Buffer.concat([alone, Buffer.alloc(64)])] });
    expect(await judge(transaction, { view: early, height: 53 })).toBeUndefined();
    expect(await judge(transaction, { view: early, height: 54 })).toMatchObject({
      code: 'INPUT_INVALID_SIGNATURES_COUNT',
    });
    expect(await judge(transaction, { view: early, height: 53, pool: true })).toMatchObject({
      code: 'INPUT_INVALID_SIGNATURES_COUNT',
    });
  });

  test('unlock times are compared with the clock until 600,000, and with the tip from there on', async () => {
    const mainnet = networkOf('mainnet');
    const locked = 1_750_000_000n;
    const lockedView = Object.assign(Object.create(view) as BranchView, {
      output: (amount: bigint, index: number) => ({ ...view.output(amount, index)!, unlockTime: locked }),
      keyImageHeight: () => undefined,
    });
    const code = (height: number, change: Partial<TransactionContext>): string | undefined =>
      stageTransaction(
        signed(payment({ unlockTime: 0n })),
        context({ network: mainnet, height, view: lockedView, ...change }),
      ).failure;
    expect(code(599_999, { now: Number(locked) - 61, tipTimestamp: Number(locked) })).toBe('INPUT_SPEND_LOCKED_OUT');
    expect(code(599_999, { now: Number(locked) - 60, tipTimestamp: 0 })).toBe(undefined);
    expect(code(600_000, { now: Number(locked), tipTimestamp: Number(locked) - 61 })).toBe('INPUT_SPEND_LOCKED_OUT');
    expect(code(600_000, { now: 0, tipTimestamp: Number(locked) - 60 })).toBe(undefined);
  });

  test('a key image spent above H does not count', async () => {
    const spent = blockAt(TIP).transactions[0]!;
    const below = branchTo(719);
    const tip = below.facts(719);
    expect(
      await judge(spent, { view: below, height: 719, tipTimestamp: tip.timestamp, blockTimestamp: tip.timestamp + 60 }),
    ).toBeUndefined();
    expect(await judge(spent)).toMatchObject({ code: 'INPUT_KEYIMAGE_ALREADY_SPENT' });
  });
});

describe('the checkpoint zone', () => {
  test('skips proof of work, outputs and signatures, and makes all cheap checks', async () => {
    const draft = payment({ spends: [lockedSpend()], outputs: [{ amount: 990_001n, key: payee }] });
    const staged = stageTransaction(unsigned(draftPrefix(draft)), context({ checkpointed: true }));
    expect(staged.failure).toBeUndefined();
    expect(staged.proofs.map((proof) => proof.kind)).toEqual(['keyImage', 'outputKey']);
    expect(await judge(bare({ unlockTime: 0n }), { checkpointed: true })).toMatchObject({
      code: 'UNLOCK_TIME_TOO_SMALL',
    });
    expect(
      await judge(bare({ inputs: [keyInput(first, { keyImage: TORSION })] }), { checkpointed: true }),
    ).toMatchObject({ code: 'INPUT_INVALID_DOMAIN_KEYIMAGES' });
  });
});

describe('a template checks again at its own height', () => {
  const again = (transaction: ParsedTransaction): string | undefined =>
    stageForTemplate(transaction, context({ height: TIP + 1, pool: true })).failure;

  test('an unlock time of exactly H + 15 enters the pool and not the next template', () => {
    expect(again(signed(payment({ unlockTime: BigInt(TIP + 15) })))).toBe('UNLOCK_TIME_TOO_SMALL');
    expect(again(signed(payment({ unlockTime: BigInt(TIP + 16) })))).toBeUndefined();
  });

  test('checks proof of work only in the hundred blocks after its start', () => {
    const proofCount = (height: number): number =>
      stageForTemplate(bare({ outputs: [{ amount: 990_001n, key: payee }] }), context({ height, pool: true })).proofs
        .length;
    const { rulesAt } = devnet;
    expect([111, 112, 212, 213].map((height) => rulesAt(height).templateChecksTxPow)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect([112, 213].map(proofCount)).toEqual([1, 0]);
  });
});

test('INPUT_INVALID_SIGNATURES: a ring of missing outputs at a height without a check of the signature count', () => {
  const early = branchTo(20);
  expect(devnet.rulesAt(20).signatureCountChecked).toBe(false);
  const noPeer = bare({ inputs: [keyInput(first, { keyOffsets: [4_000_000, 1, 1, 1] })], unlockTime: 0n });
  const at = context({ height: 20, view: early, medianSize: effectiveMedian(devnet, early) });
  expect(stageTransaction(noPeer, at).failure).toBe('INPUT_INVALID_SIGNATURES');
});
