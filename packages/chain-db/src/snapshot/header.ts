import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { SnapshotRefused } from '../errors';
import { readBytes } from './files';

/** The header of a snapshot file (docs/protocol/snapshot.md#header). */
export interface SnapshotHeader {
  /** The snapshot holds the chain below this height. */
  readonly liteHeight: number;
  readonly genesisHash: Buffer;
  readonly blockRecords: bigint;
  readonly keyImageRecords: bigint;
  /** 0 in the files of every known program. */
  readonly amountRecords: bigint;
  readonly keyOutputRecords: bigint;
  /** Transactions of the chain below the height, coinbases included. */
  readonly transactions: bigint;
  /** Distinct amounts of the outputs. */
  readonly amounts: bigint;
  /** 32 bytes, see `PayloadDigest`. */
  readonly digest: Buffer;
}

export const SNAPSHOT_HEADER_BYTES = 128;
export const SNAPSHOT_VERSION = 1;
const MAGIC = Buffer.from('WRKZLITE', 'latin1');

export function encodeSnapshotHeader(header: SnapshotHeader): Buffer {
  const bytes = Buffer.alloc(SNAPSHOT_HEADER_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(SNAPSHOT_VERSION, 8);
  header.genesisHash.copy(bytes, 12);
  bytes.writeUInt32LE(header.liteHeight, 44);
  const { blockRecords, keyImageRecords, amountRecords, keyOutputRecords, transactions, amounts } = header;
  [blockRecords, keyImageRecords, amountRecords, keyOutputRecords, transactions, amounts].forEach((value, i) => {
    bytes.writeBigUInt64LE(value, 48 + 8 * i);
  });
  header.digest.copy(bytes, 96);
  return bytes;
}

/** @param name the file in error messages @throws SnapshotRefused */
export function decodeSnapshotHeader(bytes: Buffer, name: string): SnapshotHeader {
  if (bytes.length < SNAPSHOT_HEADER_BYTES)
    throw new SnapshotRefused(`${name} is too short to be a lite node snapshot`);
  if (!bytes.subarray(0, 8).equals(MAGIC)) throw new SnapshotRefused(`${name} is not a lite node snapshot`);
  const version = bytes.readUInt32LE(8);
  if (version !== SNAPSHOT_VERSION) {
    throw new SnapshotRefused(
      `${name} is a version ${version} lite node snapshot, and this build reads version ${SNAPSHOT_VERSION}`,
    );
  }
  return {
    genesisHash: bytes.subarray(12, 44),
    liteHeight: bytes.readUInt32LE(44),
    blockRecords: bytes.readBigUInt64LE(48),
    keyImageRecords: bytes.readBigUInt64LE(56),
    amountRecords: bytes.readBigUInt64LE(64),
    keyOutputRecords: bytes.readBigUInt64LE(72),
    transactions: bytes.readBigUInt64LE(80),
    amounts: bytes.readBigUInt64LE(88),
    digest: bytes.subarray(96, 128),
  };
}

/**
 * Opens a snapshot for reading. A pipe is refused without blocking: the open could wait forever for a writer.
 * @returns a file descriptor
 * @throws SnapshotRefused; the error of the file system
 */
export function openSnapshot(path: string): number {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new SnapshotRefused(`${path} is not a regular file`);
}

/** The header of a file. @throws SnapshotRefused; the error of the file system */
export function readSnapshotHeader(path: string): SnapshotHeader {
  const fd = openSnapshot(path);
  try {
    return decodeSnapshotHeader(readBytes(fd, 0, SNAPSHOT_HEADER_BYTES), path);
  } finally {
    closeSync(fd);
  }
}

/** Sum of the four counts modulo 2^64, as in the reference: a forged header may overflow. */
export function totalRecords(header: SnapshotHeader): bigint {
  const { blockRecords, keyImageRecords, amountRecords, keyOutputRecords } = header;
  return BigInt.asUintN(64, blockRecords + keyImageRecords + amountRecords + keyOutputRecords);
}

/**
 * Payload digests of published snapshots by height. A snapshot cannot be verified without the bodies that it leaves out
 * (docs/protocol/snapshot.md#trust). All are mainnet's; an import compares the genesis hash.
 */
const BUILT_IN_DIGESTS: ReadonlyMap<number, string> = new Map([
  [4_000_000, '4601d802d990fa26b876ed7fdaffc00953cff6ca6b77299fd1c6981ef94fe09e'],
]);

/** Whether a snapshot is trusted. @param accepted further digests in hex that the operator trusts at any height */
export function isAcceptedSnapshot(
  { liteHeight, digest }: Pick<SnapshotHeader, 'liteHeight' | 'digest'>,
  accepted: readonly string[] = [],
): boolean {
  const hex = digest.toString('hex');
  return accepted.some((other) => other.toLowerCase() === hex) || BUILT_IN_DIGESTS.get(liteHeight) === hex;
}
