import { BoundedMap } from '@wrkz/service-kit/base';
import { hashKey } from '../hashes';
import { type CloseReason, closeReasons } from '../limits/close-reasons';
import type { BlockCodec, ChainAdvance, ChainPort, P2pClock } from '../ports';
import type { Session } from '../session/session';
import type { BlockRelay } from './block-relay';

export interface AnnouncerDependencies {
  readonly chain: Pick<ChainPort, 'tip' | 'rawBlock' | 'isKnown'>;
  readonly relay: Pick<BlockRelay, 'hopOf'>;
  readonly clock: Pick<P2pClock, 'now'>;
  sessions(): Iterable<Session>;
}

/**
 * Announces our new tip to peers once it is committed. A peer that claims a higher chain with a tip unknown to us gets no
 * announcement: while we catch up, old blocks are not announced, and a false claim only affects the peer that made it.
 */
export class Announcer {
  constructor(private readonly dependencies: AnnouncerDependencies) {}

  onCommit(commit: ChainAdvance): void {
    if (commit.added.length > 0) this.announce();
  }

  /** Announces the tip to every peer that is not known to have it. */
  announce(): void {
    const { height, hash } = this.dependencies.chain.tip();
    let raw: ReturnType<ChainPort['rawBlock']>;
    for (const session of this.dependencies.sessions()) {
      if (!session.handshaken || session.knownBlocks.has(hash) || this.isAhead(session, height)) continue;
      raw ??= this.dependencies.chain.rawBlock(hash);
      if (raw === undefined) return;
      session.knownBlocks.add(hash);
      session.sendBlock(raw, height + 1, this.dependencies.relay.hopOf(hash), this.dependencies.clock.now());
    }
  }

  private isAhead({ claim }: Session, height: number): boolean {
    return claim !== undefined && claim.height > height + 1 && !this.dependencies.chain.isKnown(claim.tip);
  }
}

type Verdict = Awaited<ReturnType<ChainPort['judgeWork']>>;

/** Verdicts remembered: a block is announced by every peer that has it. */
const VERDICTS_LIMIT = 200;

export interface AnnouncedBlocksDependencies {
  readonly chain: Pick<ChainPort, 'isKnown' | 'judgeWork' | 'largestBlock' | 'transactionsOfBlock'>;
  readonly codec: Pick<BlockCodec, 'parse'>;
  /** The peer follows a branch that leaves ours far below the tip; its chain should be requested. */
  wantsSync(session: Session): void;
}

/**
 * Checks announced blocks before anything is looked up, the cheapest check first: length, number of transactions, whether the
 * block is known, proof of work.
 */
export class AnnouncedBlocks {
  private readonly verdicts = new BoundedMap<string, Promise<Verdict>>(VERDICTS_LIMIT);

  constructor(private readonly dependencies: AnnouncedBlocksDependencies) {}

  /** Whether the relay may process the block. Closes the connection if the sender could have known that it is invalid. */
  async admit(session: Session, bytes: Buffer): Promise<boolean> {
    const looked = session.budget.work.measure(() => this.look(bytes));
    const verdict = looked instanceof Promise ? await looked : looked;
    if (!session.isOpen || session.state !== 'normal') return false;
    if (typeof verdict === 'object') session.close(verdict);
    else if (verdict === 'fails') session.close(closeReasons.invalidBlock);
    else if (verdict === 'deep') this.dependencies.wantsSync(session);
    else return true;
    return false;
  }

  private look(bytes: Buffer): Promise<Verdict> | Verdict | CloseReason {
    const { chain, codec } = this.dependencies;
    if (bytes.length > chain.largestBlock()) return closeReasons.overfullBlock;
    let parsed: ReturnType<BlockCodec['parse']>;
    try {
      parsed = codec.parse(bytes);
    } catch {
      return closeReasons.objectsUnreadable;
    }
    const { previousHash, transactionHashes } = parsed.block;
    if (transactionHashes.length > chain.transactionsOfBlock(previousHash)) return closeReasons.overfullBlock;
    // The relay does nothing for known blocks and only requests the chain for blocks without a known parent.
    if (chain.isKnown(parsed.hash) || !chain.isKnown(previousHash)) return 'holds';
    return this.verdictOf(hashKey(parsed.hash), bytes);
  }

  private verdictOf(key: string, bytes: Buffer): Promise<Verdict> {
    const known = this.verdicts.get(key);
    if (known !== undefined) return known;
    const verdict = this.dependencies.chain.judgeWork(bytes);
    this.verdicts.set(key, verdict);
    // After an error the work is judged again for the next announcer.
    verdict.catch(() => this.verdicts.delete(key));
    return verdict;
  }
}
