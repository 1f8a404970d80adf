import { countedAddress, isLoopback } from '@wrkz/service-kit';

interface SlotLimits {
  readonly total: number;
  /** Of one client address (IPv6: one /64), loopback exempt. */
  readonly perAddress: number;
}

/** Limits the requests that run or wait at the same time. */
export class RequestSlots {
  private readonly byAddress = new Map<string, number>();
  private taken = 0;

  constructor(private readonly limits: SlotLimits) {}

  /** @returns the function that releases the slot, to be called once; or the exceeded limit */
  take(client: string): (() => void) | 'total' | 'address' {
    const address = countedAddress(client);
    const own = this.byAddress.get(address) ?? 0;
    if (this.taken >= this.limits.total) return 'total';
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
