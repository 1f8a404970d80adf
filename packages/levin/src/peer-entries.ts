import * as ipaddr from 'ipaddr.js';
import { BodyError } from './body-error';

/** A known peer; `lastSeen` in seconds since 1970 of our clock, 0 for never. */
export interface PeerEntry {
  readonly host: string;
  readonly port: number;
  readonly id: bigint;
  readonly lastSeen: number;
}

/** Bytes of an IPv4 entry: ip 4, port 4, id 8, last seen 8. */
export const ENTRY_SIZE = 24;
/** Bytes of an IPv6 entry: id 8, last seen 8, ip 16, port 4, padding 4. */
export const ENTRY6_SIZE = 40;

/** Max entries that programs send; the rest of a longer list is ignored. */
const MAX_ENTRIES = 250;

function count(blob: Buffer, size: number): number {
  if (blob.length % size !== 0) throw new BodyError(`a peer list of ${blob.length} bytes is not a multiple of ${size}`);
  return Math.min(blob.length / size, MAX_ENTRIES);
}

/** Decodes `local_peerlist`. Ports may be out of range: the address book rejects them. */
export function decodePeers(blob: Buffer): PeerEntry[] {
  return Array.from({ length: count(blob, ENTRY_SIZE) }, (_, index) => {
    const at = index * ENTRY_SIZE;
    return {
      host: hostOfBytes(blob.subarray(at, at + 4)),
      port: blob.readUInt32LE(at + 4),
      id: blob.readBigUInt64LE(at + 8),
      lastSeen: Number(blob.readBigUInt64LE(at + 16)),
    };
  });
}

/** Decodes `local_peerlist6`. */
export function decodePeers6(blob: Buffer): PeerEntry[] {
  return Array.from({ length: count(blob, ENTRY6_SIZE) }, (_, index) => {
    const at = index * ENTRY6_SIZE;
    return {
      host: hostOfBytes(blob.subarray(at + 16, at + 32)),
      port: blob.readUInt32LE(at + 32),
      id: blob.readBigUInt64LE(at),
      lastSeen: Number(blob.readBigUInt64LE(at + 8)),
    };
  });
}

/**
 * The `size` bytes of a host in an entry.
 * @throws RangeError for an address of the other family: truncated or padded it would be another address
 */
function hostField(host: string, size: 4 | 16): Buffer {
  const bytes = Buffer.from(ipaddr.process(host).toByteArray());
  if (bytes.length !== size) throw new RangeError(`${host} does not fit an entry with ${size} bytes of address`);
  return bytes;
}

/** Encodes `local_peerlist`; every host must be IPv4. @throws RangeError for an IPv6 host */
export function encodePeers(entries: readonly PeerEntry[]): Buffer {
  const blob = Buffer.alloc(entries.length * ENTRY_SIZE);
  entries.forEach((entry, index) => {
    const at = index * ENTRY_SIZE;
    hostField(entry.host, 4).copy(blob, at);
    blob.writeUInt32LE(entry.port, at + 4);
    blob.writeBigUInt64LE(entry.id, at + 8);
    blob.writeBigUInt64LE(BigInt(entry.lastSeen), at + 16);
  });
  return blob;
}

/** Encodes `local_peerlist6`; every host must be IPv6. The padding is zero. @throws RangeError for an IPv4 host */
export function encodePeers6(entries: readonly PeerEntry[]): Buffer {
  const blob = Buffer.alloc(entries.length * ENTRY6_SIZE);
  entries.forEach((entry, index) => {
    const at = index * ENTRY6_SIZE;
    blob.writeBigUInt64LE(entry.id, at);
    blob.writeBigUInt64LE(BigInt(entry.lastSeen), at + 8);
    hostField(entry.host, 16).copy(blob, at + 16);
    blob.writeUInt32LE(entry.port, at + 32);
  });
  return blob;
}

/** The canonical address of 4 or 16 bytes. */
function hostOfBytes(bytes: Buffer): string {
  return ipaddr.process(ipaddr.fromByteArray([...bytes]).toString()).toString();
}
