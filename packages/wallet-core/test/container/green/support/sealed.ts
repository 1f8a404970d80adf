import { encodeVarint, networkOf } from '@wrkz/core-types';
import { powHash, secretKeyToPublicKey } from '@wrkz/crypto';
import { chaCha8 } from '../../../../src/container/green/keys';

/** Keys for WalletGreen files that tests create. */
const VIEW_SECRET = Buffer.alloc(32, 0).fill(7, 0, 8);
export const SPEND_SECRET = Buffer.alloc(32, 0).fill(9, 0, 8);
export const PASSWORD = 'made';
const cacheKey = powHash('cn_slow_hash_v0', Buffer.from(PASSWORD));

/** The encrypted cache as stored in a file: each byte is a varint. @param count the stored number of bytes */
export function sealedCache(plain: Buffer, count: bigint | number = plain.length): Buffer {
  const iv = Buffer.from('0102030405060708', 'hex');
  const sealed = chaCha8(cacheKey, iv, plain);
  const numbers = Buffer.alloc(sealed.length * 2);
  let length = 0;
  for (const byte of sealed) {
    numbers[length++] = byte;
    if (byte >= 0x80) numbers[length++] = 1;
  }
  return Buffer.concat([iv, encodeVarint(count), numbers.subarray(0, length)]);
}

function record(secret: Buffer, iv: number, time = 0n): Buffer {
  const bytes = Buffer.alloc(80);
  bytes.writeBigUInt64LE(BigInt(iv));
  const plain = Buffer.alloc(72);
  secretKeyToPublicKey(secret).copy(plain);
  secret.copy(plain, 32);
  plain.writeBigUInt64LE(time, 64);
  chaCha8(cacheKey, bytes.subarray(0, 8), plain).copy(bytes, 8);
  return bytes;
}

/** The secret keys of a file. */
export interface GreenSecrets {
  readonly view: Buffer;
  readonly spend: Buffer;
}

/** A file with one address. @param cache from `sealedCache`, or empty */
export function greenFile(
  cache: Buffer,
  time = 0n,
  { view, spend }: GreenSecrets = { view: VIEW_SECRET, spend: SPEND_SECRET },
): Buffer {
  const prefix = Buffer.alloc(9);
  prefix[0] = 6;
  const counts = Buffer.alloc(16);
  counts.writeBigUInt64LE(1n, 0);
  counts.writeBigUInt64LE(1n, 8);
  return Buffer.concat([prefix, record(view, 1), counts, record(spend, 2, time), cache]);
}

/** A decrypted cache whose synchronizer has scanned blocks without transactions. */
export function* emptyHistory(blocks: number): Generator<Buffer> {
  const spendKey = secretKeyToPublicKey(SPEND_SECRET);
  const viewKey = secretKeyToPublicKey(VIEW_SECRET);
  const varint = (value: number): Buffer => encodeVarint(value);
  const transfers = Buffer.from([0, 0, 0, 0, 0, 0]);
  const subscription = Buffer.concat([spendKey, viewKey, varint(transfers.length), transfers]);
  const hashes = Buffer.concat([varint(blocks), Buffer.alloc(32 * blocks, 0xd5)]);
  const synchronizer = Buffer.concat([
    networkOf('mainnet').genesis.hash,
    Buffer.from([0, 1]),
    viewKey,
    varint(hashes.length),
    hashes,
    Buffer.from([1]),
    subscription,
  ]);
  yield Buffer.concat([Buffer.from([2, 1]), spendKey, Buffer.from([0, 0, 0, 0])]);
  yield Buffer.concat([varint(synchronizer.length), synchronizer]);
  yield Buffer.from([0, 0, 0]);
}
