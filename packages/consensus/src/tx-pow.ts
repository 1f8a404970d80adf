import type { Network, TransactionPrefix } from '@wrkz/core-types';

/** The proof-of-work function of transactions, of every age that asks for one. */
export const TX_POW_ALGORITHM = 'cn_upx' as const;

/**
 * The difficulty that the hash of the serialized prefix must meet (protocol 6), before any escape through the fee.
 *
 * @param height H: the index of the previous block, or of the top for a transaction yet to be mined
 * @returns 0 when none is needed
 */
export function transactionPowDifficulty(
  prefix: Pick<TransactionPrefix, 'inputs' | 'outputs'>,
  network: Network,
  height: number,
  fusion = false,
): bigint {
  const rule = network.rulesAt(height).txPow;
  if (rule === undefined) return 0n;
  if (fusion) return rule.fusion;
  return rule.base + BigInt(prefix.inputs.length + rule.outputFactor * prefix.outputs.length) * rule.perIo;
}
