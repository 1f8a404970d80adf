import { networkInterfaces } from 'node:os';
import { BoundedMap } from '@wrkz/service-kit/base';
import type { P2pClock } from '../ports';
import { addressKey, canonicalHost, isLocalHost, type PeerAddress } from '../addresses';

/** Milliseconds for which the addresses of the machine are cached. */
const INTERFACES_AGE = 60_000;
/** Max endpoints at which we have connected to ourselves; the oldest are dropped first. */
const MAX_LEARNED = 64;

/**
 * The endpoints of this node: its listeners, the address that a router forwards, and endpoints at which it has connected to
 * itself. Peers report them like any other address; a node with its own address in a list would dial itself.
 */
export class OwnAddresses {
  private listeners: readonly PeerAddress[] = [];
  private mapped: PeerAddress | undefined;
  private readonly learned = new BoundedMap<string, PeerAddress>(MAX_LEARNED);
  private machine: ReadonlySet<string> = new Set();
  private machineAt = -Infinity;

  /** @param machineAddresses the addresses of the machine's interfaces, loopback among them */
  constructor(
    private readonly clock: Pick<P2pClock, 'now'>,
    private readonly machineAddresses: () => readonly string[] = interfaceAddresses,
  ) {}

  /** Sets the bound addresses of the listeners, with their actual ports. */
  listensAt(listeners: readonly PeerAddress[]): void {
    this.listeners = listeners.map(({ host, port }) => ({ host: canonicalHost(host) ?? host, port }));
  }

  /** Sets the external address that a router forwards to this node; undefined for none. */
  isMappedTo(address: PeerAddress | undefined): void {
    this.mapped = address;
  }

  /** Adds an address at which we dialed a peer with our own id. */
  learn(address: PeerAddress): void {
    this.learned.set(addressKey(address), address);
  }

  has(address: PeerAddress): boolean {
    const key = addressKey(address);
    if (this.learned.has(key) || (this.mapped !== undefined && addressKey(this.mapped) === key)) return true;
    return this.listeners.some(
      (listener) => listener.port === address.port && this.covers(listener.host, address.host),
    );
  }

  /** Whether a listener on `bound` is reachable at `host`. */
  private covers(bound: string, host: string): boolean {
    if (bound === host) return true;
    if (bound !== '::' && (bound !== '0.0.0.0' || host.includes(':'))) return false;
    return isLoopbackHost(host) || this.machineHas(host);
  }

  private machineHas(host: string): boolean {
    const now = this.clock.now();
    if (now - this.machineAt >= INTERFACES_AGE) {
      this.machine = new Set(this.machineAddresses());
      this.machineAt = now;
    }
    return this.machine.has(host);
  }
}

function isLoopbackHost(host: string): boolean {
  return host === '::1' || (isLocalHost(host) && host.startsWith('127.'));
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((infos) =>
    (infos ?? []).flatMap(({ address }) => canonicalHost(address) ?? []),
  );
}
