import type { ResponseChain, ResponseObjects } from '@wrkz/levin';
import type { AddBlockResult } from '../../chain/results';
import { closeReasonOfBlock, closeReasons } from '../limits/close-reasons';
import type { BlockCodec, ChainPort, P2pClock, P2pLogger } from '../ports';
import { type BatchOptions, SLOW } from './batch-size';
import type { Branch } from './branch';
import { requestChainOf, isPlanned, judgeChainEntry, noteEntry } from './chain-entry';
import type { PlanEntry } from './download-plan';
import { Branches, Downloads } from './downloads';
import { receiveObjects } from './receive-objects';
import { isUnserved, stallReason, SyncPeer, SyncSlots, type SyncSession, type SyncShare } from './sync-peer';

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
  /** A slot is free, or a peer may have one again. */
  onFree(): void;
  /** The peer brings what it claims, or does not: its record has changed. */
  onRecord(session: SyncSession): void;
  /** An open session. */
  session(id: number): SyncSession | undefined;
}

/** No more hashes of a branch are requested while so many of its blocks are planned. */
const PLAN_LIMIT = 20_000;
const MAX_ORPHANS = 3;
const MAX_EMPTY_ENTRIES = 3;

/**
 * Decides what is requested from which peer. Up to `maxPeers` peers have a slot. Peers that announce the same chain
 * share a branch. Blocks are requested in batches from the peers that offer them and imported in order while the next
 * batches are received. Only blocks count as progress.
 */
export class SyncCoordinator {
  private readonly branches: Branches;
  private readonly slots: SyncSlots;
  private readonly downloads: Downloads;

  constructor(
    private readonly chain: ChainPort,
    private readonly codec: BlockCodec,
    private readonly clock: P2pClock,
    private readonly logger: P2pLogger,
    private readonly options: SyncOptions,
    private readonly events: SyncEvents,
  ) {
    this.slots = new SyncSlots(options.maxPeers, () => clock.now());
    this.branches = new Branches(chain, logger, {
      onProgress: () => this.pump(),
      onRefused: (branch, entry, result) => this.refused(branch, entry, result),
      onFailure: (error) => this.failed(error),
    });
    this.downloads = new Downloads(options, this.slots, () => this.branches.all, clock);
  }

  get activePeers(): number {
    return this.slots.size;
  }

  get averageBatchSize(): number {
    return this.downloads.averageBatchSize;
  }

  isSyncing(session: SyncSession): boolean {
    return this.slots.has(session.id);
  }

  /** How it goes with a peer that we fetch blocks from, or that owes us some; undefined for all others. */
  shareOf(id: number): SyncShare | undefined {
    const peer = this.slots.find(id);
    if (peer === undefined) return undefined;
    const { batch, delivered, failures } = peer;
    return { active: this.slots.has(id), batch: batch.count, delivered, failures };
  }

  awaitsChain(session: SyncSession): boolean {
    return this.slots.find(session.id)?.chainRequestedAt !== undefined;
  }

  awaitsObjects(session: SyncSession): boolean {
    return this.slots.find(session.id)?.objects !== undefined;
  }

  /** The height (a count) up to which a peer that brings blocks has named them; 0 when it brings none. */
  namedHeight(session: SyncSession): number {
    const peer = this.slots.find(session.id);
    if (peer === undefined || !peer.shows || this.slots.isOverdue(peer)) return 0;
    return peer.lastResponseHeight + 1;
  }

  /** Whether this session could have a slot if one were free: a late one has to respond first. */
  mayHaveSlot(session: SyncSession): boolean {
    return !this.slots.isLate(session.id);
  }

  /** The peer that would lose its slot, with its rank; undefined while a slot is free. */
  weakest(): { readonly session: SyncSession; readonly rank: number } | undefined {
    return this.slots.isFull ? this.slots.weakest() : undefined;
  }

  /** Starts to synchronise from a peer; false when as many as allowed are busy with it. */
  start(session: SyncSession): boolean {
    if (this.slots.has(session.id)) return true;
    if (this.slots.isFull || this.slots.isLate(session.id)) return false;
    const peer = new SyncPeer(session, this.downloads.batchOf(session));
    this.slots.take(peer);
    this.requestChain(peer);
    return true;
  }

  /** Takes a peer's slot away. A late response is still used. */
  giveUp(session: SyncSession): void {
    const peer = this.slots.find(session.id);
    if (peer === undefined || !this.slots.has(session.id)) return;
    if (this.slots.isOverdue(peer)) peer.batch.failed();
    peer.branch?.plan.withdraw(peer.id);
    this.slots.release(peer);
    this.pump();
  }

  /** The session is closed. */
  left(session: SyncSession): void {
    const removed = this.slots.remove(session.id);
    if (removed === undefined) return;
    const { peer, hadSlot } = removed;
    if (peer.objects !== undefined) peer.batch.failed();
    peer.branch?.plan.withdraw(session.id);
    this.pump();
    if (hadSlot) this.events.onFree();
  }

  onChain(session: SyncSession, message: ResponseChain): void {
    const peer = this.slots.find(session.id);
    if (peer?.chainRequestedAt === undefined) return;
    peer.chainRequestedAt = undefined;
    if (!this.slots.has(session.id)) {
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
      this.branches.enter(peer, verdict);
    }
    this.pump();
  }

  async onObjects(session: SyncSession, message: ResponseObjects): Promise<void> {
    const peer = this.slots.find(session.id);
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
    if (this.slots.find(session.id) !== peer) return;
    peer.objects = undefined;
    const milliseconds = this.clock.now() - request.requestedAt;
    this.noteDelivery(peer, this.downloads.take(peer, verdict.blocks, milliseconds), milliseconds);
    if (verdict.kind === 'bad') session.close(verdict.reason);
    else if (verdict.reorganised) this.missed(peer, request.branch);
    else peer.failures = 0;
    this.settle(peer);
    this.pump();
  }

  /** Forgets the plans and the peers; what becomes of blocks that are being added changes nothing here any more. */
  stop(): void {
    this.branches.clear();
    this.slots.clear();
  }

  /** Looks for peers that keep us waiting; called about once a second. */
  tick(): void {
    const now = this.clock.now();
    for (const peer of this.slots.all()) {
      const { session } = peer;
      if (!session.record.unserved && isUnserved(peer, now)) {
        session.record.unserved = true;
        this.events.onRecord(session);
      }
      const reason = stallReason(peer, now);
      if (reason !== undefined) session.close(reason);
    }
    if (this.slots.size > 1) this.pump();
  }

  /** Ask, add, ask for more, finish: whatever is due. */
  private pump(): void {
    for (const branch of this.branches.all) branch.importer.run();
    for (const peer of this.slots.holders()) if (this.slots.has(peer.id)) this.serve(peer);
    this.branches.forgetDone(this.slots.holders());
  }

  /** What is next for one peer. */
  private serve(peer: SyncPeer): void {
    const { branch } = peer;
    if (peer.objects !== undefined || (branch !== undefined && this.downloads.ask(peer, branch))) return;
    if (peer.chainRequestedAt !== undefined) return;
    const plan = branch?.plan;
    const busy = branch?.importer.isBusy === true;
    const offers = plan?.offersAnything(peer.id) === true;
    if (peer.diverged) {
      // Until the branch has passed the fork, the same request would get the same response.
      if (offers || busy) return;
      peer.restart();
      this.requestChain(peer);
    } else if (peer.hasSentAllHashes) {
      if (!busy && !offers) this.finish(peer);
    } else if ((plan?.length ?? 0) < PLAN_LIMIT && (isPlanned(peer) || !busy)) {
      // A chain that continues the plan can be requested at once; any other only from our tip, after the last import.
      this.requestChain(peer);
    }
  }

  /** All that the peer offered is done. */
  private finish(peer: SyncPeer): void {
    if (peer.tail === undefined || this.chain.isKnown(peer.tail)) this.end(peer, 'synchronized');
    // Blocks of its chain were dropped on the way, with those of another peer.
    else this.fail(peer);
  }

  private requestChain(peer: SyncPeer): void {
    requestChainOf(peer, this.chain, this.clock.now());
  }

  /** Notes how a peer has done: `needed` of the blocks that it brought were. */
  private noteDelivery(peer: SyncPeer, needed: number, milliseconds: number): void {
    const { record } = peer.session;
    peer.delivered += needed;
    record.slow = milliseconds > SLOW;
    if (needed === 0) return;
    peer.shows = true;
    Object.assign(record, { unserved: false, served: true, fruitless: 0 });
    this.events.onRecord(peer.session);
  }

  /** A late response has come: its peer may have a slot again. */
  private settle(peer: SyncPeer): void {
    if (this.slots.settle(peer)) this.events.onFree();
  }

  /** A peer no longer has what was requested, or will not send so much at once. */
  private missed(peer: SyncPeer, requested: Branch): void {
    peer.batch.failed();
    if (this.slots.has(peer.id) && peer.branch === requested) this.fail(peer);
  }

  /** A synchronisation failed without anybody's fault: it starts over, a few times. */
  private fail(peer: SyncPeer): void {
    peer.failures += 1;
    peer.restart();
    if (peer.failures > this.options.failureThreshold) this.end(peer, 'demoted');
    else this.requestChain(peer);
  }

  private refused(branch: Branch, entry: PlanEntry, result: AddBlockResult): void {
    const bringer = entry.peer;
    branch.plan.retry(entry);
    if (result.code === 'REJECTED_AS_ORPHANED') {
      this.orphaned(branch, bringer);
    } else if (result.code === 'TIMESTAMP_TOO_FAR_IN_FUTURE') {
      // Ahead of our clock: perhaps ours is wrong. Nobody is blamed, and it is tried again later.
      this.logger.warning(`a block is ahead of this machine's clock by more than allowed`);
      for (const peer of this.branches.drop(branch, this.slots.holders())) this.end(peer, 'abandoned');
    } else {
      const reason = closeReasonOfBlock(result.code);
      const session = bringer === undefined ? undefined : this.events.session(bringer);
      if (reason !== undefined) session?.close(reason);
      // It will be requested from another peer that offers it.
      branch.plan.withdraw(bringer ?? -1);
      this.pump();
    }
  }

  private orphaned(branch: Branch, bringer: number | undefined): void {
    const members = this.branches.drop(branch, this.slots.holders());
    const peer = members.find(({ id }) => id === bringer);
    if (peer !== undefined) peer.orphans += 1;
    if (peer !== undefined && peer.orphans > MAX_ORPHANS) peer.session.close(closeReasons.orphans);
    for (const member of members) if (this.slots.has(member.id)) this.requestChain(member);
  }

  /** The chain could not do its work: nobody is blamed, and all of them are tried again later. */
  private failed(error: unknown): void {
    this.logger.error(`the chain failed while blocks were added: ${String(error)}`);
    const holders = this.slots.holders();
    for (const branch of this.branches.all) this.branches.drop(branch, holders);
    for (const peer of holders) this.end(peer, 'abandoned');
  }

  private end(peer: SyncPeer, outcome: SyncOutcome): void {
    peer.branch?.plan.withdraw(peer.id);
    this.slots.release(peer);
    this.events.onEnd(peer.session, outcome, peer.delivered);
    this.events.onFree();
  }
}
