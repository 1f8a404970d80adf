import type { SyncData } from '@wrkz/levin';
import type { P2pConfig } from '../config';
import { CAPABILITY_LITE, CAPABILITY_PRUNED } from '../constants';
import { hashKey } from '../hashes';
import { closeReasons } from '../limits/close-reasons';
import type { P2pPorts } from '../ports';
import type { Session } from '../session/session';
import type { SessionTable } from '../session/session-table';
import { SyncCoordinator, type SyncOutcome } from './coordinator';
import { countingPeers } from './network-height';
import type { SyncSession } from './sync-peer';
import { rankOf } from './sync-record';

/** Milliseconds for which the claims of an address (IPv6: of its /64) are ignored after it did not deliver claimed blocks. */
const UNSERVED_MEMORY = 600_000;
/** Milliseconds before a tip that a synchronisation did not reach is tried again. */
const TRY_AGAIN = 60_000;
/** Max times in a row that a peer may claim a tip and then not deliver it. */
const MAX_FRUITLESS = 3;

export interface SyncDriverDependencies extends P2pPorts {
  readonly config: P2pConfig;
  readonly sessions: SessionTable;
  /** For the first time, no connected peer has blocks that we lack. */
  onSynchronized(): void;
  /** A peer has reported its height: tip index + 1. */
  onClaim(session: Session, height: number): void;
  /** A synchronisation has ended: other peers may not have our new tip. */
  onIdle(): void;
}

/**
 * Decides what follows from the sync data of a peer (docs/protocol/p2p.md#sync-state-machine): relay when we know its
 * tip, synchronisation when we do not, it can serve us and a slot is free.
 */
export class SyncDriver {
  readonly coordinator: SyncCoordinator;
  private synchronized: boolean;
  private demotions = 0;

  constructor(private readonly dependencies: SyncDriverDependencies) {
    const { config, clock } = dependencies;
    this.synchronized = config.synchronizedAlone;
    this.coordinator = new SyncCoordinator(
      {
        ...dependencies,
        onEnd: (session, outcome, delivered) => this.ended(session, outcome, delivered),
        onFree: () => this.fillSlots(),
        onRecord: ({ id, record }) => {
          const session = dependencies.sessions.get(id);
          if (session === undefined) return;
          this.rememberUnserved(session, record.unserved);
          if (!record.unserved) session.lastBlockAt = clock.now();
        },
        session: (id) => dependencies.sessions.get(id),
      },
      config,
    );
  }

  get isSynchronized(): boolean {
    return this.synchronized;
  }

  /** Peers that failed too often to be synchronised from again, since the start. */
  get demotedPeers(): number {
    return this.demotions;
  }

  /** Takes the sync data of a handshake (`initial`) or of a timed sync. */
  consider(session: Session, data: SyncData, initial: boolean): void {
    session.syncData = data;
    session.remoteHeight = data.currentHeight;
    session.claim = { height: data.currentHeight, tip: data.tipHash };
    session.knownBlocks.add(data.tipHash);
    this.dependencies.onClaim(session, data.currentHeight);
    if (initial) session.record.unserved = session.budget.unservedUntil > this.dependencies.clock.now();
    if (this.coordinator.isSyncing(session)) return;
    if (!this.needs(session) || !this.trySync(session)) {
      // After an abandoned synchronisation the session stays idle, unless the blocks have arrived from other peers.
      const waits = session.state === 'idle' && !this.dependencies.chain.isKnown(data.tipHash);
      if (!waits) session.state = 'normal';
      if (initial) session.requestPool(this.dependencies.pool.hashes());
    }
    this.checkSynchronized();
  }

  /** The peer has announced blocks that we cannot attach: its chain is requested if a slot is free. */
  requestSync(session: Session): void {
    if (!session.isOpen || !session.handshaken || session.demoted || this.coordinator.isSyncing(session)) return;
    this.trySync(session);
  }

  /** Checks peers with open requests and peers that wait for a slot; called about once a second. */
  tick(): void {
    this.coordinator.tick();
    this.fillSlots();
    this.checkSynchronized();
  }

  /** Stops all requests and imports. */
  stop(): void {
    this.coordinator.stop();
  }

  /** Call it when the session is closed. */
  left(session: Session): void {
    session.needsSync = false;
    const wasSyncing = this.coordinator.isSyncing(session);
    this.coordinator.left(session);
    this.checkSynchronized();
    if (wasSyncing) this.dependencies.onIdle();
  }

  /** Whether the peer's tip is unknown to us and there is reason to fetch it from this peer. */
  private needs(session: Session): boolean {
    const { chain, clock } = this.dependencies;
    const { syncData, claim, settledTip } = session;
    if (syncData === undefined || claim === undefined || chain.isKnown(claim.tip)) return false;
    if (session.demoted || !this.canServe(syncData)) return false;
    return settledTip === undefined || settledTip.key !== hashKey(claim.tip) || settledTip.until <= clock.now();
  }

  /** A lite or pruned peer has no blocks below its floor; old enough chains are not fetched from pruned peers at all. */
  private canServe(data: SyncData): boolean {
    const flags = data.capabilityFlags ?? 0;
    const ours = this.dependencies.chain.tip().height + 1;
    if ((flags & CAPABILITY_LITE) !== 0 && (data.liteStartHeight ?? 0) > ours) return false;
    if ((flags & CAPABILITY_PRUNED) === 0) return true;
    return (data.prunedNodeHeight ?? 0) <= ours && !this.dependencies.config.avoidsPrunedPeers(ours);
  }

  /** Queues a peer for a slot; true when it has got one. */
  private trySync(session: Session): boolean {
    session.needsSync = true;
    this.fillSlots(session);
    if (this.coordinator.isSyncing(session)) return true;
    session.needsSync = this.needs(session);
    return false;
  }

  /**
   * Gives the free slots to waiting peers, the best first, then the one that waits longest. `announcer` announced a block
   * that we cannot attach: it is eligible with any claimed tip.
   */
  private fillSlots(announcer?: Session): void {
    const waiting = this.dependencies.sessions
      .open()
      .filter(
        (session) =>
          session.needsSync && this.coordinator.mayHaveSlot(session) && (session === announcer || this.needs(session)),
      );
    waiting.sort((a, b) => rankOf(a) - rankOf(b) || a.record.triedAt - b.record.triedAt);
    for (const session of waiting) if (session.isOpen && !this.startSync(session)) return;
  }

  private startSync(session: Session): boolean {
    this.freeSlotFor(session);
    const before = session.state;
    session.state = 'synchronizing';
    session.needsSync = !this.coordinator.start(session);
    if (session.needsSync) session.state = before;
    return !session.needsSync;
  }

  /** Frees the slot of a peer with a lower rank, if none is free. */
  private freeSlotFor(session: Session): void {
    const weakest = this.coordinator.weakest();
    if (weakest === undefined || !this.coordinator.mayHaveSlot(session) || rankOf(session) >= weakest.rank) return;
    const displaced = this.dependencies.sessions.get(weakest.session.id);
    this.dependencies.logger.debug(`${weakest.session.name}: gives way to ${session.name}`);
    // It waits for a slot, and relays like any other peer meanwhile.
    if (displaced !== undefined) Object.assign(displaced, { state: 'normal', needsSync: true });
    this.coordinator.giveUp(weakest.session);
  }

  private ended(ended: SyncSession, outcome: SyncOutcome, delivered: number): void {
    const session = this.dependencies.sessions.get(ended.id);
    if (session === undefined || !session.isOpen) return;
    const { claim } = session;
    if (claim !== undefined)
      session.settledTip = { key: hashKey(claim.tip), until: this.dependencies.clock.now() + TRY_AGAIN };
    this.dependencies.logger.debug(`${session.name}: synchronisation ended: ${outcome}`);
    if (outcome === 'synchronized' && delivered === 0 && this.isFruitless(session)) return;
    if (outcome === 'demoted') {
      session.demoted = true;
      this.demotions += 1;
    }
    session.state = outcome === 'abandoned' ? 'idle' : 'normal';
    if (outcome !== 'abandoned') session.requestPool(this.dependencies.pool.hashes());
    if (outcome === 'synchronized') this.checkSynchronized();
    this.dependencies.onIdle();
  }

  /** Stored with the address, so that a new connection does not end the time. */
  private rememberUnserved({ budget }: Session, unserved: boolean): void {
    budget.unservedUntil = unserved ? this.dependencies.clock.now() + UNSERVED_MEMORY : -Infinity;
  }

  /** Counts a synchronisation that delivered nothing, from a peer without the tip that it claims. @returns whether it was closed */
  private isFruitless(session: Session): boolean {
    const { record, syncData } = session;
    if (syncData === undefined || this.dependencies.chain.isKnown(syncData.tipHash)) return false;
    // The first few are tolerated: the chain of the peer may have changed in between.
    record.fruitless += 1;
    record.unserved = true;
    this.rememberUnserved(session, true);
    if (record.fruitless <= MAX_FRUITLESS) return false;
    session.close(closeReasons.claimUnserved);
    return true;
  }

  /**
   * The node is synchronized if it knows the tip of a peer and is not fetching, or waiting to fetch, blocks from any peer that
   * counts.
   */
  private checkSynchronized(): void {
    if (this.synchronized) return;
    const peers = this.dependencies.sessions
      .open()
      .filter(({ handshaken, claim }) => handshaken && claim !== undefined);
    const isKnown = ({ claim }: Session): boolean => claim !== undefined && this.dependencies.chain.isKnown(claim.tip);
    if (!peers.some(isKnown)) return;
    const isAhead = (session: Session): boolean =>
      this.coordinator.isSyncing(session) || (session.needsSync && !isKnown(session));
    if (countingPeers(peers).some((session) => isAhead(session) && !session.record.unserved)) return;
    this.synchronized = true;
    this.dependencies.onSynchronized();
  }
}
