import type { Block, RawBlock } from '@wrkz/core-types';
import type { Logger } from '@wrkz/service-kit';
import type { AddBlockResult } from '../chain/results';
import type { CommitListener } from '../chain/service';

/** Log of the peer-to-peer code. Messages contain addresses and hashes, never message bodies. */
export type P2pLogger = Pick<Logger, 'debug' | 'info' | 'warning' | 'error'>;

export interface Timer {
  cancel(): void;
}

/** Clock and timers, replaceable in tests. */
export interface P2pClock {
  /** Monotonic milliseconds: for intervals, limits and timeouts. */
  now(): number;
  /** System time, milliseconds since 1970: for messages and files. It may jump. */
  wall(): number;
  /** Calls back once after `milliseconds`; a pending timer does not keep the process alive. */
  after(milliseconds: number, callback: () => void): Timer;
  /** Calls back every `milliseconds` until cancelled. */
  every(milliseconds: number, callback: () => void): Timer;
}

/** The random source of the operating system. */
export interface P2pRandom {
  bytes(count: number): Buffer;
}

/** The height from which a node serves blocks. Both fields are absent for a node that serves all blocks. */
export interface BlockAvailability {
  /** For a pruned node: increases with the tip. */
  readonly pruned?: number;
  /** For a lite node. */
  readonly lite?: number;
}

/**
 * The chain as used by the peer-to-peer code. Lookups are synchronous, fast and see only committed blocks. A known block is
 * stored, on the main chain or an alternative chain. Heights are block indexes.
 */
export interface ChainPort {
  /** The range of blocks that this node can serve. */
  availability(): BlockAvailability;
  tip(): { readonly height: number; readonly hash: Buffer };
  isKnown(hash: Buffer): boolean;
  /** The height of a main-chain block. */
  heightOf(hash: Buffer): number | undefined;
  hashAt(height: number): Buffer | undefined;
  /** Main-chain hashes of [start, start + count), fewer at the tip. */
  hashes(start: number, count: number): Buffer[];
  /** A stored block, main chain or alternative. */
  rawBlock(hash: Buffer): RawBlock | undefined;
  /** A main-chain transaction as serialized. */
  transaction(hash: Buffer): Buffer | undefined;
  /**
   * Upper bound of the number of transactions in a block that follows this one, from the maximum block size. If the previous
   * block is unknown, the bound holds for the next two years.
   */
  transactionsOfBlock(previousHash: Buffer): number;
  /** Upper bound of the bytes of a block without its transactions, for the next two years. */
  largestBlock(): number;
  /**
   * Checks the proof of work of a block whose parent is known. `fails`: the proof is invalid. `deep`: the block forks from the
   * main chain too far below the tip to be relevant.
   */
  checkProofOfWork(block: Buffer): Promise<'holds' | 'fails' | 'deep'>;
  /**
   * Adds blocks in order; the results end with the first rejected one.
   * @param more whether many blocks follow immediately, so that all may be committed together
   */
  addBlocks(blocks: readonly RawBlock[], source: 'sync' | 'relay', more?: boolean): Promise<readonly AddBlockResult[]>;
  on(event: 'commit', listener: CommitListener): unknown;
  off(event: 'commit', listener: CommitListener): unknown;
}

/** The result for a transaction that a peer sent. */
export interface PoolResult {
  readonly accepted: boolean;
  readonly message?: string | undefined;
  /**
   * Where a rejected transaction is invalid. `none`: it may be valid; it is known, the pool is full, or this node could not
   * validate it. `here`: on our chain. `everywhere`: on every chain that the sender may follow.
   */
  readonly scope?: 'none' | 'here' | 'everywhere' | undefined;
}

/** The transaction pool. `added` is emitted for every transaction that entered, from any source. */
export interface PoolPort {
  add(transaction: Buffer, source: 'p2p'): Promise<PoolResult>;
  has(hash: Buffer): boolean;
  get(hash: Buffer): Buffer | undefined;
  hashes(): Buffer[];
  on(event: 'added', listener: (event: { readonly hash: Buffer }) => void): unknown;
  off(event: 'added', listener: (event: { readonly hash: Buffer }) => void): unknown;
}

/** Parser and hash function of blocks and transactions; a dependency, so that sessions can be tested with fake blocks. */
export interface BlockCodec {
  /** Throws if the bytes are not a block. */
  parse(block: Buffer): { readonly hash: Buffer; readonly block: Pick<Block, 'previousHash' | 'transactionHashes'> };
  transactionHash(transaction: Buffer): Buffer;
}

/** The collaborators that the components of the peer-to-peer code share. */
export interface P2pPorts {
  readonly chain: ChainPort;
  readonly pool: PoolPort;
  readonly codec: BlockCodec;
  readonly clock: P2pClock;
  readonly logger: P2pLogger;
}
