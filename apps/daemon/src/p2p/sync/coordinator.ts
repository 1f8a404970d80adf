import type { ResponseChain, ResponseObjects } from '@wrkz/levin';
import type { AddBlockResult } from '../../chain/results';
import { SYNC_STALL_TIMEOUT } from '../constants';
import { closeReasonOfBlock } from '../penalties/block-verdicts';
import { closeReasons } from '../penalties/close-reasons';
import type { BlockCodec, ChainPort, P2pClock, P2pLogger } from '../ports';
import { BatchSize, type BatchOptions } from './batch-size';
import { judgeChainEntry } from './chain-entry';
import { Importer } from './importer';
import { DownloadPlan, type PlanEntry } from './plan';
import { receiveObjects } from './receive-objects';
import { sparseChain } from './sparse-chain';
import { SyncPeer, type SyncSession } from './sync-peer';

/** No more hashes are asked for while so many blocks are planned. */
const PLAN_LIMIT = 20_000;
/** Arrived and expected blocks together; more is asked for only when the head of the plan is missing. */
const HELD_BYTES = 96 * 1024 * 1024;
const MAX_ORPHANS = 3;
const MAX_EMPTY_ENTRIES = 3;
/** When the next block of the chain has not come for so long, somebody else is asked for it as well. */
const HEAD_PATIENCE = 15_000;
/** However slowly blocks trickle in, one request never takes longer. */
const REQUEST_LIMIT = 600_000;

export interface SyncOptions extends BatchOptions {
  /** `--sync-max-peers`. */
  readonly maxPeers: number;
  /** `--sync-peer-failure-threshold`. */
  readonly failureThreshold: number;
}

/** How a synchronisation from one peer ended. `abandoned`: it is kept for relay and may be tried again later. */
export type SyncOutcome = 'synchronized' | 'abandoned' | 'demoted';

export interface SyncEvents {
  onEnd(session: SyncSession, outcome: SyncOutcome): void;
  /** A place for another peer is free. */
  onFree(): void;
}

/**
 * Who is asked for what. Up to `maxPeers` peers serve one download plan: each announces its chain, blocks are asked for in
 * batches from whoever offers them, and go to the chain in order while the next are on their way.
 */
export class SyncCoordinator {
  private readonly plan = new DownloadPlan();
  private readonly peers = new Map<number, SyncPeer>();
  private readonly batch: BatchSize;
  private readonly importer: Importer;

  constructor(
    private readonly chain: ChainPort,
    private readonly codec: BlockCodec,
    private readonly clock: P2pClock,
    private readonly logger: P2pLogger,
    private readonly options: SyncOptions,
    private readonly events: SyncEvents,
  ) {
    this.batch = new BatchSize(options);
    this.importer = new Importer(this.plan, chain, logger, {
      onProgress: () => this.pump(),
      onRefused: (entry, result) => this.refused(entry, result),
      onFailure: (error) => {
        this.logger.error(`the chain failed while blocks were added: ${String(error)}`);
        this.abandonAll();
      },
    });
  }

  get activePeers(): number {
    return this.peers.size;
  }

  get averageBatchSize(): number {
    return this.batch.count;
  }

  /** Whether blocks are being fetched or added: announcements wait for the end of it. */
  get isDownloading(): boolean {
    return this.plan.length > 0 || this.importer.isBusy;
  }

  isSyncing(session: SyncSession): boolean {
    return this.peers.has(session.id);
  }

  objectsAsked(session: SyncSession): boolean {
    const peer = this.peers.get(session.id);
    return peer !== undefined && (peer.objects !== undefined || peer.discardSince !== undefined);
  }

  /** Starts to synchronise from a peer; false when as many as allowed are busy with it. */
  start(session: SyncSession): boolean {
    if (this.peers.has(session.id)) return true;
    if (this.peers.size >= this.options.maxPeers) return false;
    const peer = new SyncPeer(session);
    this.peers.set(session.id, peer);
    this.askChain(peer);
    return true;
  }

  /** The session is closed. */
  left(session: SyncSession): void {
    if (!this.peers.delete(session.id)) return;
    this.plan.withdraw(session.id);
    this.pump();
    this.events.onFree();
  }

  onChain(session: SyncSession, message: ResponseChain): void {
    const peer = this.peers.get(session.id);
    if (peer?.chainAskedAt === undefined) return;
    peer.chainAskedAt = undefined;
    const verdict = judgeChainEntry(message, this.chain, (hash) => this.plan.heightOf(hash));
    if (verdict.kind === 'bad') {
      session.close(verdict.reason);
      return;
    }
    session.remoteHeight = message.totalHeight;
    peer.lastResponseHeight = message.startHeight + message.hashes.length - 1;
    peer.tail = message.hashes.at(-1);
    if (verdict.kind === 'known') {
      peer.emptyEntries += peer.hasSentAllHashes ? 0 : 1;
      if (peer.emptyEntries > MAX_EMPTY_ENTRIES) {
        session.close(closeReasons.chainEndless);
        return;
      }
    } else {
      peer.emptyEntries = 0;
      peer.waiting = !this.plan.merge(peer.id, verdict.anchor, verdict.anchorHeight, verdict.hashes);
      if (peer.waiting) peer.tail = undefined;
    }
    this.pump();
  }

  async onObjects(session: SyncSession, message: ResponseObjects): Promise<void> {
    const peer = this.peers.get(session.id);
    const request = peer?.objects;
    if (peer?.discardSince !== undefined) {
      peer.discardSince = undefined;
      this.pump();
      return;
    }
    if (peer === undefined || request === undefined) {
      session.close(closeReasons.objectsNotAsked);
      return;
    }
    if (message.currentHeight < peer.lastResponseHeight) {
      session.close(closeReasons.objectsHeight);
      return;
    }
    session.remoteHeight = message.currentHeight;
    const verdict = await receiveObjects(message, request.left, this.codec);
    // While the blocks were checked the plan may have been dropped; then they are of no use.
    if (peer.objects !== request || this.peers.get(session.id) !== peer) {
      peer.discardSince = undefined;
      this.pump();
      return;
    }
    peer.objects = undefined;
    let bytes = 0;
    for (const block of verdict.blocks) {
      this.plan.receive(block.entry, peer.id, block.raw, block.bytes);
      bytes += block.bytes;
    }
    this.batch.note(verdict.blocks.length, bytes, this.clock.now() - request.askedAt);
    if (verdict.kind === 'bad') session.close(verdict.reason);
    else if (verdict.reorganised) this.fail(peer);
    this.pump();
  }

  /** Forgets the plan and the peers; what becomes of blocks that are being added changes nothing here any more. */
  stop(): void {
    this.reset();
    this.peers.clear();
  }

  /** Looks for peers that keep us waiting; called about once a second. */
  tick(): void {
    const now = this.clock.now();
    for (const peer of [...this.peers.values()]) {
      const askedAt = peer.objects?.askedAt ?? peer.discardSince ?? peer.chainAskedAt;
      if (askedAt === undefined) continue;
      const silent = now - Math.max(askedAt, peer.session.lastHeard) > SYNC_STALL_TIMEOUT;
      if (silent || now - askedAt > REQUEST_LIMIT) peer.session.close(closeReasons.syncStalled);
    }
    if (this.peers.size > 1) this.pump();
  }

  /** Ask, add, ask for more, finish: whatever is due. */
  private pump(): void {
    this.importer.run();
    for (const peer of [...this.peers.values()]) {
      if (peer.objects !== undefined || peer.discardSince !== undefined || peer.waiting) continue;
      if (this.askObjects(peer)) continue;
      if (peer.chainAskedAt !== undefined) continue;
      if (!peer.hasSentAllHashes && this.plan.length < PLAN_LIMIT && this.mayAskChain(peer)) this.askChain(peer);
      else if (peer.hasSentAllHashes && !this.importer.isBusy && !this.plan.offersAnything(peer.id))
        this.end(peer, 'synchronized');
    }
    if (this.plan.length > 0 || this.importer.isBusy) return;
    for (const peer of this.peers.values()) {
      if (!peer.waiting) continue;
      peer.restart();
      this.askChain(peer);
    }
  }

  /** A chain that is ahead of the plan can be asked for at once; any other only from our tip, so after the last import. */
  private mayAskChain(peer: SyncPeer): boolean {
    return (peer.tail !== undefined && this.plan.heightOf(peer.tail) !== undefined) || !this.importer.isBusy;
  }

  private askChain(peer: SyncPeer): void {
    peer.chainAskedAt = this.clock.now();
    const ahead = peer.tail !== undefined && this.plan.heightOf(peer.tail) !== undefined ? [peer.tail] : [];
    peer.session.askChain(sparseChain(this.chain, ahead));
  }

  /** Asks a peer for its next batch; true when it has something to do. */
  private askObjects(peer: SyncPeer): boolean {
    const count = this.batch.count;
    const expected = [...this.peers.values()].reduce((sum, other) => sum + (other.objects?.count ?? 0), count);
    if (this.plan.heldBytes + this.batch.estimate(expected) > HELD_BYTES) {
      const missing = this.plan.firstMissing();
      if (missing?.state !== 'wanted' || !missing.offers.has(peer.id)) return this.plan.wantedFrom(peer.id) > 0;
    }
    let entries = this.plan.request(peer.id, count);
    if (entries.length === 0) entries = this.overdue(peer);
    if (entries.length === 0) return false;
    const left = new Map(entries.map((entry) => [entry.key, entry]));
    peer.objects = { left, count: entries.length, askedAt: this.clock.now() };
    peer.session.askObjects(entries.map((entry) => entry.hash));
    return true;
  }

  /** What a slow peer holds up at the head of the plan, if this peer, which has nothing else to do, can serve it. */
  private overdue(peer: SyncPeer): PlanEntry[] {
    const head = this.plan.firstMissing();
    const slow =
      head?.state === 'requested' && head.peer !== undefined ? this.peers.get(head.peer)?.objects : undefined;
    if (head?.peer === peer.id || slow === undefined || this.clock.now() - slow.askedAt < HEAD_PATIENCE) return [];
    return this.plan.takeOver(peer.id, slow.left.values());
  }

  /** A synchronisation failed without anybody's fault: it starts over, a few times. */
  private fail(peer: SyncPeer): void {
    peer.failures += 1;
    this.plan.withdraw(peer.id);
    peer.restart();
    if (peer.failures > this.options.failureThreshold) this.end(peer, 'demoted');
    else this.askChain(peer);
  }

  private refused(entry: PlanEntry, result: AddBlockResult): void {
    const peer = entry.peer === undefined ? undefined : this.peers.get(entry.peer);
    this.plan.retry(entry);
    if (result.code === 'REJECTED_AS_ORPHANED') {
      this.orphaned(peer);
    } else if (result.code === 'TIMESTAMP_TOO_FAR_IN_FUTURE') {
      // Ahead of our clock: perhaps ours is wrong. Nobody is blamed, and it is tried again later.
      this.logger.warning(`a block is ahead of this machine's clock by more than allowed`);
      this.abandonAll();
    } else if (peer === undefined) {
      // The peer that brought it has gone; whoever else offers it will be asked.
      this.plan.withdraw(entry.peer ?? -1);
      this.pump();
    } else {
      const reason = closeReasonOfBlock(result.code);
      if (reason !== undefined) peer.session.close(reason);
    }
  }

  private orphaned(peer: SyncPeer | undefined): void {
    this.reset();
    if (peer !== undefined) peer.orphans += 1;
    if (peer !== undefined && peer.orphans > MAX_ORPHANS) peer.session.close(closeReasons.orphans);
    for (const other of this.peers.values()) this.askChain(other);
  }

  private abandonAll(): void {
    this.reset();
    for (const peer of [...this.peers.values()]) this.end(peer, 'abandoned');
  }

  private reset(): void {
    this.importer.reset();
    this.plan.clear();
    for (const peer of this.peers.values()) peer.restart();
  }

  private end(peer: SyncPeer, outcome: SyncOutcome): void {
    this.peers.delete(peer.id);
    this.plan.withdraw(peer.id);
    this.events.onEnd(peer.session, outcome);
    this.events.onFree();
  }
}
