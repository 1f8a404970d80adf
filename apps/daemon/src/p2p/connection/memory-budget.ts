const MIB = 1024 * 1024;

/** Max buffered bytes: per connection, per address, and in total. */
export interface MemoryLimits {
  readonly connection: number;
  readonly address: number;
  readonly total: number;
}

/**
 * The limit of a connection covers the largest frame, a full inbox and a full write queue
 * (docs/protocol/p2p.md#timeouts-and-limits).
 */
const memoryLimits: MemoryLimits = { connection: 96 * MIB, address: 128 * MIB, total: 256 * MIB };

interface AddressUse {
  used: number;
  readonly shares: Set<MemoryShare>;
}

/**
 * One budget for all buffered bytes of peers: incomplete frames, queued frames, frames being handled, and write queues. A
 * connection or address above its own limit is refused. Above the total limit, the largest connection of the address with the
 * highest usage is closed, whichever connection requested more.
 */
export class MemoryBudget {
  private readonly addresses = new Map<string, AddressUse>();
  private used = 0;

  constructor(readonly limits: MemoryLimits = memoryLimits) {}

  get inUse(): number {
    return this.used;
  }

  /**
   * The share of a new connection. `evict` closes the connection, which releases at once all bytes that are not being handled.
   */
  open(account: string, evict: () => void): MemoryShare {
    let address = this.addresses.get(account);
    if (address === undefined) this.addresses.set(account, (address = { used: 0, shares: new Set() }));
    const share = new MemoryShare(this, account, evict);
    address.shares.add(share);
    return share;
  }

  /** Only called by `MemoryShare`. */
  take(share: MemoryShare, bytes: number): boolean {
    const address = this.addresses.get(share.account);
    if (address === undefined || share.held + bytes > this.limits.connection) return false;
    if (address.used + bytes > this.limits.address) return false;
    while (this.used + bytes > this.limits.total) {
      const largest = this.largest();
      if (largest === undefined || largest === share) return false;
      largest.close();
      largest.evict();
    }
    address.used += bytes;
    this.used += bytes;
    return true;
  }

  /** Only called by `MemoryShare`. */
  give(share: MemoryShare, bytes: number): void {
    const address = this.addresses.get(share.account);
    if (address !== undefined) address.used -= bytes;
    this.used -= bytes;
  }

  /** Only called by `MemoryShare`. */
  forget(share: MemoryShare): void {
    const address = this.addresses.get(share.account);
    if (address === undefined) return;
    address.shares.delete(share);
    if (address.shares.size === 0) this.addresses.delete(share.account);
  }

  private largest(): MemoryShare | undefined {
    let most: AddressUse | undefined;
    for (const address of this.addresses.values()) {
      if ([...address.shares].every((share) => share.isClosed)) continue;
      if (most === undefined || address.used > most.used) most = address;
    }
    let largest: MemoryShare | undefined;
    for (const share of most?.shares ?? []) {
      if (!share.isClosed && (largest === undefined || share.held > largest.held)) largest = share;
    }
    return largest;
  }
}

/** The budget share of one connection. */
export class MemoryShare {
  held = 0;
  private closed = false;

  constructor(
    private readonly budget: MemoryBudget,
    readonly account: string,
    readonly evict: () => void,
  ) {}

  get isClosed(): boolean {
    return this.closed;
  }

  /** Reserves `bytes`. @returns false if they exceed a limit; nothing is reserved then */
  take(bytes: number): boolean {
    if (this.closed || !this.budget.take(this, bytes)) return false;
    this.held += bytes;
    return true;
  }

  give(bytes: number): void {
    const given = Math.min(bytes, this.held);
    this.held -= given;
    this.budget.give(this, given);
    if (this.closed && this.held === 0) this.budget.forget(this);
  }

  /** Call it when the connection is closed. Bytes that are still being handled are released when that is done. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    if (this.held === 0) this.budget.forget(this);
  }
}
