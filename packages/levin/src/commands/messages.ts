import type { RawBlock } from '@wrkz/core-types';
import type { PeerEntry } from '../peer-entries';

/** Data of the sender (`basic_node_data`). `networkId` has 16 bytes, `localTime` is in seconds, `myPort` 0 when hidden. */
export interface NodeData {
  readonly networkId: Buffer;
  readonly version: number;
  readonly peerId: bigint;
  readonly localTime: bigint;
  readonly myPort: number;
}

/**
 * The state of the sender's chain (`CORE_SYNC_DATA`). `currentHeight` is its tip index + 1. Nodes older than version 19 do not
 * send the capability fields, which then count as 0.
 */
export interface SyncData {
  readonly currentHeight: number;
  readonly tipHash: Buffer;
  readonly capabilityFlags?: number | undefined;
  readonly prunedNodeHeight?: number | undefined;
  readonly liteStartHeight?: number | undefined;
}

/** Peer lists as sent, IPv4 and IPv6 separately. */
export interface PeerLists {
  readonly peers: readonly PeerEntry[];
  readonly peers6: readonly PeerEntry[];
}

export interface HandshakeRequest {
  readonly nodeData: NodeData;
  readonly syncData: SyncData;
}

export interface HandshakeResponse extends HandshakeRequest, PeerLists {}

export interface TimedSyncRequest {
  readonly syncData: SyncData;
}

export interface TimedSyncResponse extends TimedSyncRequest, PeerLists {
  readonly localTime: bigint;
}

export interface PingResponse {
  readonly status: string;
  readonly peerId: bigint;
}

export interface NewBlock {
  readonly block: RawBlock;
  readonly currentHeight: number;
  readonly hop: number;
}

export interface NewTransactions {
  readonly transactions: readonly Buffer[];
}

export interface RequestObjects {
  /** Always empty on this network. */
  readonly transactions: readonly Buffer[];
  readonly blocks: readonly Buffer[];
}

export interface ResponseObjects {
  readonly transactions: readonly Buffer[];
  readonly blocks: readonly RawBlock[];
  readonly missed: readonly Buffer[];
  readonly currentHeight: number;
}

export interface RequestChain {
  readonly hashes: readonly Buffer[];
}

export interface ResponseChain {
  readonly startHeight: number;
  readonly totalHeight: number;
  readonly hashes: readonly Buffer[];
}

export interface RequestPool {
  readonly hashes: readonly Buffer[];
}

/** The request as received. Hashes stay concatenated, because a pool may have hundreds of thousands of them. */
export interface PoolRequest {
  readonly packed: Buffer;
}

export interface NewLiteBlock {
  readonly currentHeight: number;
  readonly hop: number;
  readonly block: Buffer;
}

export interface MissingTransactions {
  readonly currentHeight: number;
  readonly blockHash: Buffer;
  readonly hashes: readonly Buffer[];
}
