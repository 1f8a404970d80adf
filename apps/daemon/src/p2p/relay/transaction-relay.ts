import { BoundedMap, EventLoopYielder } from '@wrkz/service-kit/base';
import { closeReasons } from '../limits/close-reasons';
import type { WorkBudget } from '../limits/address-budget';
import type { BlockCodec, P2pClock, P2pLogger, PoolPort } from '../ports';
import type { Session } from '../session/session';
import { hashKey, RecentHashes } from '../hashes';
import { reportThrow } from '../report-errors';

/** So many transactions of one message are judged by the pool at a time. */
const CONCURRENCY = 16;
/** Refused transactions are not judged again before the chain has moved. */
const REFUSED_KEPT = 5000;
/** Own transactions in no block are sent again after 2 minutes, then at twice the interval each time, up to an hour. */
const FIRST_RESEND = 120_000;
const MAX_RESEND = 3_600_000;
const MAX_OWN = 1_000;

interface OwnTransaction {
  readonly hash: Buffer;
  interval: number;
  dueAt: number;
}

export interface TransactionRelayDependencies {
  readonly pool: PoolPort;
  readonly codec: BlockCodec;
  readonly clock: P2pClock;
  readonly logger: P2pLogger;
  sessions(): Iterable<Session>;
}

/**
 * Relays transactions between peers and the pool. Every transaction that enters the pool, from any source, is sent to each peer
 * that is not known to have it, also while we download blocks from that peer (a reorganisation returns transactions to the
 * pool). Transactions of one event-loop iteration share a message.
 */
export class TransactionRelay {
  private refused = new RecentHashes(REFUSED_KEPT);
  private toAnnounce: Buffer[] = [];
  /** Being judged by the pool for a peer. */
  private readonly admitting = new Set<string>();
  /** Transactions that no peer sent: from wallets of this node, or returned to the pool by a reorganisation. */
  private readonly own = new BoundedMap<string, OwnTransaction>(MAX_OWN);

  constructor(private readonly dependencies: TransactionRelayDependencies) {}

  /** NOTIFY_NEW_TRANSACTIONS from a peer in state normal. `work`: the budget that is charged for it. */
  async onTransactions(
    session: Session,
    transactions: readonly Buffer[],
    work: Pick<WorkBudget, 'measure'>,
  ): Promise<void> {
    const wanted: { hash: Buffer; bytes: Buffer }[] = [];
    const yielder = new EventLoopYielder();
    for (const bytes of transactions) {
      await yielder.yieldIfDue();
      const hash = work.measure(() => this.dependencies.codec.transactionHash(bytes));
      session.knownTransactions.add(hash);
      if (!this.dependencies.pool.has(hash) && !this.refused.has(hash)) wanted.push({ hash, bytes });
    }
    for (let start = 0; start < wanted.length && session.isOpen; start += CONCURRENCY) {
      const group = wanted.slice(start, start + CONCURRENCY);
      await Promise.all(group.map(({ hash, bytes }) => this.admit(session, hash, bytes)));
    }
  }

  /** A transaction has entered the pool. */
  added(hash: Buffer): void {
    const key = hashKey(hash);
    if (!this.admitting.has(key)) {
      this.own.set(key, { hash, interval: FIRST_RESEND, dueAt: this.dependencies.clock.now() + FIRST_RESEND });
    }
    this.refused.delete(hash);
    this.toAnnounce.push(hash);
    if (this.toAnnounce.length > 1) return;
    setImmediate(() => {
      reportThrow(this.dependencies.logger, 'announcing transactions', () => {
        this.announce();
      });
    });
  }

  /** Sends own transactions again that no block has: a peer may have lost them. Called about once a second. */
  tick(): void {
    const now = this.dependencies.clock.now();
    const due: Buffer[] = [];
    for (const [key, own] of [...this.own.entries()]) {
      if (now < own.dueAt) continue;
      const transaction = this.dependencies.pool.get(own.hash);
      if (transaction === undefined) {
        this.own.delete(key);
        continue;
      }
      own.interval = Math.min(2 * own.interval, MAX_RESEND);
      own.dueAt = now + own.interval;
      due.push(transaction);
    }
    // Together: peers count messages, and a reorganisation makes hundreds due at once.
    if (due.length === 0) return;
    for (const session of this.dependencies.sessions()) if (session.handshaken) session.relayTransactions(due, now);
  }

  /** The chain has moved: what was refused may be right now. */
  chainMoved(): void {
    this.refused = new RecentHashes(REFUSED_KEPT);
  }

  /**
   * A known transaction, or one that the full pool rejects, costs the peer nothing. A transaction that fits no chain ends the
   * connection with points; an address may send some that only do not fit our chain (docs/protocol/p2p.md#penalties).
   */
  private async admit(session: Session, hash: Buffer, bytes: Buffer): Promise<void> {
    if (!session.isOpen) return;
    const key = hashKey(hash);
    this.admitting.add(key);
    const { accepted, message, fault } = await this.dependencies.pool
      .add(bytes, 'p2p')
      .finally(() => this.admitting.delete(key));
    if (accepted) session.lastTransactionAt = this.dependencies.clock.now();
    if (accepted || fault === 'none') return;
    this.refused.add(hash);
    this.dependencies.logger.debug(`${session.name}: transaction ${hash.toString('hex')} not taken: ${message ?? ''}`);
    if (fault === 'everywhere') session.close(closeReasons.invalidTransaction);
    else if (!session.budget.take('unfitTransactions')) session.close(closeReasons.refusedTransactions);
  }

  private announce(): void {
    const hashes = this.toAnnounce;
    this.toAnnounce = [];
    for (const session of this.dependencies.sessions()) {
      if (!session.handshaken) continue;
      const transactions = hashes.flatMap((hash) => {
        const transaction = session.knownTransactions.add(hash) ? this.dependencies.pool.get(hash) : undefined;
        return transaction === undefined ? [] : [transaction];
      });
      if (transactions.length > 0) session.relayTransactions(transactions, this.dependencies.clock.now());
    }
  }
}
