import type { FileHandle } from 'node:fs/promises';
import { chacha8 } from '@noble/ciphers/chacha';
import { checkKey, powHashAsync, secretKeyToPublicKey } from '@wrkz/crypto';
import { EventLoopYielder } from '@wrkz/service-kit/base';
import { walletError, walletErrorOf } from '../../errors';
import { readAt } from '../file-io';

/* The header and the key records of a WalletGreen file (docs/protocol/wallet.md#old-containers). Integers are little-endian. */

/** The first byte of the file. No other version exists. */
const GREEN_VERSION = 6;
const VERSION_SIZE = 1;
export const IV_SIZE = 8;
/** An initialisation vector, then the encrypted public key, secret key and creation time. */
const RECORD_SIZE = 80;
const VIEW_RECORD_OFFSET = VERSION_SIZE + IV_SIZE;
const CAPACITY_OFFSET = VIEW_RECORD_OFFSET + RECORD_SIZE;
const SIZE_OFFSET = CAPACITY_OFFSET + 8;
export const GREEN_PREFIX_SIZE = SIZE_OFFSET + 8;

export interface GreenLayout {
  /** The number of spend records in use. */
  readonly records: number;
  /** Offset of the cache, or the size of the file if there is no cache. */
  readonly cacheOffset: number;
}

/**
 * The layout of a WalletGreen file; undefined when version or lengths are invalid.
 * @param start the first {@link GREEN_PREFIX_SIZE} bytes, or all bytes of a shorter file
 */
export function greenLayout(start: Buffer, fileSize: number): GreenLayout | undefined {
  if (start.length < GREEN_PREFIX_SIZE || start[0] !== GREEN_VERSION) return undefined;
  // BigInt: an invalid capacity times the record size can exceed 64 bits and overflowed in the C++ wallets.
  const capacity = start.readBigUInt64LE(CAPACITY_OFFSET);
  const size = start.readBigUInt64LE(SIZE_OFFSET);
  const cacheOffset = BigInt(GREEN_PREFIX_SIZE) + BigInt(RECORD_SIZE) * capacity;
  if (size > capacity || cacheOffset > BigInt(fileSize)) return undefined;
  return { records: Number(size), cacheOffset: Number(cacheOffset) };
}

const RECORDS_PER_READ = 1024;
const NO_SECRET = Buffer.alloc(32);

export interface GreenSpendKey {
  readonly publicKey: Buffer;
  /** Undefined in a view-only file. */
  readonly secretKey: Buffer | undefined;
  /** Start of the scan in Unix seconds; 0 is the whole chain. */
  readonly creationTime: bigint;
}

export interface GreenKeys {
  readonly viewPublic: Buffer;
  readonly viewSecret: Buffer;
  /** Distinct keys, in the order of the addresses. */
  readonly spendKeys: readonly GreenSpendKey[];
  /** The ChaCha key of records and cache. */
  readonly cacheKey: Buffer;
}

/**
 * Decrypts the key records.
 * @throws WalletError wrongPassword when a public key does not match its secret key, since the password is wrong or the
 * record is damaged; walletFileCorrupted when only some records have a secret key
 */
export async function readGreenKeys(handle: FileHandle, layout: GreenLayout, password: string): Promise<GreenKeys> {
  const cacheKey = await powHashAsync('cn_slow_hash_v0', Buffer.from(password));
  const view = decryptRecord(await readAt(handle, VIEW_RECORD_OFFSET, RECORD_SIZE), cacheKey);
  if (!isPair(view.publicKey, view.secretKey)) throw walletError.wrongPassword();
  const found = new Map<string, GreenSpendKey>();
  let viewOnly = 0;
  const yielder = new EventLoopYielder();
  for (let first = 0; first < layout.records; first += RECORDS_PER_READ) {
    const count = Math.min(RECORDS_PER_READ, layout.records - first);
    const bytes = await readAt(handle, GREEN_PREFIX_SIZE + first * RECORD_SIZE, count * RECORD_SIZE);
    for (let i = 0; i < count; i++) {
      const record = decryptRecord(bytes.subarray(i * RECORD_SIZE, (i + 1) * RECORD_SIZE), cacheKey);
      const isViewOnly = record.secretKey.equals(NO_SECRET);
      const isValid = isViewOnly ? checkKey(record.publicKey) : isPair(record.publicKey, record.secretKey);
      if (!isValid) {
        const cause = new Error(`the keys of record ${first + i} do not belong together`);
        throw walletErrorOf('wrongPassword', undefined, { cause });
      }
      if (isViewOnly) viewOnly++;
      // As in the C++ wallets: of two records with one key, the first is used.
      const hex = record.publicKey.toString('hex');
      if (!found.has(hex)) found.set(hex, { ...record, secretKey: isViewOnly ? undefined : record.secretKey });
      if (yielder.isDue) await yielder.yieldIfDue();
    }
  }
  if (viewOnly !== 0 && viewOnly !== layout.records) {
    const cause = new Error('only some records have a secret key');
    throw walletErrorOf('walletFileCorrupted', undefined, { cause });
  }
  return { viewPublic: view.publicKey, viewSecret: view.secretKey, spendKeys: [...found.values()], cacheKey };
}

function decryptRecord(sealed: Buffer, key: Buffer): { publicKey: Buffer; secretKey: Buffer; creationTime: bigint } {
  const plain = chaCha8(key, sealed.subarray(0, IV_SIZE), sealed.subarray(IV_SIZE));
  return {
    publicKey: plain.subarray(0, 32),
    secretKey: plain.subarray(32, 64),
    creationTime: plain.readBigUInt64LE(64),
  };
}

function isPair(publicKey: Buffer, secretKey: Buffer): boolean {
  try {
    return secretKeyToPublicKey(secretKey).equals(publicKey);
  } catch {
    return false;
  }
}

/**
 * Encrypts or decrypts with the original ChaCha8: 8 rounds, a 64-bit block counter and a 64-bit nonce. Up to 256 GiB its
 * output equals the library's variant with a 32-bit counter and a 96-bit nonce whose first four bytes are zero.
 * @param nonce 8 bytes
 * @param block counter of the first 64-byte block
 */
export function chaCha8(key: Buffer, nonce: Buffer, bytes: Buffer, block = 0): Buffer {
  return Buffer.from(chacha8(key, Buffer.concat([Buffer.alloc(4), nonce]), bytes, undefined, block));
}
