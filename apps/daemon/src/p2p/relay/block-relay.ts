import type { RawBlock } from '@wrkz/core-types';
import { Command, missingTransactions, type NewBlock, type NewLiteBlock } from '@wrkz/levin';
import { type AddBlockResult, isAccepted } from '../../chain/results';
import { LITE_BLOCK_TIMEOUT } from '../constants';
import { closeReasonOfBlock } from '../penalties/block-verdicts';
import { closeReasons } from '../penalties/close-reasons';
import type { BlockCodec, ChainPort, P2pClock, P2pLogger, PoolPort, Timer } from '../ports';
import type { Session } from '../session/session';
import { hashKey } from '../util/hash-key';

/** A lite block whose transactions were asked for. */
interface PendingBlock {
  readonly hash: Buffer;
  readonly message: NewLiteBlock;
  readonly transactionHashes: readonly Buffer[];
  readonly missing: ReadonlySet<string>;
  readonly timer: Timer;
}

export interface BlockRelayEvents {
  /** The peer has blocks that we lack; its chain should be asked for. */
  wantsSync(session: Session): void;
  /** The chain switched to the peer's branch: what its pool holds is of interest. */
  wantsPool(session: Session): void;
}

/** The hop counts of so many blocks are remembered. */
const HOPS_KEPT = 200;

/**
 * Blocks as they appear: taken from peers in state normal, completed with the transactions that we have, the rest asked
 * from the announcer. A block that several peers announce at once is fetched from the first of them; if it fails, another
 * is asked for its chain. What was added is announced by the commit, not from here.
 */
export class BlockRelay {
  private readonly pending = new Map<number, PendingBlock>();
  /** Blocks being completed or added, and who else announced them. */
  private readonly inWork = new Map<string, Session[]>();
  private readonly hops = new Map<string, number>();

  constructor(
    private readonly chain: ChainPort,
    private readonly pool: PoolPort,
    private readonly codec: BlockCodec,
    private readonly clock: P2pClock,
    private readonly logger: P2pLogger,
    private readonly events: BlockRelayEvents,
  ) {}

  /** The hop count to announce a block with: one more than it came with, 0 for our own. */
  hopOf(hash: Buffer): number {
    return this.hops.get(hashKey(hash)) ?? 0;
  }

  async onNewBlock(session: Session, message: NewBlock): Promise<void> {
    const parsed = this.parse(session, message.block.block);
    if (parsed === undefined || !this.claim(session, parsed.hash, parsed.block.previousHash, message.hop)) return;
    await this.add(session, parsed.hash, message.block);
  }

  async onLiteBlock(session: Session, message: NewLiteBlock): Promise<void> {
    const parsed = this.parse(session, message.block);
    if (parsed === undefined || !this.claim(session, parsed.hash, parsed.block.previousHash, message.hop)) return;
    const { hash } = parsed;
    const { transactionHashes } = parsed.block;
    const { found, missing } = this.gather(transactionHashes, new Map());
    if (missing.length === 0) {
      await this.add(session, hash, { block: message.block, transactions: found });
      return;
    }
    const timer = this.clock.after(LITE_BLOCK_TIMEOUT, () => {
      session.close(closeReasons.liteBlockIncomplete);
    });
    this.dropPending(session);
    this.pending.set(session.id, { hash, message, transactionHashes, missing: new Set(missing.map(hashKey)), timer });
    session.transactionsAsked = true;
    session.connection.notify(
      Command.missingTransactions,
      missingTransactions.encode({ currentHeight: message.currentHeight, blockHash: hash, hashes: missing }),
    );
  }

  /**
   * Offers transactions that a peer sent to the lite block that waits for some of them. True when they were meant for it;
   * transactions that it does not wait for are an ordinary relay.
   */
  async takeTransactions(session: Session, transactions: readonly Buffer[]): Promise<boolean> {
    const pending = this.pending.get(session.id);
    if (pending === undefined) return false;
    const provided = new Map(transactions.map((bytes) => [hashKey(this.codec.transactionHash(bytes)), bytes]));
    if (![...pending.missing].some((key) => provided.has(key))) return false;
    this.pending.delete(session.id);
    pending.timer.cancel();
    const { found, missing } = this.gather(pending.transactionHashes, provided);
    if (missing.length > 0) {
      this.release(pending.hash, false);
      session.close(closeReasons.liteBlockIncomplete);
    } else {
      await this.add(session, pending.hash, { block: pending.message.block, transactions: found });
    }
    return true;
  }

  /** The session is closed: what it owes will not come. */
  left(session: Session): void {
    this.dropPending(session);
  }

  private parse(session: Session, block: Buffer): ReturnType<BlockCodec['parse']> | undefined {
    try {
      const parsed = this.codec.parse(block);
      session.knownBlocks.add(parsed.hash);
      return parsed;
    } catch {
      session.close(closeReasons.objectsUnreadable);
      return undefined;
    }
  }

  /** Whether the block is to be worked on, and for this session. */
  private claim(session: Session, hash: Buffer, previous: Buffer, hop: number): boolean {
    const key = hashKey(hash);
    if (this.chain.isKnown(hash)) return false;
    const others = this.inWork.get(key);
    if (others !== undefined) {
      others.push(session);
      return false;
    }
    if (!this.chain.isKnown(previous)) {
      this.events.wantsSync(session);
      return false;
    }
    this.inWork.set(key, []);
    this.hops.set(key, Math.min(hop, 0xfffffffe) + 1);
    const [oldest] = this.hops.keys();
    if (this.hops.size > HOPS_KEPT && oldest !== undefined) this.hops.delete(oldest);
    return true;
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

  private async add(session: Session, hash: Buffer, raw: RawBlock): Promise<void> {
    let result: AddBlockResult | undefined;
    try {
      [result] = await this.chain.addBlocks([raw], 'relay');
    } catch (error) {
      // Whoever stops us closes the sessions first; then a chain that stops is no news.
      if (session.isOpen) this.logger.error(`the chain failed while a block was added: ${String(error)}`);
    }
    this.release(hash, result === undefined || isAccepted(result));
    if (result === undefined) return;
    this.settle(session, result);
  }

  private settle(session: Session, result: AddBlockResult): void {
    switch (result.code) {
      case 'ADDED_TO_MAIN':
      case 'ALREADY_EXISTS':
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

  private dropPending(session: Session): void {
    const pending = this.pending.get(session.id);
    if (pending === undefined) return;
    pending.timer.cancel();
    this.pending.delete(session.id);
    this.release(pending.hash, false);
  }

  /** The work on a block is over; if it failed, whoever else announced it is asked for its chain. */
  private release(hash: Buffer, succeeded: boolean): void {
    const key = hashKey(hash);
    const others = this.inWork.get(key) ?? [];
    this.inWork.delete(key);
    if (succeeded || this.chain.isKnown(hash)) return;
    const next = others.find((session) => session.isOpen);
    if (next !== undefined) this.events.wantsSync(next);
  }
}
