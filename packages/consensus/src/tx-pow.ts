import { POW_NONCE_SIZE, type Network, type TransactionPrefix } from '@wrkz/core-types';
import { checkHash, powHash, type NonceSearch } from '@wrkz/crypto';

/** The proof-of-work function of transactions, at all heights that require one. */
export const TX_POW_ALGORITHM = 'cn_upx' as const;

/**
 * The difficulty that the hash of the serialized prefix must meet
 * (docs/protocol/transactions.md#transaction-proof-of-work), without the exemption by fee.
 *
 * @param height H: the index of the previous block, or of the tip for a transaction yet to be mined
 * @returns 0 if none is needed
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

/**
 * The arguments of `searchNonce` for a transaction: the nonce is the last 8 bytes of the serialized prefix, because its field
 * is the last of extra, and extra the last of the prefix.
 */
export function transactionPowSearch(
  prefix: Uint8Array,
  difficulty: bigint,
): Pick<NonceSearch, 'algorithm' | 'data' | 'nonceOffset' | 'nonceSize' | 'difficulty'> {
  const nonceOffset = prefix.length - POW_NONCE_SIZE;
  return { algorithm: TX_POW_ALGORITHM, data: prefix, nonceOffset, nonceSize: POW_NONCE_SIZE, difficulty };
}

/** Whether a serialized prefix with this nonce (8 bytes) meets the difficulty. One hash, synchronous. */
export function transactionNonceMeets(prefix: Uint8Array, nonce: Uint8Array, difficulty: bigint): boolean {
  const filled = Buffer.concat([prefix.subarray(0, -POW_NONCE_SIZE), nonce]);
  return checkHash(powHash(TX_POW_ALGORITHM, filled), difficulty);
}
