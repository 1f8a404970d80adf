/* The outer form of a WalletGreen file (docs/protocol/wallet.md#old-containers). Integers are little-endian. */

/** The only version there is; the first byte of the file. */
export const GREEN_VERSION = 6;
const VERSION_SIZE = 1;
export const IV_SIZE = 8;
/** An initialisation vector, then the sealed public key, secret key and creation time. */
export const RECORD_SIZE = 80;
export const VIEW_RECORD_OFFSET = VERSION_SIZE + IV_SIZE;
const CAPACITY_OFFSET = VIEW_RECORD_OFFSET + RECORD_SIZE;
const SIZE_OFFSET = CAPACITY_OFFSET + 8;
/** Bytes in front of the spend records. */
export const GREEN_PREFIX_SIZE = SIZE_OFFSET + 8;

export interface GreenLayout {
  /** Spend records that are in use; they begin at {@link GREEN_PREFIX_SIZE}. */
  readonly records: number;
  /** Where the cache begins: at the end of the file when there is none. */
  readonly cacheOffset: number;
}

/**
 * Whether a file can be a WalletGreen one, and where its parts lie: undefined when the version or a length does not fit.
 * @param start the first {@link GREEN_PREFIX_SIZE} bytes, or all of a shorter file
 */
export function greenLayout(start: Buffer, fileSize: number): GreenLayout | undefined {
  if (start.length < GREEN_PREFIX_SIZE || start[0] !== GREEN_VERSION) return undefined;
  // The product may pass 64 bits: the reference's wraps around there.
  const capacity = start.readBigUInt64LE(CAPACITY_OFFSET);
  const size = start.readBigUInt64LE(SIZE_OFFSET);
  const cacheOffset = BigInt(GREEN_PREFIX_SIZE) + BigInt(RECORD_SIZE) * capacity;
  if (size > capacity || cacheOffset > BigInt(fileSize)) return undefined;
  return { records: Number(size), cacheOffset: Number(cacheOffset) };
}
