import { BoundedMap } from '@wrkz/service-kit/base';
import { hashKey } from '../hashes';
import { type CloseReason, closeReasons } from '../limits/close-reasons';
import type { BlockCodec, ChainPort } from '../ports';
import type { Session } from '../session/session';

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
