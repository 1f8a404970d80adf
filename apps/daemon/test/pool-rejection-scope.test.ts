import { type ChainView, type ReasonCode, REASONS, RuleFailure } from '@wrkz/consensus';
import { networkOf, parseTransaction } from '@wrkz/core-types';
import { ChainValidator } from '../src/mempool/chain-validator';
import { rejectionScope } from '../src/mempool/rejection-scope';
import { bench, hashOf, made } from './support/pool';

const codes = Object.keys(REASONS) as ReasonCode[];
const common = { rulesAreFinal: () => true, ringsAreFinal: () => true };

/** Independent copy of the table: reasons for which no node can have accepted a transaction, by the data that must be final. */
const ALONE: readonly ReasonCode[] = [
  'DESERIALIZATION_FAILED',
  'EMPTY_INPUTS',
  'INPUTS_AMOUNT_OVERFLOW',
  'INPUT_EMPTY_OUTPUT_USAGE',
  'INPUT_IDENTICAL_KEYIMAGES',
  'INPUT_IDENTICAL_OUTPUT_INDEXES',
  'INPUT_INVALID_DOMAIN_KEYIMAGES',
  'INPUT_UNKNOWN_TYPE',
  'OUTPUTS_AMOUNT_OVERFLOW',
  'OUTPUT_INVALID_KEY',
  'OUTPUT_ZERO_AMOUNT',
  'WRONG_AMOUNT',
];
const RULES: readonly ReasonCode[] = [
  'EXCESSIVE_OUTPUTS',
  'EXTRA_TOO_LARGE',
  'INVALID_MIXIN',
  'OUTPUT_AMOUNT_TOO_LARGE',
  'POW_INVALID',
  'WRONG_FEE',
];
const RINGS: readonly ReasonCode[] = ['INPUT_INVALID_SIGNATURES', 'INPUT_INVALID_SIGNATURES_COUNT'];

describe('the scope of a rejection', () => {
  const everywhere = (finality: typeof common): ReasonCode[] =>
    codes.filter((code) => rejectionScope(code, finality) === 'everywhere').sort();

  it('is everywhere only for the bytes, for final rules and for rings below reorganisation depth', () => {
    expect(everywhere(common)).toEqual([...ALONE, ...RULES, ...RINGS].sort());
    const reorganisable = { rulesAreFinal: () => false, ringsAreFinal: () => false };
    for (const code of [...RULES, ...RINGS]) expect(rejectionScope(code, reorganisable)).toBe('here');
    expect(everywhere({ ...common, ringsAreFinal: () => false })).toEqual([...ALONE, ...RULES].sort());
    expect(everywhere({ ...common, rulesAreFinal: () => false })).toEqual([...ALONE]);
  });

  it('is in the result of the pool; none for a known transaction and for a full pool', async () => {
    const { pool, validator } = bench();
    const bytes = made();
    await pool.add(bytes, 'p2p');
    expect(await pool.add(bytes, 'p2p')).toMatchObject({ accepted: false, scope: 'none' });
    const refused = made();
    for (const [code, ringsAreFinal, scope] of [
      ['INPUT_INVALID_SIGNATURES', true, 'everywhere'],
      ['INPUT_INVALID_SIGNATURES', false, 'here'],
      ['INPUT_KEYIMAGE_ALREADY_SPENT', true, 'here'],
      ['WRONG_AMOUNT', false, 'everywhere'],
    ] as const) {
      validator.ringsAreFinal = ringsAreFinal;
      validator.refusals.set(hashOf(refused).toString('hex'), new RuleFailure(code));
      expect(await pool.add(refused, 'p2p')).toMatchObject({ code, scope });
    }
    validator.limit = 10;
    expect(await pool.add(made(), 'p2p')).toMatchObject({ code: 'SIZE_TOO_LARGE', scope: 'here' });
    for (let count = 0; count < 60; count += 1) await pool.add(made({ fee: 0n }), 'p2p');
    validator.limit = Infinity;
    for (let count = 0; count < 61; count += 1) await pool.add(made({ fee: 0n }), 'p2p');
    expect(await pool.add(made({ fee: 0n }), 'p2p')).toMatchObject({ accepted: false, scope: 'none' });
  });
});

describe('chain data common to all nodes', () => {
  const TIP = 2_000_000;
  const validatorAt = (
    height: number,
    memberHeight: number | undefined,
    changes: object = {},
    now = 0,
  ): ChainValidator => {
    const view: Partial<ChainView> = {
      height,
      window: () => [],
      output: () =>
        memberHeight === undefined ? undefined : { key: Buffer.alloc(32), unlockTime: 0n, height: memberHeight },
    };
    const reader = {
      tip: () => ({ height, hash: Buffer.alloc(32), timestamp: 0 }),
      viewAt: () => view,
      snapshot: (read: () => unknown) => read(),
      ...changes,
    };
    return new ChainValidator(networkOf('mainnet'), reader as never, () => now);
  };
  const parsed = parseTransaction(made({ inputs: 2 }));

  it('includes rings whose members are all below reorganisation depth', () => {
    const isFinal = (memberHeight: number | undefined): boolean =>
      validatorAt(TIP, memberHeight).finality(parsed).ringsAreFinal();
    expect([isFinal(TIP - 180), isFinal(TIP - 179), isFinal(TIP), isFinal(undefined)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('is read once per tip', () => {
    let tip = { height: TIP, hash: Buffer.alloc(32) as Buffer, timestamp: 0 };
    const viewAt = jest.fn((height: number): Partial<ChainView> => ({ height, window: () => [] }));
    const validator = validatorAt(TIP, 0, { tip: () => tip, viewAt });
    const readsAt = (height: number, hash: Buffer): number => {
      tip = { ...tip, height, hash };
      validator.sizeLimit();
      validator.sizeLimit();
      return viewAt.mock.calls.length;
    };
    const other = Buffer.alloc(32, 1);
    expect([readsAt(TIP, tip.hash), readsAt(TIP, other), readsAt(TIP + 1, other)]).toEqual([1, 2, 3]);
  });

  it('includes rules that do not change within that depth', () => {
    const isFinal = (height: number): boolean => validatorAt(height, 0).finality(parsed).rulesAreFinal();
    // The ring sizes change at 4,300,000, and nothing else near there.
    expect([4_300_000 - 181, 4_300_000 - 180, 4_300_000, 4_300_000 + 179, 4_300_000 + 180].map(isFinal)).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
  });

  it('excludes the unlock time, whose validity depends on the tip', () => {
    const lapsed = (unlockTime: bigint): boolean => validatorAt(TIP, 0).tipLimits().isUnlockTimeExpired(unlockTime);
    expect([lapsed(BigInt(TIP + 14)), lapsed(BigInt(TIP + 15)), lapsed(0n)]).toEqual([true, false, true]);
    expect(validatorAt(1_000_000, 0).tipLimits().isUnlockTimeExpired(0n)).toBe(false);
  });

  it.each([
    ['the clock', 1_700_000_030, 1_700_000_000],
    ['the tip, if it is later', 1_700_000_000, 1_700_000_030],
  ])('compares unlock times in unix seconds with %s', (_, now, timestamp) => {
    const tip = { height: TIP, hash: Buffer.alloc(32), timestamp };
    const limits = validatorAt(TIP, 0, { tip: () => tip }, now).tipLimits();
    const inSeconds = (seconds: number): bigint => BigInt(1_700_000_030 + seconds);
    expect([899, 900].map((seconds) => limits.isUnlockTimeExpired(inSeconds(seconds)))).toEqual([true, false]);
    expect([959, 960].map((seconds) => limits.isUnlockTimeTooNear(inSeconds(seconds)))).toEqual([true, false]);
  });

  it('requires one block more for templates than for blocks', () => {
    const limits = validatorAt(TIP, 0).tipLimits();
    expect([15, 16].map((blocks) => limits.isUnlockTimeTooNear(BigInt(TIP + blocks)))).toEqual([true, false]);
  });

  it('excludes ring sizes and the size limit, which the pool checks again if the limits at the tip change', () => {
    const overhead = made({ padding: 100_000 }).length - 100_000;
    const refusal = (height: number, size: number): ReasonCode | undefined =>
      validatorAt(height, 0)
        .tipLimits()
        .check(parseTransaction(made({ padding: size - overhead })))?.code;
    const limit = validatorAt(1000, 0).sizeLimit();
    expect([refusal(1000, limit), refusal(1000, limit + 1)]).toEqual([undefined, 'SIZE_TOO_LARGE']);
    // The rings have one member: mixin 0, allowed at 1,000 but not at 2,000,000.
    expect(refusal(TIP, limit)).toBe('INVALID_MIXIN');
    // Templates fill a block up to the size from which the reward falls; a transaction may be larger.
    expect(validatorAt(TIP, 0).tipLimits().templateBytes).toBe(124_400);
    expect(validatorAt(TIP, 0).sizeLimit()).toBe(199_400);
    const limitsKey = (height: number): string => validatorAt(height, 0).tipLimits().key;
    expect(limitsKey(TIP)).toBe(limitsKey(TIP + 1));
    expect(new Set([limitsKey(1000), limitsKey(100_000), limitsKey(TIP), limitsKey(4_300_000)]).size).toBe(4);
  });
});
