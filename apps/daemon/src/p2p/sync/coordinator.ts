import type { ResponseChain, ResponseObjects } from '@wrkz/levin';
import type { AddBlockResult } from '../../chain/results';
import type { P2pConfig } from '../config';
import { closeReasonOfBlock, closeReasons } from '../limits/close-reasons';
import type { P2pPorts } from '../ports';
import { BatchHistory, type BatchOptions, BatchSize, SLOW } from './batch-size';
import { checkChainEntry, sparseChain } from './chain-entry';
import { ChainPlan, type PlanEntry } from './chain-plan';
import { Importer } from './importer';
import { receiveObjects } from './objects';
import { isUnserved, stallReason, SyncPeer, type SyncSession, type SyncShare } from './sync-peer';
import { rankOf } from './sync-record';

export type SyncOptions = BatchOptions & Pick<P2pConfig, 'syncMaxPeers' | 'syncPeerFailureThreshold'>;

/** How a synchronisation from one peer ended. `abandoned`: the peer remains connected and may be tried again later. */
export type SyncOutcome = 'synchronized' | 'abandoned' | 'demoted';

export interface SyncDependencies extends Omit<P2pPorts, 'pool'> {
  /** `delivered`: blocks that the peer delivered and that were needed. */
  onEnd(session: SyncSession, outcome: SyncOutcome, delivered: number): void;
  /** A slot is free, or a peer may have one again. */
  onFree(): void;
  /** The record of the peer has changed: it delivers the blocks that it claims, or does not. */
  onRecord(session: SyncSession): void;
  /** An open session. */
  session(id: number): SyncSession | undefined;
}

/** Number of planned blocks of a peer above which no more hashes are requested from it. */
const LIST_LIMIT = 20_000;
const MAX_ORPHANS = 3;
const MAX_EMPTY_ENTRIES = 3;
/** Max bytes of received and (estimated) requested blocks. Above it, only the first missing blocks of a peer's list are requested. */
const HELD_BYTES = 96 * 1024 * 1024;
/** Above it the import is the bottleneck: overdue blocks of slow peers are requested again before later blocks. */
const HELD_UP_BYTES = HELD_BYTES / 8;

/**
 * Downloads the chains that peers announce. Up to `syncMaxPeers` peers have a slot. Each announces its chain into the `ChainPlan`;
 * blocks are requested in batches from the peers that offer them, sized by how fast each peer responds, and imported in order
 * while the next batches are received. Only blocks count as progress.
 */
export class SyncCoordinator {
  private readonly plan = new ChainPlan();
  private readonly importer: Importer;
  private readonly peers = new Map<number, SyncPeer>();
  private readonly history: BatchHistory;
  /** Outlives a peer's slot, so that a batch that failed is not requested again in the same size. */
  private readonly batches = new WeakMap<SyncSession, BatchSize>();

  constructor(
    private readonly dependencies: SyncDependencies,
    private readonly options: SyncOptions,
  ) {
    const { chain, logger } = dependencies;
    this.history = new BatchHistory(options);
    this.importer = new Importer({
      plan: this.plan,
      chain,
      logger,
      onProgress: () => this.pump(),
      onRefused: (entry, result) => this.refused(entry, result),
      onFailure: (error) => this.failed(error),
    });
  }

  get activePeers(): number {
    return this.holders().length;
  }

  /** Blocks of one request, on average. */
  get averageBatchSize(): number {
    const counts = this.holders().map((peer) => peer.batch.count);
    if (counts.length === 0) return new BatchSize(this.options, this.history).count;
    return Math.round(counts.reduce((sum, count) => sum + count, 0) / counts.length);
  }

  isSyncing({ id }: SyncSession): boolean {
    return this.peers.get(id)?.hasSlot === true;
  }

  /** The progress with a peer that has a slot or an open request; undefined for all others. */
  shareOf(id: number): SyncShare | undefined {
    const peer = this.peers.get(id);
    if (peer === undefined) return undefined;
    const { batch, delivered, failures, hasSlot } = peer;
    return { active: hasSlot, batch: batch.count, delivered, failures };
  }

  awaitsChain({ id }: SyncSession): boolean {
    return this.peers.get(id)?.chainRequestedAt !== undefined;
  }

  awaitsObjects({ id }: SyncSession): boolean {
    return this.peers.get(id)?.objects !== undefined;
  }

  /** The height (a count) up to which a peer that delivers blocks has announced them; 0 when it delivers none. */
  namedHeight({ id }: SyncSession): number {
    const peer = this.peers.get(id);
    return peer?.shows === true && !this.isOverdue(peer) ? peer.lastResponseHeight + 1 : 0;
  }

  /** Whether this session could have a slot if one were free: a session without its slot has to respond first. */
  mayHaveSlot({ id }: SyncSession): boolean {
    return this.peers.get(id)?.hasSlot !== false;
  }

  /** The peer that would lose its slot, with its rank; undefined while a slot is free. */
  weakest(): { readonly session: SyncSession; readonly rank: number } | undefined {
    const holders = this.holders();
    if (holders.length < this.options.syncMaxPeers) return undefined;
    const ranked = holders.map((peer) => ({
      session: peer.session,
      rank: rankOf(peer.session, this.isOverdue(peer)),
    }));
    return ranked.sort((a, b) => b.rank - a.rank)[0];
  }

  /** Starts to synchronise from a peer; false without a free slot. */
  start(session: SyncSession): boolean {
    const known = this.peers.get(session.id);
    if (known !== undefined) return known.hasSlot;
    if (this.activePeers >= this.options.syncMaxPeers) return false;
    session.record.triedAt = this.dependencies.clock.now();
    const batch = this.batches.get(session) ?? new BatchSize(this.options, this.history);
    this.batches.set(session, batch);
    const peer = new SyncPeer(session, batch);
    this.peers.set(session.id, peer);
    this.requestChain(peer);
    return true;
  }

  /** Takes a peer's slot away. A late response is still used. */
  giveUp(session: SyncSession): void {
    const peer = this.peers.get(session.id);
    if (peer?.hasSlot !== true) return;
    if (this.isOverdue(peer)) peer.batch.failed();
    this.release(peer);
    this.pump();
  }

  /** The session is closed. */
  left(session: SyncSession): void {
    const peer = this.peers.get(session.id);
    if (peer === undefined) return;
    if (peer.objects !== undefined) peer.batch.failed();
    this.peers.delete(session.id);
    this.plan.withdraw(session.id);
    this.pump();
    if (peer.hasSlot) this.dependencies.onFree();
  }

  onChain(session: SyncSession, message: ResponseChain): void {
    const peer = this.peers.get(session.id);
    if (peer?.chainRequestedAt === undefined) return;
    peer.chainRequestedAt = undefined;
    if (!peer.hasSlot) return this.settle(peer);
    const section = checkChainEntry(message, this.dependencies.chain, (hash) => this.announcedHeight(peer, hash));
    if ('text' in section) return session.close(section);
    if (!this.plan.announce(peer.id, section.anchor, section.hashes)) return session.close(closeReasons.chainHeights);
    const { hashes, startHeight, totalHeight } = message;
    session.remoteHeight = totalHeight;
    const lastHeight = startHeight + hashes.length - 1;
    // The height must grow: a list whose blocks are requested only from other peers could be repeated forever.
    const isNew = section.hashes.length > 0 && lastHeight > peer.lastResponseHeight;
    peer.lastResponseHeight = lastHeight;
    peer.tail = hashes.at(-1);
    if (peer.tail !== undefined && peer.hasSentAllHashes) session.claim = { height: totalHeight, tip: peer.tail };
    if (isNew) peer.emptyEntries = 0;
    else peer.emptyEntries += peer.hasSentAllHashes ? 0 : 1;
    if (peer.emptyEntries > MAX_EMPTY_ENTRIES) return session.close(closeReasons.chainEndless);
    this.pump();
  }

  async onObjects(session: SyncSession, message: ResponseObjects): Promise<void> {
    const peer = this.peers.get(session.id);
    const request = peer?.objects;
    if (peer === undefined || request === undefined) return session.close(closeReasons.objectsNotRequested);
    if (message.currentHeight < peer.lastResponseHeight) return session.close(closeReasons.objectsHeight);
    session.remoteHeight = message.currentHeight;
    const verdict = await receiveObjects(message, request.left, this.dependencies.codec);
    if (this.peers.get(session.id) !== peer) return;
    peer.objects = undefined;
    const milliseconds = this.dependencies.clock.now() - request.requestedAt;
    const needed = verdict.blocks.filter(({ entry, raw, bytes }) => this.plan.receive(entry, peer.id, raw, bytes));
    const bytes = verdict.blocks.reduce((sum, block) => sum + block.bytes, 0);
    peer.batch.note(verdict.blocks.length, bytes, milliseconds);
    if (verdict.blocks.length > 0) peer.millisecondsPerBlock = milliseconds / verdict.blocks.length;
    this.noteDelivery(peer, needed.length, milliseconds);
    // Import first: closing the session withdraws its list, and with it blocks that no other peer offers.
    this.importer.run();
    if (verdict.kind === 'bad') session.close(verdict.reason);
    else if (verdict.reorganised) this.missed(peer);
    else peer.failures = 0;
    this.settle(peer);
    this.pump();
  }

  /** Drops the plan and the peers; results of blocks that are being added are ignored. */
  stop(): void {
    this.plan.clear();
    this.peers.clear();
  }

  /** Checks for overdue responses; called about once a second. */
  tick(): void {
    const now = this.dependencies.clock.now();
    for (const peer of [...this.peers.values()]) {
      const { session } = peer;
      if (!session.record.unserved && isUnserved(peer, now)) {
        session.record.unserved = true;
        this.dependencies.onRecord(session);
      }
      const reason = stallReason(peer, now);
      if (reason !== undefined) session.close(reason);
    }
    if (this.activePeers > 1) this.pump();
  }

  /** The peers that have a slot; a copy, since handlers may end some of them. */
  private holders(): SyncPeer[] {
    return [...this.peers.values()].filter(({ hasSlot }) => hasSlot);
  }

  private isOverdue(peer: SyncPeer): boolean {
    return peer.isOverdue(this.dependencies.clock.now());
  }

  /** Imports, requests and finishes whatever is due. */
  private pump(): void {
    this.importer.run();
    for (const peer of this.holders()) if (peer.hasSlot) this.serve(peer);
  }

  /** Sends the next request to one peer, or ends its synchronisation. */
  private serve(peer: SyncPeer): void {
    if (peer.objects !== undefined || this.requestObjects(peer) || peer.chainRequestedAt !== undefined) return;
    const { length } = this.plan.listOf(peer.id);
    if (!peer.hasSentAllHashes) {
      if (length < LIST_LIMIT) this.requestChain(peer);
    } else if (length === 0) {
      // If the last block of its chain is unknown, blocks of it were dropped before.
      if (peer.tail === undefined || this.dependencies.chain.isKnown(peer.tail)) this.end(peer, 'synchronized');
      else this.fail(peer);
    }
  }

  /** Requests the next batch from a peer; false when it has nothing to deliver now. */
  private requestObjects(peer: SyncPeer): boolean {
    const { count } = peer.batch;
    const missing = this.plan.firstMissing(peer.id);
    if (missing === undefined) return false;
    const open = [...this.peers.values()].reduce((sum, { objects }) => sum + (objects?.count ?? 0), count);
    const isFull = this.plan.heldBytes + this.history.estimate(open) > HELD_BYTES;
    let entries = this.plan.heldBytes > HELD_UP_BYTES ? this.overdueEntries(peer, missing) : [];
    if (entries.length === 0 && (!isFull || missing.state === 'wanted')) {
      entries = this.plan.request(peer.id, count, isFull);
    }
    if (entries.length === 0) entries = this.overdueEntries(peer, missing);
    if (entries.length === 0) return false;
    const left = new Map(entries.map((entry) => [entry.key, entry]));
    peer.objects = { left, count: entries.length, requestedAt: this.dependencies.clock.now() };
    peer.session.requestObjects(entries.map((entry) => entry.hash));
    return true;
  }

  /** The blocks that a slow peer holds up at the head of the list of `peer`: no later ones can be imported without them. */
  private overdueEntries(peer: SyncPeer, { peer: id }: PlanEntry): PlanEntry[] {
    const slow = id === undefined ? undefined : this.peers.get(id);
    if (slow?.objects === undefined || slow === peer) return [];
    const { count, requestedAt, left } = slow.objects;
    if (this.dependencies.clock.now() - requestedAt < peer.patienceFor(count)) return [];
    return this.plan.takeOver(peer.id, left.values());
  }

  /** Requests a peer's chain: from the last hash that it sent if that block is not on our main chain yet, else from our tip. */
  private requestChain(peer: SyncPeer): void {
    const { chain, clock } = this.dependencies;
    const { tail } = peer;
    peer.chainRequestedAt = clock.now();
    // On a side branch of ours that is not the heavier one yet, our tip would lead back to the fork.
    const isAside = tail !== undefined && chain.isKnown(tail) && chain.heightOf(tail) === undefined;
    const isPlanned = this.plan.listOf(peer.id).length > 0;
    peer.session.requestChain(sparseChain(chain, tail !== undefined && (isAside || isPlanned) ? [tail] : []));
  }

  private announcedHeight(peer: SyncPeer, hash: Buffer): number | undefined {
    const list = this.plan.listOf(peer.id);
    const index = list.findLastIndex((entry) => entry.hash.equals(hash));
    return index < 0 ? undefined : peer.lastResponseHeight - (list.length - 1 - index);
  }

  /** Notes that `needed` of the blocks that a peer delivered were needed. */
  private noteDelivery(peer: SyncPeer, needed: number, milliseconds: number): void {
    const { record } = peer.session;
    peer.delivered += needed;
    record.slow = milliseconds > SLOW;
    if (needed === 0) return;
    peer.shows = true;
    Object.assign(record, { unserved: false, served: true, fruitless: 0 });
    this.dependencies.onRecord(peer.session);
  }

  /** A response has come: a session that lost its slot may have one again. */
  private settle(peer: SyncPeer): void {
    if (peer.hasSlot || peer.requestedAt !== undefined) return;
    if (this.peers.delete(peer.id)) this.dependencies.onFree();
  }

  /** A peer no longer has the requested blocks, or does not send this number in one response. */
  private missed(peer: SyncPeer): void {
    peer.batch.failed();
    if (peer.hasSlot) this.fail(peer);
  }

  /** A synchronisation failed without a fault of the peer: it starts over, a few times. */
  private fail(peer: SyncPeer): void {
    peer.failures += 1;
    if (peer.failures > this.options.syncPeerFailureThreshold) this.end(peer, 'demoted');
    else this.restart(peer);
  }

  private restart(peer: SyncPeer): void {
    this.plan.withdraw(peer.id);
    peer.restart();
    this.requestChain(peer);
  }

  private refused(entry: PlanEntry, { code }: AddBlockResult): void {
    const { dependencies } = this;
    const deliverer = entry.peer;
    const offering = this.holders().filter(({ id }) => entry.offers.has(id));
    this.plan.retry(entry);
    if (code === 'REJECTED_AS_ORPHANED') {
      const peer = offering.find(({ id }) => id === deliverer);
      if (peer !== undefined) peer.orphans += 1;
      if (peer !== undefined && peer.orphans > MAX_ORPHANS) peer.session.close(closeReasons.orphans);
      for (const other of offering) if (this.peers.has(other.id)) this.restart(other);
    } else if (code === 'TIMESTAMP_TOO_FAR_IN_FUTURE') {
      // Our clock may be wrong: no peer is at fault, and the block is tried again later.
      dependencies.logger.warning(`a block is ahead of this machine's clock by more than allowed`);
      for (const peer of offering) this.end(peer, 'abandoned');
    } else {
      const reason = closeReasonOfBlock(code);
      // Closing the session withdraws its list: the block will be requested from another peer that offers it.
      if (reason !== undefined && deliverer !== undefined) dependencies.session(deliverer)?.close(reason);
    }
    this.pump();
  }

  /** The chain failed: no peer is at fault, and all of them are tried again later. */
  private failed(error: unknown): void {
    this.dependencies.logger.error(`the chain failed while blocks were added: ${String(error)}`);
    this.plan.clear();
    for (const peer of this.holders()) this.end(peer, 'abandoned');
  }

  private end(peer: SyncPeer, outcome: SyncOutcome): void {
    this.release(peer);
    this.dependencies.onEnd(peer.session, outcome, peer.delivered);
    this.dependencies.onFree();
  }

  /** Takes the slot of a peer; it remains known while it has an open request. */
  private release(peer: SyncPeer): void {
    peer.hasSlot = false;
    this.plan.withdraw(peer.id);
    if (peer.requestedAt === undefined) this.peers.delete(peer.id);
  }
}
