import { addressKey, canonicalHost, type NamedEndpoint, type PeerAddress } from '../addresses';

const FIRST_WAIT = 2_000;
const LONGEST_WAIT = 60_000;

interface Attempt {
  readonly address: PeerAddress;
  next: number;
  wait: number;
}

/** Peers that the operator named: called again and again, soon at first, then once a minute. */
export class ExplicitPeers {
  private readonly attempts: Attempt[];

  constructor(addresses: readonly PeerAddress[]) {
    const unique = new Map(addresses.map((address) => [addressKey(address), address]));
    this.attempts = [...unique.values()].map((address) => ({ address, next: 0, wait: FIRST_WAIT }));
  }

  get isEmpty(): boolean {
    return this.attempts.length === 0;
  }

  has(address: PeerAddress): boolean {
    return this.attempts.some((attempt) => addressKey(attempt.address) === addressKey(address));
  }

  /** Whom to call now; each is not due again before its wait is over. */
  due(now: number, isBusy: (address: PeerAddress) => boolean): PeerAddress[] {
    const due = this.attempts.filter((attempt) => attempt.next <= now && !isBusy(attempt.address));
    for (const attempt of due) {
      attempt.next = now + attempt.wait;
      attempt.wait = Math.min(LONGEST_WAIT, attempt.wait * 2);
    }
    return due.map((attempt) => attempt.address);
  }

  /** It has responded: if it is lost later, it is called again soon. */
  reached(address: PeerAddress, now: number): void {
    this.wait(address, now, FIRST_WAIT);
  }

  /** It was of no use: it is not called again before a minute is over. */
  avoid(address: PeerAddress, now: number): void {
    this.wait(address, now, LONGEST_WAIT);
  }

  private wait(address: PeerAddress, now: number, milliseconds: number): void {
    for (const attempt of this.attempts) {
      if (addressKey(attempt.address) !== addressKey(address)) continue;
      attempt.wait = FIRST_WAIT;
      attempt.next = now + milliseconds;
    }
  }
}

export const SEED_INTERVAL = 300_000;
const RESOLVE_AGAIN = 3_600_000;

export interface SeedOptions {
  readonly seeds: readonly NamedEndpoint[];
  readonly dnsSeeds: readonly string[];
  readonly dnsSeedPort: number;
  resolve(host: string): Promise<string[]>;
  now(): number;
}

/** The addresses of the seeds. Names are looked up when seeds are needed for the first time, then hourly. */
export class Seeds {
  private addresses: readonly PeerAddress[] = [];
  private resolvedAt = -Infinity;

  constructor(private readonly options: SeedOptions) {}

  get count(): number {
    return this.options.seeds.length;
  }

  get areConfigured(): boolean {
    return this.options.seeds.length > 0 || this.options.dnsSeeds.length > 0;
  }

  async list(): Promise<readonly PeerAddress[]> {
    const { seeds, dnsSeeds, dnsSeedPort } = this.options;
    if (this.options.now() - this.resolvedAt < RESOLVE_AGAIN && this.addresses.length > 0) return this.addresses;
    const named = [...seeds, ...dnsSeeds.map((host) => ({ host, port: dnsSeedPort }))];
    const found = await Promise.all(named.map((seed) => this.resolve(seed)));
    this.addresses = found.flat();
    this.resolvedAt = this.options.now();
    return this.addresses;
  }

  private async resolve({ host, port }: NamedEndpoint): Promise<PeerAddress[]> {
    const literal = canonicalHost(host);
    if (literal !== undefined) return [{ host: literal, port }];
    const hosts = await this.options.resolve(host);
    return hosts.flatMap((text) => {
      const canonical = canonicalHost(text);
      return canonical === undefined ? [] : [{ host: canonical, port }];
    });
  }
}
