import {
  Command,
  newLiteBlock,
  newBlock,
  newTransactions,
  requestChain,
  requestObjects,
  requestPool,
  type SyncData,
} from './commands';
import type { Connection } from './connection/connection';
import type { CloseReason } from './connection/close-reasons';
import { LITE_BLOCK_VERSION } from './constants';
import type { RawBlock } from '@wrkz/core-types';
import { RecentHashes } from './hash-key';
import type { SyncSession } from './sync/sync-peer';

/**
 * `before-handshake`: nothing is known of the peer. `synchronizing`: blocks are fetched from it. `normal`: blocks and
 * transactions are exchanged as they appear. `idle`: a synchronisation was given up; the next timed sync decides.
 */
export type SessionState = 'before-handshake' | 'synchronizing' | 'normal' | 'idle';

/** One peer after the socket is open: what it said of itself, what it is known to have, and how it is spoken to. */
export class Session implements SyncSession {
  state: SessionState = 'before-handshake';
  version = 0;
  peerId = 0n;
  /** The port that it says it listens on; 0 when hidden. */
  listeningPort = 0;
  remoteHeight = 0;
  syncData: SyncData | undefined;
  /** What an incoming handshake brought, until the reply to it is on its way. */
  pendingSyncData: SyncData | undefined;
  /** The top at which the last synchronisation from it ended, and until when that one is not tried again. */
  settledTop: { readonly key: string; readonly until: number } | undefined;
  /** Failed too often to be synchronised from again. */
  demoted = false;
  /** Its top is unknown to us and no place was free. */
  wantsSync = false;
  /** The pool or transactions of a block were asked for; large answers are welcome. */
  transactionsAsked = false;
  readonly knownTransactions = new RecentHashes(10_000);
  readonly knownBlocks = new RecentHashes(200);

  constructor(
    readonly id: number,
    readonly connection: Connection,
    readonly startedAt: number,
  ) {}

  get name(): string {
    return this.connection.name;
  }

  get incoming(): boolean {
    return this.connection.incoming;
  }

  get lastHeard(): number {
    return this.connection.lastHeard;
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

  askChain(hashes: readonly Buffer[]): void {
    this.connection.notify(Command.requestChain, requestChain.encode({ hashes }));
  }

  askObjects(blocks: readonly Buffer[]): void {
    this.connection.notify(Command.requestObjects, requestObjects.encode({ transactions: [], blocks }));
  }

  askPool(hashes: readonly Buffer[]): void {
    this.transactionsAsked = true;
    this.connection.notify(Command.requestPool, requestPool.encode({ hashes }));
  }

  sendTransactions(transactions: readonly Buffer[]): void {
    this.connection.notify(Command.newTransactions, newTransactions.encode({ transactions }));
  }

  /** Announces a block: without its transactions to everybody since version 4, whole to older peers. */
  sendBlock(raw: RawBlock, currentHeight: number, hop: number): void {
    if (this.version >= LITE_BLOCK_VERSION) {
      this.connection.notify(Command.newLiteBlock, newLiteBlock.encode({ currentHeight, hop, block: raw.block }));
    } else {
      this.connection.notify(Command.newBlock, newBlock.encode({ block: raw, currentHeight, hop }));
    }
  }
}
