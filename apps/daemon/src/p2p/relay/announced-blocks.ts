import { BoundedMap } from '@wrkz/service-kit/base';
import { closeReasons, type CloseReason } from '../penalties/close-reasons';
import type { BlockCodec, ChainPort } from '../ports';
import type { Session } from '../session/session';
import { hashKey } from '../util/hash-key';

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
    /** The peer follows a branch that leaves ours far below the tip; its chain should be asked for. */
    private readonly wantsSync: (session: Session) => void,
  ) {}

  /** Whether the relay may go on with the block. The connection ends when its sender could have known better. */
  async admit(session: Session, bytes: Buffer): Promise<boolean> {
    const looked = session.account.work.measure(() => this.look(bytes));
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
