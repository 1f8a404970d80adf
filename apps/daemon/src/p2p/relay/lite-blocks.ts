import type { NewLiteBlock } from '@wrkz/levin';
import { LITE_BLOCK_PATIENCE, LITE_BLOCK_TIMEOUT } from '../constants';
import { closeReasons } from '../limits/close-reasons';
import type { P2pClock, Timer } from '../ports';
import type { Session } from '../session/session';

/** So many pending for transactions of blocks a peer may leave open; an honest one has one, two in a race of blocks. */
const MAX_OPEN = 4;

/** A request for the transactions of a block without a response yet. */
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
  /** Everybody who has announced it. */
  readonly announcers: Set<Session>;
  readonly pending: Map<number, PendingRequest>;
  /** Announcers without a request so far. */
  readonly waiting: Map<number, { readonly session: Session; readonly message: NewLiteBlock }>;
  /** Runs until the next announcer gets a request as well. */
  patience: Timer | undefined;
  /** The block is with the chain, or has been taken: no further request is needed. */
  state: 'incomplete' | 'adding' | 'taken';
}

/** An answer that was awaited. */
export interface Answer {
  readonly work: BlockWork;
  readonly message: NewLiteBlock;
}

/**
 * Chooses the announcer that gets a request for the transactions of a block. Each request has its own timeout, even when the
 * block is completed meanwhile; when the first announcer is late, the next one gets a request as well.
 */
export class LiteBlocks {
  private readonly works = new Map<string, BlockWork>();

  constructor(
    private readonly clock: Pick<P2pClock, 'after'>,
    /** Asks the next announcer. */
    private readonly askNext: (work: BlockWork) => void,
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

  /** Takes the next announcer without a request; outgoing peers first. */
  next(work: BlockWork): { readonly session: Session; readonly message: NewLiteBlock } | undefined {
    const waiting = [...work.waiting.values()].filter(({ session }) => session.isOpen);
    const next = waiting.find(({ session }) => !session.incoming) ?? waiting[0];
    if (next !== undefined) work.waiting.delete(next.session.id);
    return next;
  }

  /** Notes a request. False, and the end of the connection, when the peer has left too many open. */
  ask(work: BlockWork, session: Session, message: NewLiteBlock, missing: ReadonlySet<string>): boolean {
    if (this.openOf(session).length >= MAX_OPEN) {
      session.close(closeReasons.liteBlockIncomplete);
      return false;
    }
    const timer = this.clock.after(LITE_BLOCK_TIMEOUT, () => {
      session.close(closeReasons.liteBlockIncomplete);
    });
    work.pending.set(session.id, { session, message, missing, timer });
    work.patience?.cancel();
    work.patience = this.clock.after(LITE_BLOCK_PATIENCE, () => {
      work.patience = undefined;
      this.askNext(work);
    });
    return true;
  }

  /**
   * The blocks that a peer's transactions complete. `undefined` when none of them was requested: they are an ordinary
   * relay. `completes` returns whether a block has all of its transactions with those.
   */
  answered(
    session: Session,
    provided: ReadonlyMap<string, Buffer>,
    completes: (work: BlockWork) => boolean,
  ): Answer[] | undefined {
    const touched = this.openOf(session).filter(({ request }) => [...request.missing].some((key) => provided.has(key)));
    if (touched.length === 0) return undefined;
    const complete = touched.filter(({ work }) => completes(work));
    for (const { work, request } of complete) {
      request.timer.cancel();
      work.pending.delete(session.id);
    }
    return complete.map(({ work, request }) => ({ work, message: request.message }));
  }

  /** The block is stored. Peers with an open request still have to respond. */
  taken(work: BlockWork): void {
    work.state = 'taken';
    work.waiting.clear();
    work.patience?.cancel();
    this.forgetIdle(work);
  }

  /** The block came to nothing. */
  drop(work: BlockWork): void {
    this.works.delete(work.key);
    work.patience?.cancel();
    for (const { timer } of work.pending.values()) timer.cancel();
    work.pending.clear();
  }

  /** Drops a block without requests and announcers. */
  forgetIdle(work: BlockWork): void {
    if (work.state !== 'adding' && work.pending.size === 0 && work.waiting.size === 0) this.drop(work);
  }

  /** The session is closed: its responses will not come, and the next announcer gets a request at once. */
  left(session: Session): void {
    for (const work of [...this.works.values()]) {
      work.announcers.delete(session);
      work.waiting.delete(session.id);
      const request = work.pending.get(session.id);
      request?.timer.cancel();
      work.pending.delete(session.id);
      if (request !== undefined && work.state === 'incomplete') this.askNext(work);
      this.forgetIdle(work);
    }
  }

  /** Whether a peer owes us transactions of a block. */
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
