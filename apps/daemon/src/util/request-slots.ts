import { countedAddress, isLoopback } from '@wrkz/service-kit';

interface SlotLimits {
  readonly total: number;
  /** Of one client address (IPv6: one /64). */
  readonly perAddress: number;
  /** Whether `perAddress` does not apply to an address. Default: to loopback. */
  readonly isExempt?: (client: string) => boolean;
}

/** Limits the requests that run or wait at the same time. */
export class RequestSlots {
  private readonly byAddress = new Map<string, number>();
  private taken = 0;

  constructor(private readonly limits: SlotLimits) {}

  /** @returns the function that releases the slot, to be called once; or the exceeded limit */
  take(client: string): (() => void) | 'total' | 'address' {
    const { total, perAddress, isExempt = isLoopback } = this.limits;
    const address = countedAddress(client);
    const own = this.byAddress.get(address) ?? 0;
    if (this.taken >= total) return 'total';
    if (own >= perAddress && !isExempt(client)) return 'address';
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
