import { closeReasons } from '../penalties/close-reasons';
import type { BlockCodec, P2pClock, P2pLogger, PoolPort } from '../ports';
import type { Session } from '../session/session';
import { RecentHashes } from '../util/hash-key';
import { RateLimit } from '../util/rate-limit';
import { reportThrow } from '../util/report-errors';
import { makePause } from '../util/yielding';

/** So many transactions of one message are judged by the pool at a time. */
const CONCURRENCY = 16;
/** How many refused transactions a peer may send: per second in the long run, and in one burst. */
const REFUSED_PER_SECOND = 5;
const REFUSED_BURST = 1000;
/** Refused transactions are not judged again before the chain has moved. */
const REFUSED_KEPT = 5000;

/**
 * Transactions between peers and the pool. Whatever enters the pool, from wherever, is sent to every peer that is not
 * known to have it, also while we fetch blocks from it (a reorganisation returns transactions in the middle of that); what
 * comes in one turn of the event loop goes out in one message.
 */
export class TransactionRelay {
  private refused = new RecentHashes(REFUSED_KEPT);
  private readonly rates = new WeakMap<Session, RateLimit>();
  private toAnnounce: Buffer[] = [];

  constructor(
    private readonly pool: PoolPort,
    private readonly codec: BlockCodec,
    private readonly clock: P2pClock,
    private readonly logger: P2pLogger,
    private readonly sessions: () => Iterable<Session>,
  ) {}

  /** NOTIFY_NEW_TRANSACTIONS from a peer in state normal. */
  async onTransactions(session: Session, transactions: readonly Buffer[]): Promise<void> {
    const wanted: { hash: Buffer; bytes: Buffer }[] = [];
    const pause = makePause();
    for (const bytes of transactions) {
      await pause();
      const hash = this.codec.transactionHash(bytes);
      session.knownTransactions.add(hash);
      if (!this.pool.has(hash) && !this.refused.has(hash)) wanted.push({ hash, bytes });
    }
    for (let start = 0; start < wanted.length && session.isOpen; start += CONCURRENCY) {
      const group = wanted.slice(start, start + CONCURRENCY);
      await Promise.all(group.map(({ hash, bytes }) => this.admit(session, hash, bytes)));
    }
  }

  /** A transaction has entered the pool. */
  added(hash: Buffer): void {
    this.refused.delete(hash);
    this.toAnnounce.push(hash);
    if (this.toAnnounce.length > 1) return;
    setImmediate(() => {
      reportThrow(this.logger, 'announcing transactions', () => {
        this.announce();
      });
    });
  }

  /** The chain has moved: what was refused may be right now. */
  chainMoved(): void {
    this.refused = new RecentHashes(REFUSED_KEPT);
  }

  private async admit(session: Session, hash: Buffer, bytes: Buffer): Promise<void> {
    const { accepted, message, ourFault } = await this.pool.add(bytes, 'p2p');
    if (accepted || ourFault === true) return;
    this.refused.add(hash);
    this.logger.debug(`${session.name}: transaction ${hash.toString('hex')} not taken: ${message ?? ''}`);
    const now = this.clock.now();
    let rate = this.rates.get(session);
    if (rate === undefined) this.rates.set(session, (rate = new RateLimit(REFUSED_PER_SECOND, REFUSED_BURST, now)));
    if (!rate.take(now)) session.close(closeReasons.flood);
  }

  private announce(): void {
    const hashes = this.toAnnounce;
    this.toAnnounce = [];
    for (const session of this.sessions()) {
      if (!session.handshaken) continue;
      const transactions = hashes.flatMap((hash) => {
        const transaction = session.knownTransactions.add(hash) ? this.pool.get(hash) : undefined;
        return transaction === undefined ? [] : [transaction];
      });
      if (transactions.length > 0) session.relayTransactions(transactions, this.clock.now());
    }
  }
}
