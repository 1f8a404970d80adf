import type { FetchBlocks } from '@wrkz/chain-db';
import { AutoResetEvent, withTimeout } from '@wrkz/service-kit/base';
import type { FetchedBlock } from '../p2p/sync/objects';

/** The part of the peer-to-peer node that this module uses. */
export interface PeerSource {
  sessionIds(): number[];
  fetchBlocks(session: number, ids: readonly Buffer[]): Promise<readonly FetchedBlock[]>;
  on(event: 'connected', listener: () => void): unknown;
  off(event: 'connected', listener: () => void): unknown;
}

export interface PeerBlocksOptions {
  /** Milliseconds to wait for a new peer when no connected peer is left to request from. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

/** Blocks in the first request to a peer, whose throughput is unknown. */
const FIRST_REQUEST = 4;
const MAX_REQUEST = 50;
/** Later requests are sized for a response within this time. */
const REQUEST_SECONDS = 2;

/**
 * Fetches single blocks by their ids from all connected peers at once. Faster peers get larger requests. When every missing
 * block has been requested, idle peers request the outstanding ones again: a slow peer delays nothing.
 */
export class PeerBlocks {
  /** Running calls of {@link fetch}, which share the peers. */
  private readonly running = new Set<AutoResetEvent>();
  private readonly busy = new Set<number>();
  /** Blocks per second of each peer that has responded. */
  private readonly throughput = new Map<number, number>();
  /** Requested ids that a peer did not send, by peer. */
  private readonly refused = new Map<number, Set<string>>();

  constructor(
    private readonly source: PeerSource,
    private readonly options: PeerBlocksOptions,
  ) {}

  /** @returns the received blocks: fewer than requested if no peer has them, or after the signal */
  readonly fetch: FetchBlocks = async (wanted) => {
    const { signal, patienceMs } = this.options;
    const missing = new Map(wanted.map(({ id }) => [id.toString('hex'), id]));
    const blocks: FetchedBlock[] = [];
    const changed = new AutoResetEvent();
    const wake = (): void => changed.set();
    const requested = new Set<string>();
    const take = (response: readonly FetchedBlock[]): void => {
      for (const block of response) if (missing.delete(block.id.toString('hex'))) blocks.push(block);
    };
    this.running.add(changed);
    this.source.on('connected', wake);
    try {
      while (missing.size > 0 && !signal.aborted) {
        for (const peer of this.idlePeers()) this.request(peer, missing, requested, take);
        if (this.canWait(missing)) await changed.wait(signal);
        else if (!(await waitFor(changed, patienceMs, signal))) break;
      }
    } finally {
      this.source.off('connected', wake);
      this.running.delete(changed);
      // A later call retries all peers: they may have the blocks by then.
      if (this.running.size === 0) this.refused.clear();
    }
    return blocks;
  };

  private idlePeers(): number[] {
    const idle = this.source.sessionIds().filter((peer) => !this.busy.has(peer));
    return idle.sort((a, b) => (this.throughput.get(b) ?? 0) - (this.throughput.get(a) ?? 0));
  }

  /** Whether a peer with a pending request may still send one of the missing blocks. */
  private canWait(missing: ReadonlyMap<string, Buffer>): boolean {
    const open = this.source.sessionIds().filter((peer) => this.busy.has(peer));
    return open.some((peer) => [...missing.keys()].some((id) => this.refused.get(peer)?.has(id) !== true));
  }

  private request(
    peer: number,
    missing: ReadonlyMap<string, Buffer>,
    requested: Set<string>,
    take: (blocks: readonly FetchedBlock[]) => void,
  ): void {
    const refused = this.refused.get(peer) ?? new Set<string>();
    this.refused.set(peer, refused);
    const available = [...missing].filter(([id]) => !refused.has(id));
    const fresh = available.filter(([id]) => !requested.has(id));
    const rate = this.throughput.get(peer);
    const size = rate === undefined ? FIRST_REQUEST : Math.min(MAX_REQUEST, Math.ceil(rate * REQUEST_SECONDS));
    const chosen = (fresh.length > 0 ? fresh : available).slice(0, size);
    if (chosen.length === 0) return;
    for (const [id] of chosen) requested.add(id);
    this.busy.add(peer);
    const start = performance.now();
    void this.source
      .fetchBlocks(
        peer,
        chosen.map(([, id]) => id),
      )
      .catch(() => [])
      .then((blocks) => {
        this.busy.delete(peer);
        const sent = new Set(blocks.map(({ id }) => id.toString('hex')));
        // Responses have a size limit: after a partial response the rest is requested from the same peer again.
        if (sent.size === 0) for (const [id] of chosen) refused.add(id);
        for (const [id] of chosen) if (!sent.has(id)) requested.delete(id);
        this.throughput.set(peer, (sent.size * 1000) / Math.max(1, performance.now() - start));
        take(blocks);
        // The peer is idle again: wakes all calls.
        for (const changed of this.running) changed.set();
      });
  }
}

/** Waits for the event. @returns false after the timeout */
function waitFor(event: AutoResetEvent, milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return withTimeout(milliseconds, [signal], async (limited) => {
    await event.wait(limited);
    return !limited.aborted;
  });
}
