import { BoundedMap } from '@wrkz/service-kit/base';
import { isLocalHost } from '../util/address';
import { hostNetwork } from '../util/host-network';

/** So long an address is remembered, milliseconds. */
const REMEMBERED = 600_000;
const MAX_HOSTS = 1_000;

/**
 * Addresses (IPv6: their /64) whose peers claimed blocks and did not bring them: a new connection does not make their word good again. Local
 * addresses, which many nodes may share, are not remembered.
 */
export class UnservedHosts {
  private readonly until = new BoundedMap<string, number>(MAX_HOSTS);

  /** `now` in milliseconds, on a clock that never steps. */
  constructor(private readonly now: () => number) {}

  note(host: string, unserved: boolean): void {
    const network = hostNetwork(host);
    this.until.delete(network);
    if (!unserved || isLocalHost(host)) return;
    this.until.set(network, this.now() + REMEMBERED);
  }

  has(host: string): boolean {
    return (this.until.get(hostNetwork(host)) ?? -Infinity) > this.now();
  }
}
