const MIB = 1024 * 1024;

/** Bytes that may be held for peers: of one connection, of all those of one address, and of all together. */
export interface MemoryLimits {
  readonly connection: number;
  readonly address: number;
  readonly total: number;
}

/**
 * A connection may hold the largest frame, what its inbox takes before it stops reading, and a full write queue
 * (docs/protocol/p2p.md#timeouts-and-limits).
 */
const memoryLimits: MemoryLimits = { connection: 96 * MIB, address: 128 * MIB, total: 256 * MIB };

interface AddressUse {
  used: number;
  readonly shares: Set<MemoryShare>;
}

/**
 * One budget for whatever is held of what peers send and of what waits to be sent to them: unfinished frames, frames
 * that wait or are being handled, write queues. Who exceeds its own limit is refused; when all together hold too much,
 * the largest connection of the address that holds most is closed, whichever connection needed more.
 */
export class MemoryBudget {
  private readonly addresses = new Map<string, AddressUse>();
  private used = 0;

  constructor(readonly limits: MemoryLimits = memoryLimits) {}

  get inUse(): number {
    return this.used;
  }

  /** The share of a new connection. `evict` closes it, which gives back at once what is not being handled. */
  open(account: string, evict: () => void): MemoryShare {
    let address = this.addresses.get(account);
    if (address === undefined) this.addresses.set(account, (address = { used: 0, shares: new Set() }));
    const share = new MemoryShare(this, account, evict);
    address.shares.add(share);
    return share;
  }

  /** For the shares alone. */
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

  /** For the shares alone. */
  give(share: MemoryShare, bytes: number): void {
    const address = this.addresses.get(share.account);
    if (address !== undefined) address.used -= bytes;
    this.used -= bytes;
  }

  /** For the shares alone. */
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

/** What one connection holds. */
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

  /** Takes `bytes`; false, and nothing taken, when they do not fit. */
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

  /** The connection has ended. What is still being handled for it is given back when that is done. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    if (this.held === 0) this.budget.forget(this);
  }
}
