import { BoundedMap, EventLoopYielder } from '@wrkz/service-kit/base';
import { closeReasons } from '../limits/close-reasons';
import type { WorkBudget } from '../limits/address-budget';
import type { P2pPorts } from '../ports';
import type { Session } from '../session/session';
import { hashKey, RecentHashes } from '../hashes';
import { reportThrow } from '../report-errors';

/** Max transactions of one message that the pool validates concurrently. */
const CONCURRENCY = 16;
/** Max bytes of them, unless one transaction has more: the proofs of one kilobyte may take several milliseconds. */
const CONCURRENT_BYTES = 256 * 1024;
/** Bytes of a rejected transaction that count as one. */
const UNFIT_BYTES = 1024;
/** Max cached hashes of rejected transactions, which are not validated again before the tip changes. */
const REFUSED_KEPT = 5000;
/** Unconfirmed own transactions are sent again after 2 minutes, then with exponential backoff up to an hour. */
const FIRST_RESEND = 120_000;
const MAX_RESEND = 3_600_000;
const MAX_OWN = 1_000;

interface OwnTransaction {
  readonly hash: Buffer;
  interval: number;
  dueAt: number;
}

export interface TransactionRelayDependencies extends Omit<P2pPorts, 'chain'> {
  sessions(): Iterable<Session>;
}

/**
 * Relays transactions between peers and the pool. Every transaction that enters the pool, from any source, is sent to each peer
 * that is not known to have it, also while we download blocks from that peer (a reorganisation returns transactions to the
 * pool). Transactions of one event-loop iteration share a message.
 */
export class TransactionRelay {
  private refused = new RecentHashes(REFUSED_KEPT);
  private toAnnounce: { readonly hash: Buffer; readonly sender: Session | undefined }[] = [];
  /** The senders of transactions that the pool is validating. */
  private readonly admitting = new Map<string, Session>();
  /** Transactions that no peer sent: submitted to this node, or returned to the pool by a reorganisation. */
  private readonly own = new BoundedMap<string, OwnTransaction>(MAX_OWN);

  constructor(private readonly dependencies: TransactionRelayDependencies) {}

  /** NOTIFY_NEW_TRANSACTIONS from a peer in state normal. @param work the budget to charge */
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
    while (wanted.length > 0 && session.isOpen) {
      let sum = 0;
      const end = wanted.findIndex(
        ({ bytes }, i) => i >= CONCURRENCY || ((sum += bytes.length) > CONCURRENT_BYTES && i > 0),
      );
      const group = wanted.splice(0, end < 0 ? wanted.length : end);
      await Promise.all(group.map(({ hash, bytes }) => this.admit(session, hash, bytes)));
    }
  }

  /** Call it when a transaction has entered the pool. */
  added(hash: Buffer): void {
    const key = hashKey(hash);
    const sender = this.admitting.get(key);
    if (sender === undefined) {
      this.own.set(key, { hash, interval: FIRST_RESEND, dueAt: this.dependencies.clock.now() + FIRST_RESEND });
    }
    this.refused.delete(hash);
    this.toAnnounce.push({ hash, sender });
    if (this.toAnnounce.length > 1) return;
    setImmediate(() => {
      reportThrow(this.dependencies.logger, 'announcing transactions', () => this.announce());
    });
  }

  /** Sends unconfirmed own transactions again: a peer may have dropped them. Called about once a second. */
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
    // In one message: peers limit messages, and a reorganisation can make hundreds due at once.
    if (due.length === 0) return;
    for (const session of this.dependencies.sessions()) if (session.handshaken) session.relayTransactions(due, now);
  }

  /** Call it when the tip has changed: rejected transactions may be valid now. */
  chainMoved(): void {
    this.refused = new RecentHashes(REFUSED_KEPT);
  }

  /**
   * A known transaction, or one that the full pool rejects, has no consequence. A transaction that is invalid on every chain
   * closes the connection with points. Transactions that are only invalid on our chain are rate-limited
   * (docs/protocol/p2p.md#penalties).
   */
  private async admit(session: Session, hash: Buffer, bytes: Buffer): Promise<void> {
    if (!session.isOpen) return;
    const key = hashKey(hash);
    this.admitting.set(key, session);
    const { accepted, message, scope } = await this.dependencies.pool
      .add(bytes, 'p2p')
      .finally(() => this.admitting.delete(key));
    if (accepted) session.lastTransactionAt = this.dependencies.clock.now();
    if (accepted || scope === 'none') return;
    this.refused.add(hash);
    this.dependencies.logger.debug(
      `${session.name}: transaction ${hash.toString('hex')} not accepted: ${message ?? ''}`,
    );
    if (scope === 'everywhere') session.close(closeReasons.invalidTransaction);
    else if (!session.budget.take('unfitTransactions', Math.ceil(bytes.length / UNFIT_BYTES)))
      session.close(closeReasons.refusedTransactions);
  }

  private announce(): void {
    const announced = this.toAnnounce;
    this.toAnnounce = [];
    for (const session of this.dependencies.sessions()) {
      if (!session.handshaken) continue;
      const transactions = announced.flatMap(({ hash, sender }) => {
        // `knownTransactions` has forgotten the first ones of a large message.
        const isNew = session !== sender && session.knownTransactions.add(hash);
        const transaction = isNew ? this.dependencies.pool.get(hash) : undefined;
        return transaction === undefined ? [] : [transaction];
      });
      if (transactions.length > 0) session.relayTransactions(transactions, this.dependencies.clock.now());
    }
  }
}
