import { MAX_UINT64 } from '@wrkz/core-types';

/**
 * What the last 8 bytes of a hash must lie below, as 16 hex digits, little-endian
 * (docs/protocol/stratum.md#jobs).
 */
export function targetText(difficulty: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(difficulty > 1n ? MAX_UINT64 / difficulty : MAX_UINT64);
  return bytes.toString('hex');
}
