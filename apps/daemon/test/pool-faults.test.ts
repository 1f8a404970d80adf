import { type ChainView, type ReasonCode, REASONS, RuleFailure } from '@wrkz/consensus';
import { networkOf, parseTransaction } from '@wrkz/core-types';
import { ChainJudge } from '../src/mempool/chain-judge';
import { faultOf } from '../src/mempool/faults';
import { bench, hashOf, made } from './support/pool';

const codes = Object.keys(REASONS) as ReasonCode[];
const common = { rulesAreSettled: () => true, ringsAreSettled: () => true };

/** Written down a second time: what no node can have taken, by what has to be settled for that. */
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

describe('the fault of the sender of a rejected transaction', () => {
  const provable = (ground: typeof common): ReasonCode[] =>
    codes.filter((code) => faultOf(code, ground) === 'everywhere').sort();

  it('is proven only by the bytes, by settled rules and by rings below reorganisation depth', () => {
    expect(provable(common)).toEqual([...ALONE, ...RULES, ...RINGS].sort());
    const unsettled = { rulesAreSettled: () => false, ringsAreSettled: () => false };
    for (const code of [...RULES, ...RINGS]) expect(faultOf(code, unsettled)).toBe('here');
    expect(provable({ ...common, ringsAreSettled: () => false })).toEqual([...ALONE, ...RULES].sort());
    expect(provable({ ...common, rulesAreSettled: () => false })).toEqual([...ALONE]);
  });

  it('is in the result of the pool; a known transaction or a full pool is no fault', async () => {
    const { pool, judge } = bench();
    const bytes = made();
    await pool.add(bytes, 'p2p');
    expect(await pool.add(bytes, 'p2p')).toMatchObject({ accepted: false, fault: 'none' });
    const refused = made();
    for (const [code, settled, fault] of [
      ['INPUT_INVALID_SIGNATURES', true, 'everywhere'],
      ['INPUT_INVALID_SIGNATURES', false, 'here'],
      ['INPUT_KEYIMAGE_ALREADY_SPENT', true, 'here'],
      ['WRONG_AMOUNT', false, 'everywhere'],
    ] as const) {
      judge.settledRings = settled;
      judge.refusals.set(hashOf(refused).toString('hex'), new RuleFailure(code));
      expect(await pool.add(refused, 'p2p')).toMatchObject({ code, fault });
    }
    judge.limit = 10;
    expect(await pool.add(made(), 'p2p')).toMatchObject({ code: 'SIZE_TOO_LARGE', fault: 'here' });
    for (let count = 0; count < 60; count += 1) await pool.add(made({ fee: 0n }), 'p2p');
    judge.limit = Infinity;
    for (let count = 0; count < 61; count += 1) await pool.add(made({ fee: 0n }), 'p2p');
    expect(await pool.add(made({ fee: 0n }), 'p2p')).toMatchObject({ accepted: false, fault: 'none' });
  });
});

describe('chain data common to all nodes', () => {
  const TIP = 2_000_000;
  const judgeAt = (height: number, memberHeight: number | undefined, changes: object = {}): ChainJudge => {
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
    return new ChainJudge(networkOf('mainnet'), reader as never, () => 0);
  };
  const parsed = parseTransaction(made({ inputs: 2 }));

  it('includes rings whose members are all below reorganisation depth', () => {
    const settled = (memberHeight: number | undefined): boolean =>
      judgeAt(TIP, memberHeight).ground(parsed).ringsAreSettled();
    expect([settled(TIP - 180), settled(TIP - 179), settled(TIP), settled(undefined)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('is read once per tip', () => {
    let tip = { height: TIP, hash: Buffer.alloc(32) as Buffer, timestamp: 0 };
    const viewAt = jest.fn((height: number): Partial<ChainView> => ({ height, window: () => [] }));
    const judge = judgeAt(TIP, 0, { tip: () => tip, viewAt });
    const readsAt = (height: number, hash: Buffer): number => {
      tip = { ...tip, height, hash };
      judge.sizeLimit();
      judge.sizeLimit();
      return viewAt.mock.calls.length;
    };
    const other = Buffer.alloc(32, 1);
    expect([readsAt(TIP, tip.hash), readsAt(TIP, other), readsAt(TIP + 1, other)]).toEqual([1, 2, 3]);
  });

  it('includes rules that do not change within that depth', () => {
    const settled = (height: number): boolean => judgeAt(height, 0).ground(parsed).rulesAreSettled();
    // The ring sizes change at 4,300,000, and nothing else near there.
    expect([4_300_000 - 181, 4_300_000 - 180, 4_300_000, 4_300_000 + 179, 4_300_000 + 180].map(settled)).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
  });

  it('excludes the unlock time, whose validity depends on the tip', () => {
    const lapsed = (unlockTime: bigint): boolean => judgeAt(TIP, 0).fitting().isLapsed(unlockTime);
    expect([lapsed(BigInt(TIP + 14)), lapsed(BigInt(TIP + 15)), lapsed(0n)]).toEqual([true, false, true]);
    expect(judgeAt(1_000_000, 0).fitting().isLapsed(0n)).toBe(false);
  });

  it('excludes ring sizes and the size limit, which the pool checks again if the limits at the tip change', () => {
    const overhead = made({ padding: 100_000 }).length - 100_000;
    const refusal = (height: number, size: number): ReasonCode | undefined =>
      judgeAt(height, 0)
        .fitting()
        .refuses(parseTransaction(made({ padding: size - overhead })))?.code;
    const limit = judgeAt(1000, 0).sizeLimit();
    expect([refusal(1000, limit), refusal(1000, limit + 1)]).toEqual([undefined, 'SIZE_TOO_LARGE']);
    // The rings have one member: mixin 0, allowed at 1,000 but not at 2,000,000.
    expect(refusal(TIP, limit)).toBe('INVALID_MIXIN');
    const measure = (height: number): string => judgeAt(height, 0).fitting().measure;
    expect(measure(TIP)).toBe(measure(TIP + 1));
    expect(new Set([measure(1000), measure(100_000), measure(TIP), measure(4_300_000)]).size).toBe(4);
  });
});
