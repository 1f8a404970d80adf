import { canonicalHost } from '../util/address';

/** How long a ban lasts when nobody says otherwise. */
const BAN_SECONDS = 900;

/** A banned address and the second at which it is free again. */
export interface Ban {
  readonly host: string;
  readonly until: number;
}

/** Banned addresses, always compared in canonical form. `now` is in seconds since 1970. */
export class Bans {
  private readonly untilOf = new Map<string, number>();

  constructor(private readonly now: () => number) {}

  /** Bans an address; a longer ban in force stays. Returns false when the text is no IP address. */
  add(host: string, seconds: number = BAN_SECONDS): boolean {
    const canonical = canonicalHost(host);
    if (canonical === undefined) return false;
    const until = this.now() + seconds;
    this.untilOf.set(canonical, Math.max(until, this.untilOf.get(canonical) ?? 0));
    return true;
  }

  remove(host: string): boolean {
    const canonical = canonicalHost(host);
    return canonical !== undefined && this.untilOf.delete(canonical);
  }

  isBanned(host: string): boolean {
    const canonical = canonicalHost(host);
    if (canonical === undefined) return false;
    const until = this.untilOf.get(canonical);
    if (until === undefined) return false;
    if (until > this.now()) return true;
    this.untilOf.delete(canonical);
    return false;
  }

  /** The bans in force. */
  list(): Ban[] {
    const now = this.now();
    return [...this.untilOf].filter(([, until]) => until > now).map(([host, until]) => ({ host, until }));
  }

  restore(bans: readonly Ban[]): void {
    for (const { host, until } of bans) {
      const canonical = canonicalHost(host);
      if (canonical !== undefined && until > this.now()) this.untilOf.set(canonical, until);
    }
  }
}
