import type { NewLiteBlock } from '@wrkz/levin';
import { LITE_BLOCK_PATIENCE, LITE_BLOCK_TIMEOUT } from '../constants';
import { closeReasons } from '../limits/close-reasons';
import type { P2pClock, Timer } from '../ports';
import type { Session } from '../session/session';

/** So many questions for transactions of blocks a peer may leave open; an honest one has one, two in a race of blocks. */
const MAX_OPEN = 4;

/** A peer that was asked for the transactions of a block and has not answered. */
interface Question {
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
  readonly questions: Map<number, Question>;
  /** Announcers that may be asked yet. */
  readonly waiting: Map<number, { readonly session: Session; readonly message: NewLiteBlock }>;
  /** Runs while the one who was asked last still has time to itself. */
  patience: Timer | undefined;
  /** The block is with the chain, or has been taken: nobody has to be asked any more. */
  state: 'incomplete' | 'adding' | 'taken';
}

/** An answer that was awaited. */
export interface Answer {
  readonly work: BlockWork;
  readonly message: NewLiteBlock;
}

/**
 * Which announcer is asked for the transactions of which block. Each has a time of its own to answer, whatever becomes of
 * the block meanwhile and whatever else it announces; when the first keeps us waiting, the next is asked as well.
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
      questions: new Map(),
      waiting: new Map(),
      patience: undefined,
      state: 'incomplete',
    };
    this.works.set(key, work);
    return work;
  }

  /** Takes the next announcer that can be asked; peers that we chose ourselves go first. */
  next(work: BlockWork): { readonly session: Session; readonly message: NewLiteBlock } | undefined {
    const waiting = [...work.waiting.values()].filter(({ session }) => session.isOpen);
    const next = waiting.find(({ session }) => !session.incoming) ?? waiting[0];
    if (next !== undefined) work.waiting.delete(next.session.id);
    return next;
  }

  /** Notes a question. False, and the end of the connection, when the peer has left too many open. */
  ask(work: BlockWork, session: Session, message: NewLiteBlock, missing: ReadonlySet<string>): boolean {
    if (this.openOf(session).length >= MAX_OPEN) {
      session.close(closeReasons.liteBlockIncomplete);
      return false;
    }
    const timer = this.clock.after(LITE_BLOCK_TIMEOUT, () => {
      session.close(closeReasons.liteBlockIncomplete);
    });
    work.questions.set(session.id, { session, message, missing, timer });
    work.patience?.cancel();
    work.patience = this.clock.after(LITE_BLOCK_PATIENCE, () => {
      work.patience = undefined;
      this.askNext(work);
    });
    return true;
  }

  /**
   * The blocks that a peer's transactions complete. `undefined` when none of them was asked for: they are an ordinary
   * relay. `completes` tells whether a block has all of its transactions with those.
   */
  answered(
    session: Session,
    provided: ReadonlyMap<string, Buffer>,
    completes: (work: BlockWork) => boolean,
  ): Answer[] | undefined {
    const touched = this.openOf(session).filter(({ question }) =>
      [...question.missing].some((key) => provided.has(key)),
    );
    if (touched.length === 0) return undefined;
    const complete = touched.filter(({ work }) => completes(work));
    for (const { work, question } of complete) {
      question.timer.cancel();
      work.questions.delete(session.id);
    }
    return complete.map(({ work, question }) => ({ work, message: question.message }));
  }

  /** The block is stored. Whoever was asked for its transactions still has to show that it has them. */
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
    for (const { timer } of work.questions.values()) timer.cancel();
    work.questions.clear();
  }

  /** A block that nobody is asked for, or waits to be asked for, is forgotten. */
  forgetIdle(work: BlockWork): void {
    if (work.state !== 'adding' && work.questions.size === 0 && work.waiting.size === 0) this.drop(work);
  }

  /** The session is closed: what it owes will not come, and the next is asked at once. */
  left(session: Session): void {
    for (const work of [...this.works.values()]) {
      work.announcers.delete(session);
      work.waiting.delete(session.id);
      const question = work.questions.get(session.id);
      question?.timer.cancel();
      work.questions.delete(session.id);
      if (question !== undefined && work.state === 'incomplete') this.askNext(work);
      this.forgetIdle(work);
    }
  }

  /** Whether a peer owes us transactions of a block. */
  isAsked(session: Session): boolean {
    return this.openOf(session).length > 0;
  }

  private openOf(session: Session): { readonly work: BlockWork; readonly question: Question }[] {
    return [...this.works.values()].flatMap((work) => {
      const question = work.questions.get(session.id);
      return question === undefined ? [] : [{ work, question }];
    });
  }
}
