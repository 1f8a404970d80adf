import { type FoundNonce, searchNonce } from '@wrkz/crypto';
import type { HashRate } from './hash-rate';
import type { MiningWork } from './work';

const MAX_NONCE = 0xffff_ffffn;

export interface BlockSearchOptions {
  readonly threads: number;
  readonly rate: HashRate;
  /** Called for each valid nonce. A search for shares continues after it. */
  readonly onFound: (work: MiningWork, found: FoundNonce) => void;
  /** Called when the search fails. */
  readonly onFailure: (error: unknown) => void;
}

/** Searches a nonce for the latest work on native threads. */
export class BlockSearch {
  private current = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private latest: MiningWork | undefined;

  constructor(private readonly options: BlockSearchOptions) {}

  get work(): MiningWork | undefined {
    return this.latest;
  }

  /** Replaces the work; undefined stops the search. */
  switchTo(work: MiningWork | undefined): void {
    this.current.abort();
    this.latest = work;
    const { signal } = (this.current = new AbortController());
    // The next search starts after the threads of the last one have ended.
    this.running = this.running.then(() => (work === undefined ? undefined : this.searchAll(work, signal)));
  }

  async stop(): Promise<void> {
    this.switchTo(undefined);
    await this.running;
  }

  private async searchAll(work: MiningWork, signal: AbortSignal): Promise<void> {
    let next = 0n;
    try {
      while (!signal.aborted && next <= MAX_NONCE) {
        const found = await this.search(work, next, signal);
        if (found === null) return;
        this.options.onFound(work, found);
        if (!work.isShare) return;
        // Threads search interleaved nonces, so some lower nonces are skipped. This is harmless.
        next = found.nonce + 1n;
      }
    } catch (error) {
      if (!signal.aborted) this.options.onFailure(error);
    }
  }

  private async search(work: MiningWork, startNonce: bigint, signal: AbortSignal): Promise<FoundNonce | null> {
    const { threads, rate } = this.options;
    let counted = 0n;
    const count = (hashes: bigint): void => {
      rate.add(hashes - counted);
      counted = hashes;
    };
    const { algorithm, data, nonceOffset, difficulty } = work;
    const found = await searchNonce({
      algorithm,
      data,
      nonceOffset,
      nonceSize: 4,
      difficulty,
      startNonce,
      threads,
      signal,
      onProgress: count,
    });
    if (found !== null) count(found.hashes);
    return found;
  }
}
