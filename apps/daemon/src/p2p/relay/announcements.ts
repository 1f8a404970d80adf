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
 * Announces a new tip to peers after its commit. A peer that claims a higher chain with a tip unknown to us gets no announcement:
 * so old blocks are not announced during a synchronisation, and a false claim only affects the peer that made it.
 */
export class Announcer {
  constructor(private readonly dependencies: AnnouncerDependencies) {}

  onCommit(commit: ChainAdvance): void {
    if (commit.added.length > 0) this.announce();
  }

  /** Announces the tip to each peer that is not known to have it. */
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

type WorkResult = Awaited<ReturnType<ChainPort['checkProofOfWork']>>;

/** Cached results: every peer that has a block announces it. */
const MAX_RESULTS = 200;

export interface AnnouncedBlocksDependencies {
  readonly chain: Pick<ChainPort, 'isKnown' | 'checkProofOfWork' | 'largestBlock' | 'transactionsOfBlock'>;
  readonly codec: Pick<BlockCodec, 'parse'>;
  /** The peer follows a branch that forks far below our tip. Requests its chain. */
  requestSync(session: Session): void;
}

/**
 * Filters announced blocks before any database lookup, the cheapest check first: length, number of transactions, whether the
 * block is known, proof of work.
 */
export class AnnouncedBlocks {
  private readonly results = new BoundedMap<string, Promise<WorkResult>>(MAX_RESULTS);

  constructor(private readonly dependencies: AnnouncedBlocksDependencies) {}

  /** Whether the relay may process the block. Closes the connection if the sender could have known that it is invalid. */
  async admit(session: Session, bytes: Buffer): Promise<boolean> {
    const looked = session.budget.work.measure(() => this.look(bytes));
    const result = looked instanceof Promise ? await looked : looked;
    if (!session.isOpen || session.state !== 'normal') return false;
    if (typeof result === 'object') session.close(result);
    else if (result === 'fails') session.close(closeReasons.invalidBlock);
    else if (result === 'deep') this.dependencies.requestSync(session);
    else return true;
    return false;
  }

  private look(bytes: Buffer): Promise<WorkResult> | WorkResult | CloseReason {
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
    // No proof of work needed: the relay ignores known blocks, and only requests the chain for blocks without a known parent.
    if (chain.isKnown(parsed.hash) || !chain.isKnown(previousHash)) return 'holds';
    return this.proofOfWork(hashKey(parsed.hash), bytes);
  }

  private proofOfWork(key: string, bytes: Buffer): Promise<WorkResult> {
    const known = this.results.get(key);
    if (known !== undefined) return known;
    const result = this.dependencies.chain.checkProofOfWork(bytes);
    this.results.set(key, result);
    // After an internal error the proof of work is checked again for the next announcer.
    result.catch(() => this.results.delete(key));
    return result;
  }
}
