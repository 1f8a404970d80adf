import type { P2pContext } from '../context';
import { closeReasons, type CloseReason } from '../penalties/close-reasons';
import type { ChainPort } from '../ports';
import type { Session } from '../session/session';
import { hashKey } from '../util/hash-key';

type Verdict = Awaited<ReturnType<ChainPort['judgeWork']>>;

/** Verdicts remembered: a block is announced by every peer that has it. */
const KEPT = 200;

/**
 * Judges announced blocks by what they say of themselves, in the order of what it costs: the number of transactions that
 * they name, whether we have them, their proof of work. Only what passes is looked into.
 */
export class AnnouncedBlocks {
  private readonly verdicts = new Map<string, Promise<Verdict>>();

  /** Whether the relay may go on with the block. The connection ends when its sender could have known better. */
  async admit(context: P2pContext, session: Session, bytes: Buffer): Promise<boolean> {
    const judged = session.account.work.measure(() => this.look(context, bytes));
    const verdict = typeof judged === 'object' && 'then' in judged ? await judged : judged;
    if (!session.isOpen || session.state !== 'normal') return false;
    if (typeof verdict === 'object') session.close(verdict);
    else if (verdict === 'fails') session.close(closeReasons.invalidBlock);
    else if (verdict === 'deep') context.driver.wantsSync(session);
    else return true;
    return false;
  }

  private look({ chain, codec }: P2pContext, bytes: Buffer): Promise<Verdict> | Verdict | CloseReason {
    let parsed: ReturnType<typeof codec.parse>;
    try {
      parsed = codec.parse(bytes);
    } catch {
      return closeReasons.objectsUnreadable;
    }
    const { previousHash, transactionHashes } = parsed.block;
    if (transactionHashes.length > chain.transactionsOfBlock(previousHash)) return closeReasons.overfullBlock;
    // Known blocks, and those whose parent we lack, are looked up no further by the relay.
    if (chain.isKnown(parsed.hash) || !chain.isKnown(previousHash)) return 'holds';
    const key = hashKey(parsed.hash);
    const verdict = this.verdicts.get(key) ?? chain.judgeWork(bytes);
    this.verdicts.set(key, verdict);
    const [oldest] = this.verdicts.keys();
    if (this.verdicts.size > KEPT && oldest !== undefined) this.verdicts.delete(oldest);
    return verdict;
  }
}
