import type { RawBlock } from '@wrkz/core-types';
import {
  Command,
  newBlock,
  newLiteBlock,
  newTransactions,
  requestChain,
  requestObjects,
  requestPool,
  type SyncData,
} from '@wrkz/levin';
import type { PeerConnection } from '../connection/peer-connection';
import { LITE_BLOCK_VERSION } from '../constants';
import type { AddressBudget } from '../limits/address-budget';
import type { CloseReason } from '../limits/close-reasons';
import type { P2pClock } from '../ports';
import { type ChainClaim, newSyncRecord, type SyncRecord } from '../sync/sync-record';
import { RecentHashes } from '../hashes';

/** Approximate bytes per relay of transactions. */
const RELAY_BYTES = 1024 * 1024;
/** Milliseconds for which transactions are held after a lite block, so that the peer can request missing ones. */
const HOLD_TRANSACTIONS = 2_000;

/**
 * `before-handshake`: no data of the peer yet. `synchronizing`: blocks are downloaded from it. `normal`: new blocks and
 * transactions are relayed. `idle`: a synchronisation was abandoned; the next timed sync decides.
 */
export type SessionState = 'before-handshake' | 'synchronizing' | 'normal' | 'idle';

/** A connected peer: its node data and claims, the hashes that it is known to have, and messages to it. */
export class Session {
  state: SessionState = 'before-handshake';
  version = 0;
  peerId = 0n;
  /** The announced port; 0 if hidden. */
  listeningPort = 0;
  remoteHeight = 0;
  /** The peer's latest claim about its chain. */
  claim: ChainClaim | undefined;
  readonly record: SyncRecord = newSyncRecord();
  syncData: SyncData | undefined;
  /** The peer's tip at which the last synchronisation ended, and the time until which that tip is not tried again. */
  settledTip: { readonly key: string; readonly until: number } | undefined;
  /** Whether the peer failed too often and is no longer used for synchronisation. */
  demoted = false;
  /** Whether the tip of the peer is unknown to us and no sync slot was free. */
  needsSync = false;
  /** Whether the pool or transactions of a block were requested, so that large responses are allowed. */
  awaitsTransactions = false;
  /** Transactions are held until this time (milliseconds): see `sendBlock`. */
  holdTransactionsUntil = 0;
  heldTransactions: Buffer[] = [];
  /** The shortest round trip of a timed sync, milliseconds; Infinity before the first one. */
  latency = Infinity;
  /** Time of the last new and valid block or transaction from the peer, milliseconds; -Infinity for never. */
  lastBlockAt = -Infinity;
  lastTransactionAt = -Infinity;
  readonly knownTransactions = new RecentHashes(10_000);
  readonly knownBlocks = new RecentHashes(200);

  /** Milliseconds on the monotonic clock. */
  readonly startedAt: number;
  /** Milliseconds since 1970. */
  readonly connectedAt: number;

  /** @param id unique in this process @param budget of the peer's address */
  constructor(
    readonly id: number,
    readonly connection: PeerConnection,
    readonly budget: AddressBudget,
    clock: Pick<P2pClock, 'now' | 'wall'>,
  ) {
    this.startedAt = clock.now();
    this.connectedAt = clock.wall();
  }

  get name(): string {
    return this.connection.name;
  }

  get incoming(): boolean {
    return this.connection.incoming;
  }

  get isOpen(): boolean {
    return this.connection.isOpen;
  }

  get handshaken(): boolean {
    return this.state !== 'before-handshake';
  }

  close(reason: CloseReason): void {
    this.connection.close(reason);
  }

  requestChain(hashes: readonly Buffer[]): void {
    this.connection.notify(Command.requestChain, requestChain.encode({ hashes }));
  }

  requestObjects(blocks: readonly Buffer[]): void {
    this.connection.notify(Command.requestObjects, requestObjects.encode({ transactions: [], blocks }));
  }

  requestPool(hashes: readonly Buffer[]): void {
    this.awaitsTransactions = true;
    this.connection.notify(Command.requestPool, requestPool.encode({ hashes }));
  }

  sendTransactions(transactions: readonly Buffer[]): void {
    this.connection.notify(Command.newTransactions, newTransactions.encode({ transactions }));
  }

  /**
   * Relays transactions in chunks. After a lite block they are held: a peer that has requested transactions of that block
   * interprets the next message as the response, and disconnects if the transactions are missing.
   */
  relayTransactions(transactions: readonly Buffer[], now: number): void {
    this.heldTransactions.push(...transactions);
    if (now >= this.holdTransactionsUntil) this.releaseTransactions();
  }

  releaseTransactions(): void {
    this.holdTransactionsUntil = 0;
    let start = 0;
    let bytes = 0;
    for (const [index, transaction] of this.heldTransactions.entries()) {
      bytes += transaction.length;
      if (bytes < RELAY_BYTES && index + 1 < this.heldTransactions.length) continue;
      this.sendTransactions(this.heldTransactions.slice(start, index + 1));
      start = index + 1;
      bytes = 0;
    }
    this.heldTransactions = [];
  }

  /** Called about once a second: sends held transactions if the peer sent no request in time. */
  tick(now: number): void {
    if (this.heldTransactions.length > 0 && now >= this.holdTransactionsUntil) this.releaseTransactions();
  }

  /** Announces a block: as a lite block to peers of version 4 or later, as a whole to older ones. */
  sendBlock(raw: RawBlock, currentHeight: number, hop: number, now: number): void {
    if (this.version >= LITE_BLOCK_VERSION) {
      // Further blocks do not extend the hold of transactions that are already waiting.
      const isWaiting = this.heldTransactions.length > 0;
      if (raw.transactions.length > 0 && !isWaiting) this.holdTransactionsUntil = now + HOLD_TRANSACTIONS;
      this.connection.notify(Command.newLiteBlock, newLiteBlock.encode({ currentHeight, hop, block: raw.block }));
    } else {
      this.connection.notify(Command.newBlock, newBlock.encode({ block: raw, currentHeight, hop }));
    }
  }
}
