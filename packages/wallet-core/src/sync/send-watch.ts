import type { NodeCalls } from '@wrkz/client';
import type { SyncLedger } from './ports';

/** A send that so many answers in a row know nothing of is cancelled. */
const ABSENCES = 2;
/** Hashes asked for at once. */
const AT_ONCE = 100;

/**
 * Learns what became of own sends that are in no block yet (docs/protocol/wallet-sync.md#own-sends). One answer is not
 * enough: another node of the list may not have heard of a send that the first one passed on a moment ago.
 */
export class SendWatch {
  readonly #absences = new Map<string, number>();

  constructor(
    private readonly ledger: SyncLedger<unknown>,
    private readonly cancelled: (hash: string) => void,
  ) {}

  /** @throws NodeFailure, after which nothing has changed; the signal's reason */
  async step(node: NodeCalls, signal: AbortSignal): Promise<void> {
    const hashes = this.ledger.unconfirmedHashes();
    for (const hash of [...this.#absences.keys()]) if (!hashes.includes(hash)) this.#absences.delete(hash);
    for (let i = 0; i < hashes.length; i += AT_ONCE) {
      const asked = hashes.slice(i, i + AT_ONCE);
      const { unknown, inBlock, inPool } = await node.transactionPlaces(asked, signal);
      const present = new Set([...inBlock, ...inPool]);
      const absent = new Set(unknown);
      for (const hash of asked) this.#judge(hash, absent.has(hash) && !present.has(hash));
    }
  }

  #judge(hash: string, isAbsent: boolean): void {
    const absences = isAbsent ? (this.#absences.get(hash) ?? 0) + 1 : 0;
    this.#absences.set(hash, absences);
    if (absences < ABSENCES || !this.ledger.unconfirmedHashes().includes(hash)) return;
    this.#absences.delete(hash);
    this.ledger.cancelSend(hash);
    this.cancelled(hash);
  }
}
