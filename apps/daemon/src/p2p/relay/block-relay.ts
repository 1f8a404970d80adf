import type { Block, RawBlock } from '@wrkz/core-types';
import { Command, missingTransactions, type NewBlock, type NewLiteBlock } from '@wrkz/levin';
import { BoundedMap } from '@wrkz/service-kit/base';
import { type AddBlockResult, isAccepted } from '../../chain/results';
import { closeReasonOfBlock, closeReasons } from '../limits/close-reasons';
import type { BlockCodec, ChainPort, P2pClock, P2pLogger, PoolPort } from '../ports';
import type { Session } from '../session/session';
import { hashKey } from '../hashes';
import { reportRejection } from '../report-errors';
import { type BlockWork, LiteBlocks } from './lite-blocks';

export interface BlockRelayEvents {
  /** The peer has blocks that we lack; its chain should be requested. */
  wantsSync(session: Session): void;
  /** The chain switched to the peer's branch: what its pool holds is of interest. */
  wantsPool(session: Session): void;
}

/** The hop counts of so many blocks are remembered. */
const HOPS_KEPT = 200;
/** A block ahead of our clock is not judged again before this time is over, milliseconds; so many are remembered. */
const EARLY_AGAIN = 60_000;
const EARLY_KEPT = 200;

/**
 * Blocks as they appear: taken from peers in state normal, completed with the transactions that we have, the rest requested
 * from the announcer. A block that several peers announce at once is fetched from one of them, and from the next when that
 * one fails or is late. What was added is announced by the commit, not from here.
 */
export class BlockRelay {
  private readonly lite: LiteBlocks;
  private readonly hops = new BoundedMap<string, number>(HOPS_KEPT);
  /** Blocks ahead of our clock, and until when they are passed over. */
  private readonly early = new BoundedMap<string, number>(EARLY_KEPT);

  constructor(
    private readonly chain: ChainPort,
    private readonly pool: PoolPort,
    private readonly codec: BlockCodec,
    private readonly clock: P2pClock,
    private readonly logger: P2pLogger,
    private readonly events: BlockRelayEvents,
  ) {
    this.lite = new LiteBlocks(clock, (work) => {
      reportRejection(logger, 'asking for transactions of a block', this.askNext(work));
    });
  }

  /** The hop count to announce a block with: one more than it came with, 0 for our own. */
  hopOf(hash: Buffer): number {
    return this.hops.get(hashKey(hash)) ?? 0;
  }

  async onNewBlock(session: Session, message: NewBlock): Promise<void> {
    const work = this.workOn(session, message.block.block, message);
    if (work?.state === 'incomplete') await this.add(work, session, message.block);
  }

  async onLiteBlock(session: Session, message: NewLiteBlock): Promise<void> {
    const work = this.workOn(session, message.block, message);
    // A repeated announcement neither repeats nor cancels a request.
    if (work === undefined || work.pending.has(session.id)) return;
    work.waiting.set(session.id, { session, message });
    if (work.patience === undefined) await this.askNext(work);
  }

  /**
   * Offers transactions that a peer sent to the lite blocks that wait for some of them. True when they were meant for one;
   * transactions that none waits for are an ordinary relay.
   */
  async takeTransactions(session: Session, transactions: readonly Buffer[]): Promise<boolean> {
    if (!this.lite.awaits(session)) return false;
    const provided = new Map(transactions.map((bytes) => [hashKey(this.codec.transactionHash(bytes)), bytes]));
    const gathered = (work: BlockWork) => this.gather(work.transactionHashes, provided);
    const answers = this.lite.answered(session, provided, (work) => gathered(work).missing.length === 0);
    if (answers === undefined) return false;
    if (answers.length === 0) session.close(closeReasons.liteBlockIncomplete);
    for (const { work, message } of answers) {
      const transactionsOfBlock = gathered(work).found;
      if (work.state !== 'incomplete') this.lite.forgetIdle(work);
      else await this.add(work, session, { block: message.block, transactions: transactionsOfBlock });
    }
    return true;
  }

  /** The session is closed: what it owes will not come. */
  left(session: Session): void {
    this.lite.left(session);
  }

  /** The block that a peer announces, if it is to be worked on. */
  private workOn(
    session: Session,
    bytes: Buffer,
    { currentHeight, hop }: NewBlock | NewLiteBlock,
  ): BlockWork | undefined {
    const parsed = this.parse(session, bytes);
    if (parsed === undefined) return undefined;
    const { hash, block } = parsed;
    const parent = this.chain.heightOf(block.previousHash);
    // How high the peer's chain is follows from the block where we know its parent, else it is the peer's word.
    session.claim = { height: parent === undefined ? currentHeight : parent + 2, tip: hash };
    if (this.chain.isKnown(hash)) return undefined;
    const key = hashKey(hash);
    if ((this.early.get(key) ?? -Infinity) > this.clock.now()) return undefined;
    let work = this.lite.get(key);
    if (work === undefined) {
      if (!this.chain.isKnown(block.previousHash)) {
        this.events.wantsSync(session);
        return undefined;
      }
      work = this.lite.begin(key, hash, block.transactionHashes);
      this.noteHop(key, hop);
    }
    work.announcers.add(session);
    return work;
  }

  private parse(
    session: Session,
    bytes: Buffer,
  ): { hash: Buffer; block: Pick<Block, 'previousHash' | 'transactionHashes'> } | undefined {
    try {
      const parsed = this.codec.parse(bytes);
      session.knownBlocks.add(parsed.hash);
      return parsed;
    } catch {
      session.close(closeReasons.objectsUnreadable);
      return undefined;
    }
  }

  private noteHop(key: string, hop: number): void {
    this.hops.set(key, Math.min(hop, 0xfffffffe) + 1);
  }

  /** Completes a block from what is here, or requests the rest from the next announcer. */
  private async askNext(work: BlockWork): Promise<void> {
    while (work.state === 'incomplete') {
      const next = this.lite.next(work);
      if (next === undefined) return;
      const { session, message } = next;
      const { found, missing } = this.gather(work.transactionHashes, new Map());
      if (missing.length === 0) {
        await this.add(work, session, { block: message.block, transactions: found });
        return;
      }
      if (!this.lite.ask(work, session, message, new Set(missing.map(hashKey)))) continue;
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
      const bytes = provided.get(hashKey(hash)) ?? this.pool.get(hash) ?? this.chain.transaction(hash);
      if (bytes === undefined) missing.push(hash);
      else found.push(bytes);
    }
    return { found, missing };
  }

  private async add(work: BlockWork, session: Session, raw: RawBlock): Promise<void> {
    work.state = 'adding';
    let result: AddBlockResult | undefined;
    try {
      [result] = await this.chain.addBlocks([raw], 'relay');
    } catch (error) {
      // Whoever stops us closes the sessions first; then a chain that stops is no news.
      if (session.isOpen) this.logger.error(`the chain failed while a block was added: ${String(error)}`);
    }
    if (result !== undefined && isAccepted(result)) this.lite.taken(work);
    else if (result?.code === 'TIMESTAMP_TOO_FAR_IN_FUTURE') this.keepEarly(work);
    else this.giveUp(work, session, result);
    if (result !== undefined) this.settle(session, result);
  }

  /** A block was rejected: unless it is known by now, the chain of another announcer is requested. */
  private giveUp(work: BlockWork, session: Session, result: AddBlockResult | undefined): void {
    this.lite.drop(work);
    if (result === undefined || this.chain.isKnown(work.hash)) return;
    const next = [...work.announcers].find((other) => other !== session && other.isOpen);
    if (next !== undefined) this.events.wantsSync(next);
  }

  /** Our clock may be wrong: no peer is disconnected, and the block is checked again later. */
  private keepEarly(work: BlockWork): void {
    this.lite.drop(work);
    this.early.set(work.key, this.clock.now() + EARLY_AGAIN);
    this.logger.warning(`a new block is ahead of this machine's clock by more than allowed`);
  }

  private settle(session: Session, result: AddBlockResult): void {
    switch (result.code) {
      case 'ADDED_TO_MAIN':
        session.lastBlockAt = this.clock.now();
        return;
      case 'ALREADY_EXISTS':
      case 'TIMESTAMP_TOO_FAR_IN_FUTURE':
        return;
      case 'ADDED_TO_ALTERNATIVE':
        if (session.remoteHeight > this.chain.tip().height + 1) this.events.wantsSync(session);
        return;
      case 'ADDED_TO_ALTERNATIVE_AND_SWITCHED':
        this.events.wantsPool(session);
        return;
      case 'REJECTED_AS_ORPHANED':
        this.events.wantsSync(session);
        return;
      default: {
        this.logger.debug(`${session.name}: block refused: ${result.code} ${result.message}`);
        const reason = closeReasonOfBlock(result.code);
        if (reason !== undefined) session.close(reason);
      }
    }
  }
}
