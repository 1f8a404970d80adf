import { addressKey, canonicalHost, type NamedEndpoint, type PeerAddress } from '../addresses';

const FIRST_WAIT = 2_000;
const MAX_WAIT = 60_000;

interface Attempt {
  readonly address: PeerAddress;
  next: number;
  wait: number;
}

/** Peers configured by the operator: dialed until they respond, with a backoff of up to a minute. */
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

  /** The peers to dial now. Each returned peer is due again after its backoff. */
  due(now: number, isBusy: (address: PeerAddress) => boolean): PeerAddress[] {
    const due = this.attempts.filter((attempt) => attempt.next <= now && !isBusy(attempt.address));
    for (const attempt of due) {
      attempt.next = now + attempt.wait;
      attempt.wait = Math.min(MAX_WAIT, attempt.wait * 2);
    }
    return due.map((attempt) => attempt.address);
  }

  /** The peer has responded: resets its backoff. */
  reached(address: PeerAddress, now: number): void {
    this.wait(address, now, FIRST_WAIT);
  }

  /** Does not dial the peer again within a minute. */
  avoid(address: PeerAddress, now: number): void {
    this.wait(address, now, MAX_WAIT);
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
const RESOLVE_INTERVAL = 3_600_000;

export interface SeedOptions {
  readonly seeds: readonly NamedEndpoint[];
  readonly dnsSeeds: readonly string[];
  readonly dnsSeedPort: number;
  resolve(host: string): Promise<string[]>;
  now(): number;
}

/** The addresses of the seeds. Host names are resolved when seeds are first needed, then hourly. */
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
    if (this.options.now() - this.resolvedAt < RESOLVE_INTERVAL && this.addresses.length > 0) return this.addresses;
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
