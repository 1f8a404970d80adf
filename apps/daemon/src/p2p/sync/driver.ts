import type { SyncData } from '@wrkz/levin';
import type { P2pConfig } from '../config';
import { CAPABILITY_LITE, CAPABILITY_PRUNED } from '../constants';
import type { BlockCodec, ChainPort, P2pClock, P2pLogger, PoolPort } from '../ports';
import type { Session } from '../session/session';
import { hashKey } from '../util/hash-key';
import { SyncCoordinator, type SyncOutcome } from './coordinator';
import type { SyncSession } from './sync-peer';

/** A tip that a synchronisation did not reach is not tried again before this time is over. */
const TRY_AGAIN = 60_000;

export interface SyncDriverParts {
  readonly config: P2pConfig;
  readonly chain: ChainPort;
  readonly pool: PoolPort;
  readonly codec: BlockCodec;
  readonly clock: P2pClock;
  readonly logger: P2pLogger;
  sessions(): Iterable<Session>;
  session(id: number): Session | undefined;
  /** For the first time no connected peer has blocks that we lack. */
  onSynchronized(): void;
  /** A synchronisation has come to its end: our new tip may be news to others. */
  onIdle(): void;
}

/**
 * What follows from what a peer says of its chain (spec 08, "Sync state machine"): relay when we know its tip,
 * synchronisation when we do not, it can serve us and a place is free.
 */
export class SyncDriver {
  readonly coordinator: SyncCoordinator;
  private synchronized: boolean;

  constructor(private readonly parts: SyncDriverParts) {
    const { config, chain, codec, clock, logger } = parts;
    this.synchronized = config.synchronizedAlone;
    this.coordinator = new SyncCoordinator(
      chain,
      codec,
      clock,
      logger,
      {
        maxPeers: config.syncMaxPeers,
        failureThreshold: config.syncPeerFailureThreshold,
        min: config.syncBatchMin,
        max: config.syncBatchMax,
        bytes: config.blockSyncBytes,
      },
      {
        onEnd: (session, outcome) => {
          this.ended(session, outcome);
        },
        onFree: () => {
          this.useFreePlace();
        },
      },
    );
  }

  get isSynchronized(): boolean {
    return this.synchronized;
  }

  get demotedPeers(): number {
    return [...this.parts.sessions()].filter((session) => session.demoted).length;
  }

  /** Takes the sync data of a handshake (`initial`) or of a timed sync. */
  consider(session: Session, data: SyncData, initial: boolean): void {
    session.syncData = data;
    session.remoteHeight = data.currentHeight;
    session.knownBlocks.add(data.tipHash);
    if (this.coordinator.isSyncing(session)) return;
    if (!this.needs(session) || !this.trySync(session)) {
      // A synchronisation that was given up is waited out, unless its blocks came another way.
      const waits = session.state === 'idle' && !this.parts.chain.isKnown(data.tipHash);
      if (!waits) session.state = 'normal';
      if (initial) session.askPool(this.parts.pool.hashes());
    }
    this.checkSynchronized();
  }

  /** The peer has announced blocks that we cannot attach: its chain is asked for, if a place is free. */
  wantsSync(session: Session): void {
    if (!session.isOpen || !session.handshaken || session.demoted || this.coordinator.isSyncing(session)) return;
    this.trySync(session);
  }

  /** Nothing is asked for or added any more. */
  stop(): void {
    this.coordinator.stop();
  }

  /** The session is closed. */
  left(session: Session): void {
    session.wantsSync = false;
    const wasSyncing = this.coordinator.isSyncing(session);
    this.coordinator.left(session);
    this.checkSynchronized();
    if (wasSyncing) this.parts.onIdle();
  }

  /** Whether the peer's tip is unknown to us and there is reason to fetch it from this peer. */
  private needs(session: Session): boolean {
    const { chain, clock } = this.parts;
    const data = session.syncData;
    if (data === undefined || chain.isKnown(data.tipHash)) return false;
    if (session.demoted || !this.canServe(data)) return false;
    const settled = session.settledTip;
    return settled === undefined || settled.key !== hashKey(data.tipHash) || settled.until <= clock.now();
  }

  /** A lite or pruned peer has no blocks below its floor; old enough chains are not fetched from pruned peers at all. */
  private canServe(data: SyncData): boolean {
    const flags = data.capabilityFlags ?? 0;
    const ours = this.parts.chain.tip().height + 1;
    if ((flags & CAPABILITY_LITE) !== 0 && (data.liteStartHeight ?? 0) > ours) return false;
    if ((flags & CAPABILITY_PRUNED) === 0) return true;
    return (data.prunedNodeHeight ?? 0) <= ours && !this.parts.config.avoidsPrunedPeers(ours);
  }

  private trySync(session: Session): boolean {
    session.wantsSync = false;
    const before = session.state;
    session.state = 'synchronizing';
    if (this.coordinator.start(session)) return true;
    session.state = before;
    session.wantsSync = true;
    return false;
  }

  private ended(ended: SyncSession, outcome: SyncOutcome): void {
    const session = this.parts.session(ended.id);
    if (session === undefined || !session.isOpen) return;
    const tip = session.syncData?.tipHash;
    if (tip !== undefined) session.settledTip = { key: hashKey(tip), until: this.parts.clock.now() + TRY_AGAIN };
    this.parts.logger.debug(`${session.name}: synchronisation ended: ${outcome}`);
    if (outcome === 'demoted') session.demoted = true;
    session.state = outcome === 'abandoned' ? 'idle' : 'normal';
    if (outcome !== 'abandoned') session.askPool(this.parts.pool.hashes());
    if (outcome === 'synchronized') this.checkSynchronized();
    this.parts.onIdle();
  }

  private useFreePlace(): void {
    for (const session of this.parts.sessions()) {
      if (session.wantsSync && session.isOpen && this.needs(session)) this.trySync(session);
    }
  }

  /** Synchronized: there is a peer whose tip we know, and none whose blocks are being or waiting to be fetched. */
  private checkSynchronized(): void {
    if (this.synchronized || this.coordinator.activePeers > 0) return;
    let known = false;
    for (const session of this.parts.sessions()) {
      if (!session.handshaken || !session.isOpen || session.syncData === undefined) continue;
      if (this.parts.chain.isKnown(session.syncData.tipHash)) known = true;
      else if (session.wantsSync) return;
    }
    if (!known) return;
    this.synchronized = true;
    this.parts.onSynchronized();
  }
}
