import type { Block, RawBlock } from '@wrkz/core-types';
import { Command, missingTransactions, type NewBlock, type NewLiteBlock } from '@wrkz/levin';
import { BoundedMap, EventLoopYielder } from '@wrkz/service-kit/base';
import { type AddBlockResult, isAccepted } from '../../chain/results';
import { closeReasonOfBlock, closeReasons } from '../limits/close-reasons';
import type { P2pPorts } from '../ports';
import type { Session } from '../session/session';
import type { SyncDriver } from '../sync/driver';
import { hashKey } from '../hashes';
import { reportRejection } from '../report-errors';
import { type BlockWork, LiteBlocks } from './lite-blocks';

export interface BlockRelayDependencies extends P2pPorts {
  /** Requests the chain of a peer that has blocks that this node lacks. */
  readonly driver: Pick<SyncDriver, 'requestSync'>;
  sessions(): Iterable<Session>;
}

/** Max cached hop counts. */
const HOPS_KEPT = 200;
/** Milliseconds for which a block ahead of our clock is ignored, and max number of such blocks. */
const EARLY_AGAIN = 60_000;
const EARLY_KEPT = 200;

/**
 * Receives new blocks from peers in state normal and completes lite blocks with known transactions. Requests missing transactions
 * from the announcer, from the next announcer if the first disconnects or is late, and downloads the whole block if no announcer
 * responds in time. Announces new tips after their commit.
 */
export class BlockRelay {
  private readonly lite: LiteBlocks;
  private readonly hops = new BoundedMap<string, number>(HOPS_KEPT);
  /** Blocks ahead of our clock, with the time until which they are ignored. */
  private readonly early = new BoundedMap<string, number>(EARLY_KEPT);

  constructor(private readonly dependencies: BlockRelayDependencies) {
    const { clock, logger } = dependencies;
    this.lite = new LiteBlocks(clock, (work) => {
      reportRejection(logger, 'requesting transactions of a block', this.requestNext(work));
    });
  }

  /**
   * Announces the tip to each peer that is not known to have it. A peer that claims a higher chain with a tip unknown to us gets no
   * announcement: so old blocks are not announced during a synchronisation, and a false claim only affects the peer that made it.
   */
  announce(): void {
    const { chain, clock } = this.dependencies;
    const { height, hash } = chain.tip();
    let raw: RawBlock | undefined;
    for (const session of this.dependencies.sessions()) {
      const { claim, knownBlocks } = session;
      const isAhead = claim !== undefined && claim.height > height + 1 && !chain.isKnown(claim.tip);
      if (!session.handshaken || knownBlocks.has(hash) || isAhead) continue;
      raw ??= chain.rawBlock(hash);
      if (raw === undefined) return;
      knownBlocks.add(hash);
      // The hop count is the received one plus one, or 0 for our own blocks.
      session.sendBlock(raw, height + 1, this.hops.get(hashKey(hash)) ?? 0, clock.now());
    }
  }

  async onNewBlock(session: Session, message: NewBlock): Promise<void> {
    const work = this.workOn(session, message.block.block, message);
    if (work?.state === 'incomplete') await this.add(work, session, message.block);
  }

  async onLiteBlock(session: Session, message: NewLiteBlock): Promise<void> {
    const work = this.workOn(session, message.block, message);
    // A repeated announcement neither repeats nor cancels the pending request.
    if (work === undefined || work.pending.has(session.id)) return;
    work.waiting.set(session.id, { session, message });
    if (work.patience === undefined) await this.requestNext(work);
  }

  /**
   * Handles transactions that a peer sent for lite blocks. @returns false if none of them was requested for a block: then the
   * message is an ordinary relay
   */
  async takeTransactions(session: Session, transactions: readonly Buffer[]): Promise<boolean> {
    if (!this.lite.awaits(session)) return false;
    const { codec } = this.dependencies;
    const provided = new Map<string, Buffer>();
    const yielder = new EventLoopYielder();
    for (const bytes of transactions) {
      await yielder.yieldIfDue();
      provided.set(hashKey(codec.transactionHash(bytes)), bytes);
    }
    const gathered = (work: BlockWork) => this.gather(work.transactionHashes, provided);
    const completed = this.lite.take(session, provided, (work) => gathered(work).missing.length === 0);
    if (completed === undefined) return false;
    if (completed.length === 0) session.close(closeReasons.liteBlockIncomplete);
    for (const { work, message } of completed) {
      const transactionsOfBlock = gathered(work).found;
      if (work.state !== 'incomplete') this.lite.forgetIdle(work);
      else await this.add(work, session, { block: message.block, transactions: transactionsOfBlock });
    }
    return true;
  }

  /** Call it when a transaction has entered the pool: it may complete a lite block without waiting for its announcers. */
  async transactionAdded(hash: Buffer): Promise<void> {
    for (const work of this.lite.lacking(hash)) {
      const [request] = work.pending.values();
      const { found, missing } = this.gather(work.transactionHashes, new Map());
      if (request === undefined || missing.length > 0) continue;
      await this.add(work, request.session, { block: request.message.block, transactions: found });
    }
  }

  /** Call it when the session is closed. */
  left(session: Session): void {
    this.lite.left(session);
  }

  /** The state of an announced block; undefined if the block is known or has to wait. */
  private workOn(
    session: Session,
    bytes: Buffer,
    { currentHeight, hop }: NewBlock | NewLiteBlock,
  ): BlockWork | undefined {
    const parsed = this.parse(session, bytes);
    if (parsed === undefined) return undefined;
    const { hash, block } = parsed;
    const parent = this.dependencies.chain.heightOf(block.previousHash);
    // The height is computed from a known parent, otherwise claimed by the peer.
    session.claim = { height: parent === undefined ? currentHeight : parent + 2, tip: hash };
    if (this.dependencies.chain.isKnown(hash)) return undefined;
    const key = hashKey(hash);
    if ((this.early.get(key) ?? -Infinity) > this.dependencies.clock.now()) return undefined;
    let work = this.lite.get(key);
    if (work === undefined) {
      if (!this.dependencies.chain.isKnown(block.previousHash)) {
        this.dependencies.driver.requestSync(session);
        return undefined;
      }
      work = this.lite.begin(key, hash, block.transactionHashes);
      this.hops.set(key, Math.min(hop, 0xfffffffe) + 1);
    }
    work.announcers.add(session);
    return work;
  }

  private parse(
    session: Session,
    bytes: Buffer,
  ): { hash: Buffer; block: Pick<Block, 'previousHash' | 'transactionHashes'> } | undefined {
    try {
      const parsed = this.dependencies.codec.parse(bytes);
      session.knownBlocks.add(parsed.hash);
      return parsed;
    } catch {
      session.close(closeReasons.objectsUnreadable);
      return undefined;
    }
  }

  /**
   * Completes a block from the pool and the chain, or requests the missing transactions from the next announcer. If all
   * announcers are late, requests their chains, which include the whole block.
   */
  private async requestNext(work: BlockWork): Promise<void> {
    while (work.state === 'incomplete') {
      const next = this.lite.next(work);
      if (next === undefined) {
        if (work.patience === undefined)
          for (const session of work.announcers) this.dependencies.driver.requestSync(session);
        return;
      }
      const { session, message } = next;
      const { found, missing } = this.gather(work.transactionHashes, new Map());
      if (missing.length === 0) {
        await this.add(work, session, { block: message.block, transactions: found });
        return;
      }
      if (!this.lite.request(work, session, message, new Set(missing.map(hashKey)))) continue;
      session.awaitsTransactions = true;
      session.connection.notify(
        Command.missingTransactions,
        missingTransactions.encode({ currentHeight: message.currentHeight, blockHash: work.hash, hashes: missing }),
      );
      return;
    }
  }

  private gather(
    hashes: readonly Buffer[],
    provided: ReadonlyMap<string, Buffer>,
  ): { found: Buffer[]; missing: Buffer[] } {
    const found: Buffer[] = [];
    const missing: Buffer[] = [];
    for (const hash of hashes) {
      const bytes =
        provided.get(hashKey(hash)) ?? this.dependencies.pool.get(hash) ?? this.dependencies.chain.transaction(hash);
      if (bytes === undefined) missing.push(hash);
      else found.push(bytes);
    }
    return { found, missing };
  }

  private async add(work: BlockWork, session: Session, raw: RawBlock): Promise<void> {
    work.state = 'adding';
    let result: AddBlockResult | undefined;
    try {
      [result] = await this.dependencies.chain.addBlocks([raw], 'relay');
    } catch (error) {
      // During a stop the sessions are closed before the chain: the error is expected then.
      if (session.isOpen) this.dependencies.logger.error(`the chain failed while a block was added: ${String(error)}`);
    }
    if (result !== undefined && isAccepted(result)) this.lite.taken(work);
    else if (result?.code === 'TIMESTAMP_TOO_FAR_IN_FUTURE') this.retryLater(work);
    else this.giveUp(work, session, result);
    if (result !== undefined) this.settle(session, result);
  }

  /** After a rejected block: requests the chain of another announcer, unless the block is known meanwhile. */
  private giveUp(work: BlockWork, session: Session, result: AddBlockResult | undefined): void {
    this.lite.drop(work);
    if (result === undefined || this.dependencies.chain.isKnown(work.hash)) return;
    const next = [...work.announcers].find((other) => other !== session && other.isOpen);
    if (next !== undefined) this.dependencies.driver.requestSync(next);
  }

  /** For a block ahead of our clock, which may be wrong: no peer is disconnected, and the block is checked again later. */
  private retryLater(work: BlockWork): void {
    this.lite.drop(work);
    this.early.set(work.key, this.dependencies.clock.now() + EARLY_AGAIN);
    this.dependencies.logger.warning(`a new block is ahead of this machine's clock by more than allowed`);
  }

  private settle(session: Session, result: AddBlockResult): void {
    switch (result.code) {
      case 'ADDED_TO_MAIN':
        session.lastBlockAt = this.dependencies.clock.now();
        return;
      case 'ALREADY_EXISTS':
      case 'TIMESTAMP_TOO_FAR_IN_FUTURE':
        return;
      case 'ADDED_TO_ALTERNATIVE':
        if (session.remoteHeight > this.dependencies.chain.tip().height + 1)
          this.dependencies.driver.requestSync(session);
        return;
      case 'ADDED_TO_ALTERNATIVE_AND_SWITCHED':
        session.requestPool(this.dependencies.pool.hashes());
        return;
      case 'REJECTED_AS_ORPHANED':
        this.dependencies.driver.requestSync(session);
        return;
      default: {
        this.dependencies.logger.debug(`${session.name}: block refused: ${result.code} ${result.message}`);
        const reason = closeReasonOfBlock(result.code);
        if (reason !== undefined) session.close(reason);
      }
    }
  }
}
