import { isLocalHost, type PeerAddress } from '../util/address';
import { hostNetwork } from '../util/host-network';
import { EXTRA_INCOMING, INCOMING_PER_HOST } from './places';

/**
 * How many callers are being called back. A caller may hang up at once and call again while its back ping waits for an
 * answer that never comes, so these have places of their own: as many as callers have, for an address and for all.
 */
export class BackPings {
  private readonly running = new Map<string, number>();
  private total = 0;

  constructor(private readonly inPeers: number) {}

  /** Does `ping` for an address; false when too many are under way. */
  async call({ host }: PeerAddress, ping: () => Promise<boolean>): Promise<boolean> {
    const network = hostNetwork(host);
    const ofHost = this.running.get(network) ?? 0;
    if (this.total >= this.inPeers + EXTRA_INCOMING) return false;
    if (ofHost >= INCOMING_PER_HOST && !isLocalHost(host)) return false;
    this.count(network, 1);
    try {
      return await ping();
    } finally {
      this.count(network, -1);
    }
  }

  private count(network: string, step: 1 | -1): void {
    const count = (this.running.get(network) ?? 0) + step;
    if (count > 0) this.running.set(network, count);
    else this.running.delete(network);
    this.total += step;
  }
}
