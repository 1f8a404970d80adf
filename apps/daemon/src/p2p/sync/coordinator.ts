import type { ResponseChain, ResponseObjects } from '@wrkz/levin';
import type { AddBlockResult } from '../../chain/results';
import { SYNC_PATIENCE, SYNC_REQUEST_LIMIT, SYNC_STALL_TIMEOUT } from '../constants';
import { closeReasonOfBlock } from '../penalties/block-verdicts';
import { closeReasons } from '../penalties/close-reasons';
import type { BlockCodec, ChainPort, P2pClock, P2pLogger } from '../ports';
import { BatchHistory, type BatchOptions, BatchSize, SLOW } from './batch-size';
import { Branch, type BranchEvents } from './branch';
import { type ChainEntryVerdict, judgeChainEntry } from './chain-entry';
import { SyncPlaces } from './places';
import type { PlanEntry } from './plan';
import { type ReceivedBlock, receiveObjects } from './receive-objects';
import { sparseChain } from './sparse-chain';
import { SyncPeer, type SyncSession } from './sync-peer';

/** No more hashes of a branch are asked for while so many of its blocks are planned. */
const PLAN_LIMIT = 20_000;
/**
 * Arrived and expected blocks of all branches together, in equal parts; more is asked for only when the head of a plan is
 * missing.
 */
const HELD_BYTES = 96 * 1024 * 1024;
const MAX_ORPHANS = 3;
const MAX_EMPTY_ENTRIES = 3;

export interface SyncOptions extends BatchOptions {
  /** `--sync-max-peers`. */
  readonly maxPeers: number;
  /** `--sync-peer-failure-threshold`. */
  readonly failureThreshold: number;
}

/** How a synchronisation from one peer ended. `abandoned`: it is kept for relay and may be tried again later. */
export type SyncOutcome = 'synchronized' | 'abandoned' | 'demoted';

export interface SyncEvents {
  /** `delivered`: blocks that it brought and that were needed. */
  onEnd(session: SyncSession, outcome: SyncOutcome, delivered: number): void;
  /** A place for another peer is free, or a peer may have one again. */
  onFree(): void;
  /** The peer brings what it claims, or does not: its standing has changed. */
  onStanding(session: SyncSession): void;
  /** An open session. */
  session(id: number): SyncSession | undefined;
}

/**
 * Who is asked for what. Up to `maxPeers` peers have a place. Each announces its chain; those that announce the same one
 * share a branch. Blocks are asked for in batches from whoever offers them, and go to the chain in order while the next
 * are on their way. Only blocks count as progress.
 */
export class SyncCoordinator {
  private branches: Branch[] = [];
  private readonly places: SyncPlaces;
  private readonly history: BatchHistory;
  /** Outlives a peer's place, so that what failed once is not asked for again in the same size. */
  private readonly batches = new WeakMap<SyncSession, BatchSize>();
  private readonly branchEvents: BranchEvents;

  constructor(
    private readonly chain: ChainPort,
    private readonly codec: BlockCodec,
    private readonly clock: P2pClock,
    private readonly logger: P2pLogger,
    private readonly options: SyncOptions,
    private readonly events: SyncEvents,
  ) {
    this.places = new SyncPlaces(options.maxPeers, () => clock.now());
    this.history = new BatchHistory(options);
    this.branchEvents = {
      onProgress: () => this.pump(),
      onRefused: (branch, entry, result) => this.refused(branch, entry, result),
      onFailure: (error) => {
        this.logger.error(`the chain failed while blocks were added: ${String(error)}`);
        for (const branch of this.branches) this.drop(branch);
        for (const peer of this.places.holders()) this.end(peer, 'abandoned');
      },
    };
  }

  get activePeers(): number {
    return this.places.size;
  }

  get averageBatchSize(): number {
    const counts = this.places.holders().map((peer) => peer.batch.count);
    if (counts.length === 0) return new BatchSize(this.options, this.history).count;
    return Math.round(counts.reduce((sum, count) => sum + count, 0) / counts.length);
  }

  isSyncing(session: SyncSession): boolean {
    return this.places.has(session.id);
  }

  objectsAsked(session: SyncSession): boolean {
    return this.places.find(session.id)?.objects !== undefined;
  }

  /** The height (a count) up to which a peer that brings blocks has named them; 0 when it brings none. */
  namedHeight(session: SyncSession): number {
    const peer = this.places.find(session.id);
    if (peer === undefined || peer.delivered === 0 || this.places.isOverdue(peer)) return 0;
    return peer.lastResponseHeight + 1;
  }

  /** Whether this session could have a place if one were free: a late one has to answer first. */
  mayHavePlace(session: SyncSession): boolean {
    return !this.places.isLate(session.id);
  }

  /** Who would have to give way, with its rank; undefined while a place is free. */
  weakest(): { readonly session: SyncSession; readonly rank: number } | undefined {
    return this.places.isFull ? this.places.weakest() : undefined;
  }

  /** Starts to synchronise from a peer; false when as many as allowed are busy with it. */
  start(session: SyncSession): boolean {
    if (this.places.has(session.id)) return true;
    if (this.places.isFull || this.places.isLate(session.id)) return false;
    const peer = new SyncPeer(session, this.batchOf(session));
    this.places.take(peer);
    this.askChain(peer);
    return true;
  }

  /** Takes a peer's place away. What it owes is still welcome. */
  giveUp(session: SyncSession): void {
    const peer = this.places.find(session.id);
    if (peer === undefined || !this.places.has(session.id)) return;
    if (peer.objects !== undefined) peer.batch.failed();
    peer.branch?.plan.withdraw(peer.id);
    this.places.release(peer);
    this.pump();
  }

  /** The session is closed. */
  left(session: SyncSession): void {
    const removed = this.places.remove(session.id);
    if (removed === undefined) return;
    const { peer, hadPlace } = removed;
    if (peer.objects !== undefined) peer.batch.failed();
    peer.branch?.plan.withdraw(session.id);
    this.pump();
    if (hadPlace) this.events.onFree();
  }

  onChain(session: SyncSession, message: ResponseChain): void {
    const peer = this.places.find(session.id);
    if (peer?.chainAskedAt === undefined) return;
    peer.chainAskedAt = undefined;
    if (!this.places.has(session.id)) {
      this.settle(peer);
      return;
    }
    const plan = peer.branch?.plan;
    const verdict = judgeChainEntry(message, this.chain, (hash) => plan?.heightOf(hash));
    if (verdict.kind === 'bad') {
      session.close(verdict.reason);
      return;
    }
    noteEntry(peer, message);
    if (verdict.kind === 'known') {
      peer.emptyEntries += peer.hasSentAllHashes ? 0 : 1;
      if (peer.emptyEntries > MAX_EMPTY_ENTRIES) {
        session.close(closeReasons.chainEndless);
        return;
      }
    } else {
      peer.emptyEntries = 0;
      this.enter(peer, verdict);
    }
    this.pump();
  }

  async onObjects(session: SyncSession, message: ResponseObjects): Promise<void> {
    const peer = this.places.find(session.id);
    const request = peer?.objects;
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
    if (this.places.find(session.id) !== peer) return;
    peer.objects = undefined;
    this.take(peer, verdict.blocks, this.clock.now() - request.askedAt);
    if (verdict.kind === 'bad') session.close(verdict.reason);
    else if (verdict.reorganised) this.missed(peer, request.branch);
    else peer.failures = 0;
    this.settle(peer);
    this.pump();
  }

  /** Forgets the plans and the peers; what becomes of blocks that are being added changes nothing here any more. */
  stop(): void {
    for (const branch of this.branches) branch.clear();
    this.branches = [];
    this.places.clear();
  }

  /** Looks for peers that keep us waiting; called about once a second. */
  tick(): void {
    const now = this.clock.now();
    for (const peer of this.places.all()) {
      const since = peer.owesSince;
      if (since === undefined) continue;
      const { session } = peer;
      const { standing } = session;
      // Who has served before may be slow for once.
      if (!standing.unserved && now - since >= (standing.served ? SYNC_STALL_TIMEOUT : SYNC_PATIENCE)) {
        standing.unserved = true;
        this.events.onStanding(session);
      }
      const stalled = now - Math.max(since, session.progressAt ?? since) > SYNC_STALL_TIMEOUT;
      if (!stalled && now - since <= SYNC_REQUEST_LIMIT) continue;
      // Not a word since the question for its chain: perhaps the line is dead. Who named blocks, or talks, knows better.
      const dead = peer.objects === undefined && session.lastHeard <= since;
      session.close(dead ? closeReasons.syncStalled : closeReasons.claimUnserved);
    }
    if (this.places.size > 1) this.pump();
  }

  private batchOf(session: SyncSession): BatchSize {
    const batch = this.batches.get(session) ?? new BatchSize(this.options, this.history);
    this.batches.set(session, batch);
    return batch;
  }

  /** Ask, add, ask for more, finish: whatever is due. */
  private pump(): void {
    for (const branch of this.branches) branch.importer.run();
    for (const peer of this.places.holders()) if (this.places.has(peer.id)) this.serve(peer);
    for (const branch of this.branches) {
      if (!branch.isDone) continue;
      for (const peer of this.places.holders()) if (peer.branch === branch) peer.branch = undefined;
    }
    this.branches = this.branches.filter((branch) => !branch.isDone);
  }

  /** What is next for one peer. */
  private serve(peer: SyncPeer): void {
    const { branch } = peer;
    if (peer.objects !== undefined || (branch !== undefined && this.askObjects(peer, branch))) return;
    if (peer.chainAskedAt !== undefined) return;
    const plan = branch?.plan;
    const busy = branch?.importer.isBusy === true;
    const offers = plan?.offersAnything(peer.id) === true;
    if (peer.diverged) {
      // Until the branch has passed the fork, the same question would bring the same answer.
      if (offers || busy) return;
      peer.restart();
      this.askChain(peer);
    } else if (peer.hasSentAllHashes) {
      if (!busy && !offers) this.finish(peer);
    } else if ((plan?.length ?? 0) < PLAN_LIMIT && (this.isPlanned(peer) || !busy)) {
      // A chain that is ahead of the plan can be asked for at once; any other only from our tip, after the last import.
      this.askChain(peer);
    }
  }

  /** All that the peer offered is done. */
  private finish(peer: SyncPeer): void {
    if (peer.tail === undefined || this.chain.isKnown(peer.tail)) this.end(peer, 'synchronized');
    // Blocks of its chain were dropped on the way, with those of another peer.
    else this.fail(peer);
  }

  private isPlanned({ tail, branch }: SyncPeer): boolean {
    return tail !== undefined && branch?.plan.heightOf(tail) !== undefined;
  }

  private askChain(peer: SyncPeer): void {
    peer.chainAskedAt = this.clock.now();
    const { tail } = peer;
    // On a side branch of ours that is not the heavier one yet, our tip would lead back to the fork.
    const aside = tail !== undefined && this.chain.isKnown(tail) && this.chain.heightOf(tail) === undefined;
    const ahead = tail !== undefined && (aside || this.isPlanned(peer)) ? [tail] : [];
    peer.session.askChain(sparseChain(this.chain, ahead));
  }

  /** Puts a peer's chain into the branch that it continues, else into one that it shares, else into a new one. */
  private enter(peer: SyncPeer, { anchor, anchorHeight, hashes }: ChainEntryVerdict & { kind: 'new' }): void {
    const present = peer.branch;
    for (const branch of present === undefined ? this.branches : [present]) {
      const outcome = branch.plan.merge(peer.id, anchor, anchorHeight, hashes);
      if (outcome === 'foreign' && branch !== present) continue;
      peer.branch = branch;
      peer.diverged = outcome !== 'joined';
      return;
    }
    peer.branch = new Branch(this.chain, this.logger, this.branchEvents);
    peer.branch.plan.merge(peer.id, anchor, anchorHeight, hashes);
    this.branches.push(peer.branch);
  }

  /** Asks a peer for its next batch; true when it has something to do. */
  private askObjects(peer: SyncPeer, branch: Branch): boolean {
    const { plan } = branch;
    const { count } = peer.batch;
    const requests = this.places.all().flatMap(({ objects }) => (objects?.branch === branch ? [objects] : []));
    const expected = requests.reduce((sum, request) => sum + request.count, count);
    if (plan.heldBytes + this.history.estimate(expected) > HELD_BYTES / this.branches.length) {
      const missing = plan.firstMissing();
      if (missing?.state !== 'wanted' || !missing.offers.has(peer.id)) return plan.wantedFrom(peer.id) > 0;
    }
    let entries = plan.request(peer.id, count);
    if (entries.length === 0) entries = this.overdue(peer, branch);
    if (entries.length === 0) return false;
    const left = new Map(entries.map((entry) => [entry.key, entry]));
    peer.objects = { branch, left, count: entries.length, askedAt: this.clock.now() };
    peer.session.askObjects(entries.map((entry) => entry.hash));
    return true;
  }

  /** What a slow peer holds up at the head of the plan, if this peer, which has nothing else to do, can serve it. */
  private overdue(peer: SyncPeer, { plan }: Branch): PlanEntry[] {
    const head = plan.firstMissing();
    const slow = head?.peer === undefined || head.state !== 'requested' ? undefined : this.places.find(head.peer);
    if (slow?.objects === undefined || slow === peer) return [];
    if (this.clock.now() - slow.objects.askedAt < SYNC_PATIENCE) return [];
    return plan.takeOver(peer.id, slow.objects.left.values());
  }

  /** Gives blocks to every branch that waits for them: a late answer may serve another branch than it was asked for. */
  private take(peer: SyncPeer, blocks: readonly ReceivedBlock[], milliseconds: number): void {
    let bytes = 0;
    let needed = 0;
    for (const block of blocks) {
      bytes += block.bytes;
      const taken = this.branches.filter(({ plan }) => {
        const entry = plan.get(block.entry.hash);
        if (entry?.previous.equals(block.entry.previous) !== true) return false;
        return plan.receive(entry, peer.id, block.raw, block.bytes);
      });
      if (taken.length > 0) needed += 1;
    }
    peer.batch.note(blocks.length, bytes, milliseconds);
    peer.delivered += needed;
    const { standing } = peer.session;
    standing.slow = milliseconds > SLOW;
    if (needed === 0) return;
    Object.assign(standing, { unserved: false, served: true, fruitless: 0 });
    this.events.onStanding(peer.session);
  }

  /** A late answer has come: its peer may have a place again. */
  private settle(peer: SyncPeer): void {
    if (this.places.settle(peer)) this.events.onFree();
  }

  /** A peer no longer has what it was asked for, or will not send so much at once. */
  private missed(peer: SyncPeer, asked: Branch): void {
    peer.batch.failed();
    if (this.places.has(peer.id) && peer.branch === asked) this.fail(peer);
  }

  /** A synchronisation failed without anybody's fault: it starts over, a few times. */
  private fail(peer: SyncPeer): void {
    peer.failures += 1;
    peer.restart();
    if (peer.failures > this.options.failureThreshold) this.end(peer, 'demoted');
    else this.askChain(peer);
  }

  private refused(branch: Branch, entry: PlanEntry, result: AddBlockResult): void {
    const bringer = entry.peer;
    branch.plan.retry(entry);
    if (result.code === 'REJECTED_AS_ORPHANED') {
      this.orphaned(branch, bringer);
    } else if (result.code === 'TIMESTAMP_TOO_FAR_IN_FUTURE') {
      // Ahead of our clock: perhaps ours is wrong. Nobody is blamed, and it is tried again later.
      this.logger.warning(`a block is ahead of this machine's clock by more than allowed`);
      for (const peer of this.drop(branch)) this.end(peer, 'abandoned');
    } else {
      const reason = closeReasonOfBlock(result.code);
      const session = bringer === undefined ? undefined : this.events.session(bringer);
      if (reason !== undefined) session?.close(reason);
      // Whoever else offers it will be asked.
      branch.plan.withdraw(bringer ?? -1);
      this.pump();
    }
  }

  private orphaned(branch: Branch, bringer: number | undefined): void {
    const members = this.drop(branch);
    const peer = members.find(({ id }) => id === bringer);
    if (peer !== undefined) peer.orphans += 1;
    if (peer !== undefined && peer.orphans > MAX_ORPHANS) peer.session.close(closeReasons.orphans);
    for (const member of members) if (this.places.has(member.id)) this.askChain(member);
  }

  /** Gives a branch up; its peers, which are returned, have to start over. */
  private drop(branch: Branch): SyncPeer[] {
    branch.clear();
    this.branches = this.branches.filter((other) => other !== branch);
    const members = this.places.holders().filter((peer) => peer.branch === branch);
    for (const peer of members) peer.restart();
    return members;
  }

  private end(peer: SyncPeer, outcome: SyncOutcome): void {
    peer.branch?.plan.withdraw(peer.id);
    this.places.release(peer);
    this.events.onEnd(peer.session, outcome, peer.delivered);
    this.events.onFree();
  }
}

/** Takes what a chain entry says of the peer's chain. */
function noteEntry(peer: SyncPeer, { hashes, startHeight, totalHeight }: ResponseChain): void {
  peer.session.remoteHeight = totalHeight;
  peer.lastResponseHeight = startHeight + hashes.length - 1;
  peer.tail = hashes.at(-1);
  if (peer.tail !== undefined && peer.hasSentAllHashes) peer.session.claim = { height: totalHeight, tip: peer.tail };
}
