import { walletError } from '../errors';
import type { WalletDb } from '../wallet-db/wallet-db';

/** Cause of a pause: a command of the operator, or a condition that the wallet detected. */
export type PauseSource = 'operator' | 'database' | 'chainDisagreement' | 'heavierBranch';

export interface Pause {
  readonly source: PauseSource;
  readonly reason: string;
  /** Unix milliseconds. */
  readonly since: number;
}

const SETTING = 'pausedSends';

/**
 * Pauses sends for safety. Reads are not affected. A pause by the operator or for database damage lasts until the operator
 * resumes sends. A pause caused by the chain ends with its cause.
 */
export class SendPause {
  private readonly pauses = new Map<PauseSource, Pause>();
  /** Causes that the operator has overruled. An entry lasts until the cause ends. */
  private readonly overruled = new Set<PauseSource>();

  /**
   * @param commit runs writes in one transaction @throws WalletError
   * @param onChange called after each pause and resumption
   */
  constructor(
    private readonly db: () => WalletDb | undefined,
    private readonly commit: (work: () => void) => void,
    private readonly now: () => number,
    private readonly onChange: (pause: Pause | undefined) => void,
  ) {}

  /** Restores a stored pause by the operator. */
  load(): void {
    const stored = this.db()?.settings.get(SETTING) as Pause | undefined;
    if (stored !== undefined) this.pauses.set(stored.source, stored);
  }

  get current(): Pause | undefined {
    return [...this.pauses.values()].find(({ source }) => !this.overruled.has(source));
  }

  /** @throws WalletError sendsPaused */
  check(): void {
    const { current } = this;
    if (current !== undefined) throw walletError.sendsPaused(current.reason);
  }

  set(source: PauseSource, reason: string): void {
    if (this.pauses.has(source)) return;
    const pause = { source, reason, since: this.now() };
    if (source === 'operator') this.commit(() => this.db()?.settings.put(SETTING, pause));
    this.pauses.set(source, pause);
    this.onChange(pause);
  }

  /** Removes a cause that has ended. */
  end(source: PauseSource): void {
    this.overruled.delete(source);
    if (this.pauses.delete(source)) this.onChange(this.current);
  }

  /** Resumes sends on the operator's command, overruling all current causes. */
  resume(): void {
    const isPaused = this.current !== undefined;
    this.commit(() => this.db()?.settings.delete(SETTING));
    for (const source of [...this.pauses.keys()]) {
      if (source === 'chainDisagreement' || source === 'heavierBranch') this.overruled.add(source);
      else this.pauses.delete(source);
    }
    if (isPaused) this.onChange(undefined);
  }
}
