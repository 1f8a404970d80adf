import { countedAddress, isLoopback } from '@wrkz/service-kit';

export interface PlaceLimits {
  readonly all: number;
  /** Of one client address (IPv6: one /64); those of this machine are not counted by it. */
  readonly perAddress: number;
}

/** How many requests may be on their way to the node at once. */
export class PassPlaces {
  private readonly byAddress = new Map<string, number>();
  private taken = 0;

  constructor(private readonly limits: PlaceLimits) {}

  /** @returns gives the place back, once; or says of what there are too many */
  take(client: string): (() => void) | 'all' | 'address' {
    const address = countedAddress(client);
    const own = this.byAddress.get(address) ?? 0;
    if (this.taken >= this.limits.all) return 'all';
    if (own >= this.limits.perAddress && !isLoopback(client)) return 'address';
    this.taken += 1;
    this.byAddress.set(address, own + 1);
    return () => {
      this.taken -= 1;
      const left = (this.byAddress.get(address) ?? 1) - 1;
      if (left === 0) this.byAddress.delete(address);
      else this.byAddress.set(address, left);
    };
  }
}
