import type { NewLiteBlock } from '@wrkz/levin';
import { LITE_BLOCK_PATIENCE, LITE_BLOCK_TIMEOUT } from '../constants';
import { closeReasons } from '../limits/close-reasons';
import type { P2pClock, Timer } from '../ports';
import type { Session } from '../session/session';

/** Max unanswered transaction requests per peer. An honest peer has one, or two when blocks compete. */
const MAX_OPEN = 4;

/** A pending request for the transactions of a block. */
interface PendingRequest {
  readonly session: Session;
  readonly message: NewLiteBlock;
  readonly missing: ReadonlySet<string>;
  readonly timer: Timer;
}

/** A block that is being completed or added. */
export interface BlockWork {
  readonly key: string;
  readonly hash: Buffer;
  readonly transactionHashes: readonly Buffer[];
  readonly announcers: Set<Session>;
  readonly pending: Map<number, PendingRequest>;
  /** Announcers to which no request was sent. */
  readonly waiting: Map<number, { readonly session: Session; readonly message: NewLiteBlock }>;
  /** Timer after which the next announcer gets a request as well. */
  patience: Timer | undefined;
  /** `adding`: passed to the chain. `taken`: stored. */
  state: 'incomplete' | 'adding' | 'taken';
}

/** A block that received transactions have completed. */
export interface CompletedBlock {
  readonly work: BlockWork;
  readonly message: NewLiteBlock;
}

/**
 * Lite blocks with missing transactions. Each transaction request has its own timeout, even if the block is completed meanwhile.
 * If an announcer is late, the next one gets a request as well.
 */
export class LiteBlocks {
  private readonly works = new Map<string, BlockWork>();

  constructor(
    private readonly clock: Pick<P2pClock, 'after'>,
    /** The announcer with the last request is late or has disconnected. */
    private readonly onLate: (work: BlockWork) => void,
  ) {}

  get(key: string): BlockWork | undefined {
    return this.works.get(key);
  }

  begin(key: string, hash: Buffer, transactionHashes: readonly Buffer[]): BlockWork {
    const work: BlockWork = {
      key,
      hash,
      transactionHashes,
      announcers: new Set(),
      pending: new Map(),
      waiting: new Map(),
      patience: undefined,
      state: 'incomplete',
    };
    this.works.set(key, work);
    return work;
  }

  /** Removes and returns the next announcer without a request; outgoing peers first. */
  next(work: BlockWork): { readonly session: Session; readonly message: NewLiteBlock } | undefined {
    const waiting = [...work.waiting.values()].filter(({ session }) => session.isOpen);
    const next = waiting.find(({ session }) => !session.incoming) ?? waiting[0];
    if (next !== undefined) work.waiting.delete(next.session.id);
    return next;
  }

  /** Records a request. Closes the connection and returns false if the peer has too many pending ones. */
  request(work: BlockWork, session: Session, message: NewLiteBlock, missing: ReadonlySet<string>): boolean {
    if (this.openOf(session).length >= MAX_OPEN) {
      session.close(closeReasons.liteBlockIncomplete);
      return false;
    }
    const timer = this.clock.after(LITE_BLOCK_TIMEOUT, () => session.close(closeReasons.liteBlockIncomplete));
    work.pending.set(session.id, { session, message, missing, timer });
    work.patience?.cancel();
    work.patience = this.clock.after(LITE_BLOCK_PATIENCE, () => {
      work.patience = undefined;
      this.onLate(work);
    });
    return true;
  }

  /** The incomplete blocks that lack a transaction. */
  lacking(hash: Buffer): BlockWork[] {
    return [...this.works.values()].filter(
      ({ state, transactionHashes }) => state === 'incomplete' && transactionHashes.some((other) => other.equals(hash)),
    );
  }

  /**
   * Handles transactions from a peer. @returns the blocks that they complete; undefined if none of them was requested
   * @param completes whether a block has all of its transactions together with the given ones
   */
  take(
    session: Session,
    provided: ReadonlyMap<string, Buffer>,
    completes: (work: BlockWork) => boolean,
  ): CompletedBlock[] | undefined {
    const touched = this.openOf(session).filter(({ request }) => [...request.missing].some((key) => provided.has(key)));
    if (touched.length === 0) return undefined;
    const complete = touched.filter(({ work }) => completes(work));
    for (const { work, request } of complete) {
      request.timer.cancel();
      work.pending.delete(session.id);
    }
    return complete.map(({ work, request }) => ({ work, message: request.message }));
  }

  /** Call it when the block is stored. Peers with a pending request must still respond. */
  taken(work: BlockWork): void {
    work.state = 'taken';
    work.waiting.clear();
    work.patience?.cancel();
    this.forgetIdle(work);
  }

  /** Removes a block and its requests. */
  drop(work: BlockWork): void {
    this.works.delete(work.key);
    work.patience?.cancel();
    for (const { timer } of work.pending.values()) timer.cancel();
    work.pending.clear();
  }

  /** Removes a block without requests and announcers. */
  forgetIdle(work: BlockWork): void {
    if (work.state !== 'adding' && work.pending.size === 0 && work.waiting.size === 0) this.drop(work);
  }

  /** Call it when the session is closed: the next announcer gets a request at once. */
  left(session: Session): void {
    for (const work of [...this.works.values()]) {
      work.announcers.delete(session);
      work.waiting.delete(session.id);
      const request = work.pending.get(session.id);
      request?.timer.cancel();
      work.pending.delete(session.id);
      if (request !== undefined && work.state === 'incomplete') this.onLate(work);
      this.forgetIdle(work);
    }
  }

  /** Whether a request for transactions of a block is pending at a peer. */
  awaits(session: Session): boolean {
    return this.openOf(session).length > 0;
  }

  private openOf(session: Session): { readonly work: BlockWork; readonly request: PendingRequest }[] {
    return [...this.works.values()].flatMap((work) => {
      const request = work.pending.get(session.id);
      return request === undefined ? [] : [{ work, request }];
    });
  }
}
