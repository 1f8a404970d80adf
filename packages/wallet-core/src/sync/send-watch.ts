import type { NodeCalls } from '@wrkz/client';
import type { SyncLedger } from './ports';

/** A send that so many answers in a row know nothing of is cancelled. */
const ABSENCES = 2;
/** Hashes asked for at once. */
const AT_ONCE = 100;

/** Answers in a row that know nothing of a send since it last left. */
interface Absences {
  readonly count: number;
  readonly departure: number;
}

/**
 * Learns what became of own sends that are in no block yet (docs/protocol/wallet-sync.md#own-sends). One answer is not
 * enough: another node of the list may not have heard of a send that the first one passed on a moment ago. What was asked
 * before a send left once more says nothing of it.
 */
export class SendWatch {
  readonly #absences = new Map<string, Absences>();

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
      const departures = asked.map((hash) => this.ledger.departureOf(hash));
      const { unknown, inBlock, inPool } = await node.transactionPlaces(asked, signal);
      const present = new Set([...inBlock, ...inPool]);
      const absent = new Set(unknown);
      for (const [j, hash] of asked.entries()) {
        if (this.ledger.departureOf(hash) !== departures[j]) continue;
        this.#judge(hash, absent.has(hash) && !present.has(hash));
      }
    }
  }

  #judge(hash: string, isAbsent: boolean): void {
    const departure = this.ledger.departureOf(hash);
    const before = this.#absences.get(hash);
    const earlier = before?.departure === departure ? before.count : 0;
    const count = isAbsent ? earlier + 1 : 0;
    this.#absences.set(hash, { count, departure });
    if (count < ABSENCES || !this.ledger.unconfirmedHashes().includes(hash)) return;
    this.#absences.delete(hash);
    this.ledger.cancelSend(hash);
    this.cancelled(hash);
  }
}
