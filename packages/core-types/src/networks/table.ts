import { lowerBound } from '../lower-bound';
import { COINBASE_UNLOCK_WINDOW, MAX_EXTRA_SIZE, MAX_TRANSACTION_OUTPUTS } from './constants';
import type { RuleHeights } from './heights';
import type { RuleChange, Rules } from './rules';

/** The rules of index 0. */
const firstRules: Rules = {
  blockVersion: 1,
  powAlgorithm: 'cn_slow_hash_v0',
  fullRewardZone: 10_000,
  feesPenalized: false,
  difficultyRule: 'legacy',
  futureTimeLimit: 7200,
  timestampWindow: 60,
  templateTimestampWindow: 60,
  blockListChecked: false,
  baseReward: undefined,
  mixin: { min: 0, max: Infinity, default: 3, minAppliesTo: 'largest' },
  feeRule: { kind: 'fixed', amount: 5n },
  fusionFee: 0n,
  fusionDustThreshold: 10n,
  dustThreshold: 10n,
  extraLimit: undefined,
  signatureCountChecked: false,
  timeLockByTip: false,
  maxOutputs: undefined,
  maxOutputAmount: undefined,
  txPow: undefined,
  feeEscapesPow: undefined,
  templateChecksTxPow: false,
  minimumUnlock: undefined,
  poolUnlockWindow: 40,
  prunedPeersAvoided: false,
};

/** Number of blocks from the start of the transaction proof of work in which templates check it. */
const TEMPLATE_TX_POW_SPAN = 101;

/**
 * The rule table of a network: every change with its first index. A block version starts after its index, other rules at
 * it; comments explain exceptions.
 * `txPowScale` divides the difficulties of the transaction proof of work (1 on mainnet, 1000 on devnet).
 */
export function ruleChanges(at: RuleHeights, txPowScale: bigint): readonly RuleChange[] {
  const changes: RuleChange[] = [
    { from: at.version2 + 1, change: { blockVersion: 2, fullRewardZone: 20_000, feesPenalized: true } },
    { from: at.version3 + 1, change: { blockVersion: 3, fullRewardZone: 100_000 } },
    { from: at.version4 + 1, change: { blockVersion: 4, powAlgorithm: 'cn_lite_slow_hash_v1' } },
    { from: at.mixinV1, change: { mixin: { min: 0, max: 30, default: 3, minAppliesTo: 'largest' } } },
    // The constant of 180 s between the two rules never applies: both have the same index.
    { from: at.lwma4, change: { difficultyRule: 'lwma4', futureTimeLimit: 360, templateTimestampWindow: 11 } },
    { from: at.lwma5, change: { difficultyRule: 'lwma5', timestampWindow: 11 } },
    { from: at.version5 + 1, change: { blockVersion: 5, powAlgorithm: 'cn_turtle_lite_slow_hash_v2' } },
    { from: at.mixinV2, change: { mixin: { min: 3, max: 7, default: 3, minAppliesTo: 'largest' } } },
    { from: at.dustThreshold, change: { dustThreshold: 0n } },
    { from: at.fusionDustThreshold, change: { fusionDustThreshold: 0n } },
    { from: at.mixinV3, change: { mixin: { min: 0, max: 7, default: 3, minAppliesTo: 'largest' } } },
    { from: at.extraAndSignatureCount, change: { signatureCountChecked: true } },
    // Delayed by the lock time of a coinbase, so that transactions with a long extra could leave the pools.
    { from: at.extraAndSignatureCount + COINBASE_UNLOCK_WINDOW, change: { extraLimit: MAX_EXTRA_SIZE } },
    { from: at.version6 + 1, change: { blockVersion: 6, powAlgorithm: 'chukwa' } },
    { from: at.blockListAndTimeLock, change: { blockListChecked: true, timeLockByTip: true } },
    { from: at.mixinV4, change: { mixin: { min: 1, max: 3, default: 3, minAppliesTo: 'largest' } } },
    // The reference requires more than one above the index.
    { from: at.minimumFee + 2, change: { feeRule: { kind: 'fixed', amount: 50_000n } } },
    { from: at.outputCount, change: { maxOutputs: MAX_TRANSACTION_OUTPUTS } },
    { from: at.outputAmount, change: { maxOutputAmount: 12_500_000_000_000n } },
    // 500 per chunk was intended; the reference compares a height with a rate and so requires 20
    // (docs/protocol/transactions.md#fees).
    { from: at.feePerByte, change: { feeRule: { kind: 'perChunk', chunk: 256, amount: 20n } } },
    { from: at.fusionFee, change: { fusionFee: 10_000n } },
    { from: at.version7 + 1, change: { blockVersion: 7, powAlgorithm: 'cn_upx' } },
    { from: at.mixinV5, change: { mixin: { min: 1, max: 1, default: 1, minAppliesTo: 'largest' } } },
    { from: at.fusionFree, change: { fusionFee: 0n } },
    {
      from: at.txPow,
      change: {
        txPow: { base: 20_000n / txPowScale, perIo: 0n, outputFactor: 0, fusion: 60_000n / txPowScale },
        templateChecksTxPow: true,
      },
    },
    { from: at.txPow + TEMPLATE_TX_POW_SPAN, change: { templateChecksTxPow: false } },
    // "Above" its index, like the unlock rule below: the reference compares with > here.
    {
      from: at.txPowDynamic + 1,
      change: {
        txPow: {
          base: 40_000n / txPowScale,
          perIo: 1_000n / txPowScale,
          outputFactor: 4,
          fusion: 320_000n / txPowScale,
        },
      },
    },
    { from: at.minimumUnlock + 1, change: { minimumUnlock: 15 } },
    {
      from: at.fixedReward,
      change: {
        baseReward: 1_000_000n,
        feeRule: { kind: 'perChunk', chunk: 128, amount: 10n },
        feeEscapesPow: 10_000n,
        poolUnlockWindow: 20,
      },
    },
    { from: at.mixinV6, change: { mixin: { min: 1, max: 7, default: 7, minAppliesTo: 'smallest' } } },
    { from: at.prunedPeers, change: { prunedPeersAvoided: true } },
  ];
  return changes.sort((a, b) => a.from - b.from);
}

/** Folds the changes into `rulesAt`; all indexes between two changes share one frozen object. */
export function ruleLookup(changes: readonly RuleChange[]): (height: number) => Rules {
  const starts: number[] = [0];
  const ages: Rules[] = [firstRules];
  for (const { from, change } of changes) {
    const rules = { ...(ages.at(-1) as Rules), ...change };
    if (from === starts.at(-1)) {
      ages[ages.length - 1] = rules;
    } else {
      starts.push(from);
      ages.push(rules);
    }
  }
  ages.forEach((age) => Object.freeze(age));
  return (height) => {
    if (!(height >= 0)) throw new RangeError(`no rules at height ${height}`);
    const next = lowerBound(1, starts.length, (i) => (starts[i] as number) <= height);
    return ages[next - 1] as Rules;
  };
}
