import type { FileHandle } from 'node:fs/promises';
import { checkKey, powHashAsync, secretKeyToPublicKey } from '@wrkz/crypto';
import { walletError, walletErrorOfCode, walletErrorRows } from '../../errors';
import { readAt } from '../file-io';
import { TurnTaker } from '../turns';
import { ChaCha8 } from './chacha8';

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

/** Records that are read at once. */
const RECORDS_AT_ONCE = 1024;
const NO_SECRET = Buffer.alloc(32);

export interface GreenSpendKey {
  readonly publicKey: Buffer;
  /** Undefined in a tracking container. */
  readonly secretKey: Buffer | undefined;
  /** From when the address is scanned: unix seconds, 0 for the whole chain. */
  readonly creationTime: bigint;
}

export interface GreenKeys {
  readonly viewPublic: Buffer;
  readonly viewSecret: Buffer;
  /** In the order of the addresses; none stands twice. */
  readonly spendKeys: readonly GreenSpendKey[];
  /** What opens the cache. */
  readonly cacheKey: Buffer;
}

/**
 * Opens the records.
 * @throws WalletError 5 when a pair of keys does not fit, which a wrong password and a damaged record have in common; 4 when
 * tracking and other records are mixed
 */
export async function readGreenKeys(handle: FileHandle, layout: GreenLayout, password: string): Promise<GreenKeys> {
  const cacheKey = await powHashAsync('cn_slow_hash_v0', Buffer.from(password));
  const view = openRecord(await readAt(handle, VIEW_RECORD_OFFSET, RECORD_SIZE), cacheKey);
  if (!isPair(view.publicKey, view.secretKey)) throw walletError.wrongPassword();
  const found = new Map<string, GreenSpendKey>();
  let tracking = 0;
  const turns = new TurnTaker();
  for (let first = 0; first < layout.records; first += RECORDS_AT_ONCE) {
    const count = Math.min(RECORDS_AT_ONCE, layout.records - first);
    const bytes = await readAt(handle, GREEN_PREFIX_SIZE + first * RECORD_SIZE, count * RECORD_SIZE);
    for (let i = 0; i < count; i++) {
      const record = openRecord(bytes.subarray(i * RECORD_SIZE, (i + 1) * RECORD_SIZE), cacheKey);
      const isTracking = record.secretKey.equals(NO_SECRET);
      if (isTracking ? !checkKey(record.publicKey) : !isPair(record.publicKey, record.secretKey))
        throw unfit(first + i);
      if (isTracking) tracking++;
      // Of two records with one key the reference keeps the first.
      const hex = record.publicKey.toString('hex');
      if (!found.has(hex)) found.set(hex, { ...record, secretKey: isTracking ? undefined : record.secretKey });
      if (turns.isDue()) await turns.pause();
    }
  }
  if (tracking !== 0 && tracking !== layout.records) throw mixed();
  return { viewPublic: view.publicKey, viewSecret: view.secretKey, spendKeys: [...found.values()], cacheKey };
}

function openRecord(sealed: Buffer, key: Buffer): { publicKey: Buffer; secretKey: Buffer; creationTime: bigint } {
  const plain = new ChaCha8(key, sealed.subarray(0, IV_SIZE)).apply(Buffer.from(sealed.subarray(IV_SIZE)));
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

function unfit(record: number): Error {
  const cause = new Error(`the keys of record ${record} do not fit each other`);
  return walletErrorOfCode(walletErrorRows.wrongPassword.code, undefined, { cause });
}

function mixed(): Error {
  const cause = new Error('some records have a secret key and some have none');
  return walletErrorOfCode(walletErrorRows.walletFileCorrupted.code, undefined, { cause });
}
