import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { SnapshotRefused } from './errors';

/** What a snapshot says of itself (docs/protocol/snapshot.md#header). */
export interface SnapshotHeader {
  /** The snapshot is the chain below this height. */
  readonly liteHeight: number;
  readonly genesisHash: Buffer;
  readonly blockRecords: bigint;
  readonly keyImageRecords: bigint;
  /** Always 0 in files of the known programs. */
  readonly amountRecords: bigint;
  readonly keyOutputRecords: bigint;
  /** Transactions of the chain below the height, coinbases included. */
  readonly transactions: bigint;
  /** Distinct amounts of the outputs. */
  readonly amounts: bigint;
  /** 32 bytes; see {@link PayloadDigest}. */
  readonly digest: Buffer;
}

export const SNAPSHOT_HEADER_BYTES = 128;
export const SNAPSHOT_VERSION = 1;
const MAGIC = Buffer.from('WRKZLITE', 'latin1');
const ZEROS = Buffer.alloc(32);

/** Stands at the front until the whole file is written. */
export const RESERVED_HEADER: SnapshotHeader = {
  liteHeight: 0,
  genesisHash: ZEROS,
  blockRecords: 0n,
  keyImageRecords: 0n,
  amountRecords: 0n,
  keyOutputRecords: 0n,
  transactions: 0n,
  amounts: 0n,
  digest: ZEROS,
};

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

/** @param name what messages call the file @throws SnapshotRefused */
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
 * Opens a snapshot for reading. A pipe is refused and not waited for: nobody may ever write into it, and a signal would not be
 * heard meanwhile.
 * @returns a descriptor
 * @throws SnapshotRefused; what the file system refuses, as it has it
 */
export function openSnapshot(path: string): number {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new SnapshotRefused(`${path} is not a regular file`);
}

/** The header of a file. @throws SnapshotRefused; what the file system refuses, as it has it */
export function readSnapshotHeader(path: string): SnapshotHeader {
  const fd = openSnapshot(path);
  try {
    const bytes = Buffer.alloc(SNAPSHOT_HEADER_BYTES);
    let length = 0;
    for (let read = -1; read !== 0 && length < SNAPSHOT_HEADER_BYTES; length += read) {
      read = readSync(fd, bytes, length, SNAPSHOT_HEADER_BYTES - length, length);
    }
    return decodeSnapshotHeader(bytes.subarray(0, length), path);
  } finally {
    closeSync(fd);
  }
}

/** Sum of the four counts, which may wrap in a liar's file as it does in the reference. */
export function totalRecords(header: SnapshotHeader): bigint {
  const { blockRecords, keyImageRecords, amountRecords, keyOutputRecords } = header;
  return BigInt.asUintN(64, blockRecords + keyImageRecords + amountRecords + keyOutputRecords);
}
