import { canonicalHost, type NamedEndpoint, type PeerAddress } from '../util/address';

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
