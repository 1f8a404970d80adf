import { BoundedMap } from '@wrkz/service-kit/base';
import { hashKey } from '../hashes';
import { type CloseReason, closeReasons } from '../limits/close-reasons';
import type { BlockCodec, ChainAdvance, ChainPort, P2pClock } from '../ports';
import type { Session } from '../session/session';
import type { BlockRelay } from './block-relay';

/**
 * Announces our new tip to peers once it is committed. A peer that claims a higher chain with a tip unknown to us gets no
 * announcement: while we catch up, old blocks are not announced, and a false claim only affects the peer that made it.
 */
export class Announcer {
  constructor(
    private readonly chain: ChainPort,
    private readonly relay: Pick<BlockRelay, 'hopOf'>,
    private readonly sessions: () => Iterable<Session>,
    private readonly clock: Pick<P2pClock, 'now'>,
  ) {}

  onCommit(commit: ChainAdvance): void {
    if (commit.added.length > 0) this.announce();
  }

  /** Announces the tip to every peer that is not known to have it. */
  announce(): void {
    const { height, hash } = this.chain.tip();
    let raw: ReturnType<ChainPort['rawBlock']>;
    for (const session of this.sessions()) {
      if (!session.handshaken || session.knownBlocks.has(hash) || this.isAhead(session, height)) continue;
      raw ??= this.chain.rawBlock(hash);
      if (raw === undefined) return;
      session.knownBlocks.add(hash);
      session.sendBlock(raw, height + 1, this.relay.hopOf(hash), this.clock.now());
    }
  }

  private isAhead({ claim }: Session, height: number): boolean {
    return claim !== undefined && claim.height > height + 1 && !this.chain.isKnown(claim.tip);
  }
}

type Verdict = Awaited<ReturnType<ChainPort['judgeWork']>>;

/** Verdicts remembered: a block is announced by every peer that has it. */
const KEPT = 200;

/**
 * Judges announced blocks by what they say of themselves, in the order of what it costs: their length, the number of
 * transactions that they name, whether we have them, their proof of work. Only what passes is looked into.
 */
export class AnnouncedBlocks {
  private readonly verdicts = new BoundedMap<string, Promise<Verdict>>(KEPT);

  constructor(
    private readonly chain: Pick<ChainPort, 'isKnown' | 'judgeWork' | 'largestBlock' | 'transactionsOfBlock'>,
    private readonly codec: Pick<BlockCodec, 'parse'>,
    /** The peer follows a branch that leaves ours far below the tip; its chain should be requested. */
    private readonly wantsSync: (session: Session) => void,
  ) {}

  /** Whether the relay may go on with the block. The connection ends when its sender could have known better. */
  async admit(session: Session, bytes: Buffer): Promise<boolean> {
    const looked = session.budget.work.measure(() => this.look(bytes));
    const verdict = looked instanceof Promise ? await looked : looked;
    if (!session.isOpen || session.state !== 'normal') return false;
    if (typeof verdict === 'object') session.close(verdict);
    else if (verdict === 'fails') session.close(closeReasons.invalidBlock);
    else if (verdict === 'deep') this.wantsSync(session);
    else return true;
    return false;
  }

  private look(bytes: Buffer): Promise<Verdict> | Verdict | CloseReason {
    const { chain } = this;
    if (bytes.length > chain.largestBlock()) return closeReasons.overfullBlock;
    let parsed: ReturnType<BlockCodec['parse']>;
    try {
      parsed = this.codec.parse(bytes);
    } catch {
      return closeReasons.objectsUnreadable;
    }
    const { previousHash, transactionHashes } = parsed.block;
    if (transactionHashes.length > chain.transactionsOfBlock(previousHash)) return closeReasons.overfullBlock;
    // Known blocks, and those whose parent we lack, are looked up no further by the relay.
    if (chain.isKnown(parsed.hash) || !chain.isKnown(previousHash)) return 'holds';
    return this.verdictOf(hashKey(parsed.hash), bytes);
  }

  private verdictOf(key: string, bytes: Buffer): Promise<Verdict> {
    const known = this.verdicts.get(key);
    if (known !== undefined) return known;
    const verdict = this.chain.judgeWork(bytes);
    this.verdicts.set(key, verdict);
    // What could not be judged is judged again for the next who brings it.
    verdict.catch(() => this.verdicts.delete(key));
    return verdict;
  }
}
