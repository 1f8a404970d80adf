import { canonicalHost } from '../util/address';
import { hostNetwork } from '../util/host-network';

/** How long a ban lasts when nobody says otherwise. */
const BAN_SECONDS = 900;

/** A banned address and the second at which it is free again. */
export interface Ban {
  readonly host: string;
  readonly until: number;
}

/** Banned addresses, always compared in canonical form, IPv6 ones by their /64. `now` is in seconds since 1970. */
export class Bans {
  /** By whoever is behind the address. */
  private readonly bans = new Map<string, Ban>();

  constructor(private readonly now: () => number) {}

  /** Bans an address; a longer ban in force stays. Returns false when the text is no IP address. */
  add(host: string, seconds: number = BAN_SECONDS): boolean {
    const canonical = canonicalHost(host);
    if (canonical === undefined) return false;
    const network = hostNetwork(canonical);
    const until = Math.max(this.now() + seconds, this.bans.get(network)?.until ?? 0);
    this.bans.set(network, { host: canonical, until });
    return true;
  }

  remove(host: string): boolean {
    const canonical = canonicalHost(host);
    return canonical !== undefined && this.bans.delete(hostNetwork(canonical));
  }

  isBanned(host: string): boolean {
    const canonical = canonicalHost(host);
    if (canonical === undefined) return false;
    const network = hostNetwork(canonical);
    const ban = this.bans.get(network);
    if (ban === undefined) return false;
    if (ban.until > this.now()) return true;
    this.bans.delete(network);
    return false;
  }

  /** The bans in force. */
  list(): Ban[] {
    const now = this.now();
    return [...this.bans.values()].filter(({ until }) => until > now);
  }

  restore(bans: readonly Ban[]): void {
    for (const { host, until } of bans) {
      const canonical = canonicalHost(host);
      if (canonical !== undefined && until > this.now())
        this.bans.set(hostNetwork(canonical), { host: canonical, until });
    }
  }
}
