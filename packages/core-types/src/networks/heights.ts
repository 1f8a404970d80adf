/**
 * The indexes at which rules change, in mainnet's history (docs/protocol/networks.md#heights). table.ts defines whether
 * a change applies from this index or from the next.
 */
export const mainnetHeights = {
  version2: 1,
  version3: 2,
  version4: 3,
  mixinV1: 10_000,
  lwma4: 100_000,
  lwma5: 128_800,
  version5: 302_400,
  mixinV2: 302_400,
  dustThreshold: 302_400,
  fusionDustThreshold: 400_000,
  mixinV3: 430_000,
  extraAndSignatureCount: 543_000,
  version6: 600_000,
  blockListAndTimeLock: 600_000,
  mixinV4: 658_500,
  minimumFee: 678_500,
  outputCount: 777_777,
  outputAmount: 800_000,
  feePerByte: 832_000,
  fusionFee: 864_864,
  version7: 1_000_000,
  mixinV5: 1_000_000,
  fusionFree: 1_123_000,
  txPow: 1_123_000,
  txPowDynamic: 1_200_000,
  minimumUnlock: 1_200_000,
  fixedReward: 1_500_000,
  mixinV6: 4_300_000,
  prunedPeers: 4_500_000,
};

export type RuleHeights = Readonly<typeof mainnetHeights>;

/**
 * Devnet is mainnet's history at 1:10,000, rounded down, so that every change is within the first 430 blocks; the
 * first three versions keep their indexes, since version 1 cannot start below 0.
 */
export const devnetHeights: RuleHeights = {
  ...(Object.fromEntries(
    Object.entries(mainnetHeights).map(([name, height]) => [name, Math.floor(height / 10_000)]),
  ) as RuleHeights),
  version2: 1,
  version3: 2,
  version4: 3,
};

/** The list of /info, for information only. The last one is the `supported_height`. */
export const mainnetUpgradeHeights: readonly number[] = [
  1, 40_000, 100_000, 302_400, 430_000, 543_000, 600_000, 678_500, 777_777, 832_000, 864_864, 1_000_000, 1_123_000,
  1_200_000, 1_500_000, 1_800_000, 2_500_000, 2_800_000, 3_500_000, 3_800_000, 4_300_000, 4_500_000,
];

/** The same at devnet's scale; the first stays 1. */
export const devnetUpgradeHeights: readonly number[] = mainnetUpgradeHeights.map((height) =>
  Math.max(1, Math.floor(height / 10_000)),
);
