import { unlocked } from '../build/coin-selection';
import { failures } from '../build/failures';
import type { SpendView } from '../build/model';
import type { BuiltSend } from '../build/sign';

/** The most that are kept; each may hold a hundred kilobytes. The oldest goes first. */
const MOST = 1_000;

/**
 * Transactions that are built and wait for their owner's word, by hash. They lock nothing and are gone with the
 * process (docs/protocol/wallet.md#prepared).
 */
export class PreparedSends {
  readonly #sends = new Map<string, BuiltSend>();

  add(built: BuiltSend): void {
    const [oldest] = this.#sends.keys();
    if (this.#sends.size >= MOST && oldest !== undefined) this.#sends.delete(oldest);
    this.#sends.set(built.hash, built);
  }

  /** Whatever became of its inputs. */
  find(hash: string): BuiltSend | undefined {
    return this.#sends.get(hash.toLowerCase());
  }

  /**
   * The transaction, if its inputs are still there to be spent or locked by nothing but itself.
   * @throws WalletError 58; 57 when they are gone, and the preparation with them
   */
  take(hash: string, view: SpendView, now: number): BuiltSend {
    const id = hash.toLowerCase();
    const built = this.#sends.get(id);
    if (built === undefined) throw failures.preparedNotFound();
    if (!hasItsInputs(built, view, now)) {
      this.#sends.delete(id);
      throw failures.preparedExpired();
    }
    return built;
  }

  /** false when there was none. */
  forget(hash: string): boolean {
    return this.#sends.delete(hash.toLowerCase());
  }

  clear(): void {
    this.#sends.clear();
  }
}

function hasItsInputs({ hash, intent }: BuiltSend, view: SpendView, now: number): boolean {
  const usable = new Set<string>();
  for (const { output } of unlocked(view.subWallets, view.localHeight, now)) usable.add(output.key);
  for (const { locked } of view.subWallets) {
    for (const { key, spendingTransactionHash } of locked) if (spendingTransactionHash === hash) usable.add(key);
  }
  return intent.inputs.every(({ output }) => usable.has(output.key));
}
