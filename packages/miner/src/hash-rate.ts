/** Averaging window. */
const WINDOW_MS = 10_000;

/** Hash rate, averaged over the last ten seconds. */
export class HashRate {
  private samples: { readonly at: number; readonly hashes: bigint }[];
  private hashes = 0n;

  /** @param now monotonic milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.samples = [{ at: now(), hashes: 0n }];
  }

  get total(): bigint {
    return this.hashes;
  }

  add(hashes: bigint): void {
    this.hashes += hashes;
  }

  /** Hashes per second. Each call adds a sample to the window. */
  perSecond(): number {
    const at = this.now();
    this.samples.push({ at, hashes: this.hashes });
    while (this.samples.length > 2 && at - (this.samples[1]?.at ?? at) >= WINDOW_MS) this.samples.shift();
    const [first] = this.samples;
    if (first === undefined || first.at >= at) return 0;
    return (Number(this.hashes - first.hashes) * 1000) / (at - first.at);
  }
}

/** For example `950 H/s` or `12.30 kH/s`. */
export function hashesPerSecondText(rate: number): string {
  if (rate < 1000) return `${rate.toFixed(0)} H/s`;
  if (rate < 1_000_000) return `${(rate / 1000).toFixed(2)} kH/s`;
  return `${(rate / 1_000_000).toFixed(2)} MH/s`;
}
