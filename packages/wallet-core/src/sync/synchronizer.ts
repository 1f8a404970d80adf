import { EventEmitter } from 'node:events';
import { type NodeCalls, NodeFailure, type NodeInfo, NodeList, type SyncBlock, type TipStream } from '@wrkz/client';
import { REORGANISATION_DEPTH } from '@wrkz/core-types';
import { AutoResetEvent, errorText, MACHINE_CLOCK, type WaitClock } from '@wrkz/service-kit/base';
import { Applier } from './applier';
import { BlockStore } from './block-store';
import { SyncBlockVerifier, claimOfUnverified } from './block-verifier';
import { Fetcher, type FetchOptions, type FetchOutcome, rescanHeight } from './fetcher';
import { IndexFinder } from './index-finder';
import { NodeComparison } from './node-comparison';
import type { SyncLedger } from '../ledger/ledger';
import type { UnverifiedBlock, WalletTransaction } from '../ledger/model';
import { ResponseParser } from './parser/response-parser';
import { isUnconfirmedHistory, stallOf } from './status';
import type { SyncStall, WalletSyncStatus } from './status';

/** Milliseconds (docs/protocol/wallet-sync.md#waits). */
const INFO_MS = 10_000;
const WAIT_MS = 5_000;
const RATE_LIMITED_MS = 20_000;
/** Polling interval while the node publishes its blocks. */
const FOLLOWED_WAIT_MS = 60_000;
/** Delay before event streams are requested again from a node without them. */
const NO_STREAM_MS = 300_000;
/** Interval of comparisons of the wallet's chain with all nodes. */
const COMPARE_MS = 60_000;
/** Interval of attempts to verify unverified blocks. */
const VERIFY_MS = 120_000;
/** Number of blocks verified together, so that a failing node is not queried for all of them. */
const VERIFY_CHUNK = 100;
/** Min interval between two reports of one kind of stall, so that an unstable node does not fill the log. */
const STALL_REPORT_MS = 600_000;
/** Number of consecutive rejected responses after which the nodes are compared immediately. */
const MAX_REFUSED = 3;

export interface SynchronizerOptions extends FetchOptions {
  readonly clock?: WaitClock | undefined;
}

export interface SynchronizerEvents {
  /** A block was applied. The transactions are the new ones of the wallet. */
  applied: [readonly WalletTransaction[], SyncBlock];
  /** A batch of blocks was applied. The listener publishes a snapshot. */
  progressed: [];
  /** All blocks from this height on were removed from the ledger. */
  rewound: [number];
  /** The wallet is at the node's tip. */
  synced: [number];
  /** A block could not be processed and was skipped. */
  unreadable: [SyncBlock, unknown];
  /** A node responds: the first one, a new one, or one that was unreachable. */
  connected: [];
  /** The contents of a block were verified after it was applied. */
  verified: [readonly WalletTransaction[]];
  /** An unverified block turned out to be forged. It is rewound next. */
  disproved: [UnverifiedBlock];
  /** Global indexes of own outputs were received. */
  indexed: [];
  /** Sentence about a node that lacks a settled block of the wallet; undefined if all nodes agree. */
  disagreement: [string | undefined];
  /** A heavier branch that the serving node refuses; undefined if it refuses none. */
  heavierBranch: [NodeInfo['heavierBranch']];
  warning: [string];
}

/** One run between a start and a stop. */
interface Run {
  readonly controller: AbortController;
  readonly ended: Promise<unknown>;
}

/**
 * Follows a node and applies its blocks to the ledger (docs/protocol/wallet-sync.md#the-node). Fetching continues while
 * blocks are applied; all other requests have their own timers. Requests to a failing node are repeated: only `stop` ends a
 * run.
 */
export class Synchronizer extends EventEmitter<SynchronizerEvents> {
  private readonly clock: WaitClock;
  private readonly store = new BlockStore();
  private readonly reader = new ResponseParser();
  private readonly indexes: IndexFinder;
  private readonly verifier: SyncBlockVerifier;
  private readonly applier: Applier;
  private readonly fetcher: Fetcher;
  /** Each loop wakes on its timer or its event, whichever fires first. */
  private readonly wakeups = {
    /** New blocks may be available. */
    fetch: new AutoResetEvent(),
    /** Blocks were stored. */
    apply: new AutoResetEvent(),
    /** Stored blocks were applied, so the store has room. */
    room: new AutoResetEvent(),
    /** An own output may lack its global index. */
    index: new AutoResetEvent(),
    /** The state of the node must be requested now. */
    info: new AutoResetEvent(),
    /** A new node may offer events. */
    stream: new AutoResetEvent(),
    /** A node was connected that may serve the bytes of unverified blocks. */
    verify: new AutoResetEvent(),
    /** The node's blocks may be invalid. */
    compare: new AutoResetEvent(),
  };
  private stream: TipStream | undefined;
  private run: Run | undefined;
  private stall: SyncStall | undefined;
  private readonly stallReportedAt = new Map<SyncStall['code'], number>();
  private isAtTip = false;
  private isFollowing = false;
  private unreadable = 0;
  /** Number of malformed or foreign responses to sync requests since the last valid one. */
  private refused = 0;
  /** Whether the last request for the node's state failed. */
  private wasAway = false;

  constructor(
    private node: NodeCalls,
    private readonly ledger: SyncLedger,
    options: SynchronizerOptions,
  ) {
    super();
    this.clock = options.clock ?? MACHINE_CLOCK;
    const warn = (text: string): void => void this.emit('warning', text);
    this.indexes = new IndexFinder(ledger, warn);
    this.fetcher = new Fetcher(
      {
        node: () => this.node,
        ledger,
        store: this.store,
        read: this.reader.read,
        warn,
        rewind: (height) => this.rewind(height),
      },
      options,
    );
    this.verifier = new SyncBlockVerifier(options.network, () => this.node);
    this.applier = new Applier(ledger, this.store, this.verifier, {
      applied: (transactions, block) => this.emit('applied', transactions, block),
      rewind: (height) => {
        const { height: tip, hash } = ledger.position();
        const depth = tip - height;
        // Without a hash, after a rescan, the node begins below the position: nothing forks.
        if (hash !== undefined && depth >= REORGANISATION_DEPTH) {
          warn(
            `the node's chain forks from that of this wallet at block ${String(height)}, ${String(depth + 1)} blocks back: ` +
              'rescanning from there. Is it a node of the same network?',
          );
        }
        this.rewind(height);
      },
      unreadable: (block, error) => {
        this.unreadable++;
        this.emit('unreadable', block, error);
      },
      batch: () => {
        this.wakeups.room.set();
        this.wakeups.index.set();
        this.emit('progressed');
      },
    });
  }

  get status(): WalletSyncStatus {
    const { info } = this.fetcher;
    const position = this.ledger.position();
    return {
      walletHeight: position.height,
      localHeight: info?.localHeight ?? 0,
      networkHeight: info?.networkHeight ?? 0,
      peerCount: info?.peerCount ?? 0,
      difficulty: info?.difficulty ?? 0n,
      liteStartHeight: info?.liteStartHeight ?? 0,
      scanStart: this.ledger.scanStart(),
      isConverting: isUnconfirmedHistory(position),
      gap: this.fetcher.gap,
      stall: this.run === undefined ? { code: 'stopped', message: 'the synchronization is stopped' } : this.stall,
      isAtTip: this.isAtTip,
      isFollowing: this.isFollowing,
      unreadableBlocks: this.unreadable,
    };
  }

  /** Starts, or resumes after a stop, at the position of the ledger. */
  start(): void {
    if (this.run !== undefined) return;
    this.fetcher.reset();
    this.indexes.reset();
    this.stall = undefined;
    this.isAtTip = false;
    const controller = new AbortController();
    const { signal } = controller;
    const loops = [
      this.followInfo(signal),
      this.fetch(signal),
      this.apply(signal),
      this.findIndexes(signal),
      this.verifyAgain(signal),
      this.followTip(signal),
    ];
    const { node } = this;
    if (node instanceof NodeList) {
      loops.push(this.compareNodes(node, signal));
      const onSwitch = (): void => this.onOtherNode();
      node.on('switched', onSwitch);
      signal.addEventListener('abort', () => node.off('switched', onSwitch), { once: true });
    }
    this.run = { controller, ended: Promise.allSettled(loops) };
  }

  /** Aborts all requests and waits for the loops to end. The ledger is not changed afterwards. */
  async stop(): Promise<void> {
    const run = this.run;
    if (run === undefined) return;
    run.controller.abort();
    await this.reader.close();
    await run.ended;
    if (this.run === run) this.run = undefined;
    this.isFollowing = false;
  }

  /** Continues from the same position with another node. */
  async swap(node: NodeCalls): Promise<void> {
    const wasRunning = this.run !== undefined;
    await this.stop();
    this.node = node;
    this.fetcher.forgetNode();
    if (wasRunning) this.start();
  }

  /** Polls the node now. */
  refresh(): void {
    this.wakeups.info.set();
    this.wakeups.fetch.set();
  }

  /** Discards height and features of the previous node after a change of the serving node. */
  private onOtherNode(): void {
    this.fetcher.forgetNode();
    this.isAtTip = false;
    this.stream?.close();
    this.wakeups.stream.set();
    this.refresh();
  }

  private async followInfo(signal: AbortSignal): Promise<void> {
    await this.repeat(
      signal,
      async () => {
        const info = await this.node.info(signal);
        const isFirst = this.fetcher.info === undefined;
        this.fetcher.noteInfo(info);
        if (isFirst) this.wakeups.fetch.set();
        if (isFirst || this.wasAway) {
          this.wakeups.verify.set();
          this.emit('connected');
        }
        this.wasAway = false;
        this.emit('heavierBranch', info.heavierBranch);
      },
      (failure) => {
        if (failure !== undefined) this.wasAway = true;
        return this.wakeups.info.waitFor(INFO_MS, this.clock, signal);
      },
    );
  }

  private async fetch(signal: AbortSignal): Promise<void> {
    let wait = 0;
    await this.repeat(
      signal,
      async () => {
        wait = WAIT_MS;
        if (this.store.isFull) {
          wait = 0;
          return this.wakeups.room.wait(signal);
        }
        wait = this.onOutcome(await this.fetcher.step(signal));
      },
      (failure) => {
        if (failure?.kind === 'malformed' || failure?.kind === 'foreignChain') this.onRefused();
        if (failure?.kind === 'rateLimited') wait = RATE_LIMITED_MS;
        return wait === 0 ? Promise.resolve() : this.wakeups.fetch.waitFor(wait, this.clock, signal);
      },
    );
  }

  /** Handles the outcome of a fetch step. @returns the delay before the next step in milliseconds */
  private onOutcome(outcome: FetchOutcome): number {
    this.setStall(stallOf(outcome, this.fetcher.gap, this.status) ?? (outcome === 'unknown' ? this.stall : undefined));
    const wasAtTip = this.isAtTip;
    this.isAtTip = outcome === 'tip';
    switch (outcome) {
      case 'stored':
        this.refused = 0;
        this.wakeups.apply.set();
        return 0;
      case 'again':
        return 0;
      case 'tip':
        if (!wasAtTip) this.emit('synced', this.ledger.position().height);
        return this.isFollowing ? FOLLOWED_WAIT_MS : WAIT_MS;
      default:
        return WAIT_MS;
    }
  }

  private setStall(stall: SyncStall | undefined): void {
    this.stall = stall;
    if (stall === undefined) return;
    const now = performance.now();
    if (now - (this.stallReportedAt.get(stall.code) ?? -Infinity) < STALL_REPORT_MS) return;
    this.stallReportedAt.set(stall.code, now);
    this.emit('warning', `the synchronization is stalled: ${stall.message}`);
  }

  private onRefused(): void {
    if (++this.refused < MAX_REFUSED) return;
    this.refused = 0;
    this.wakeups.compare.set();
  }

  /** Periodically compares the wallet's chain with the other nodes of the list. */
  private async compareNodes(nodes: NodeList, signal: AbortSignal): Promise<void> {
    if (nodes.others.length === 0) {
      this.emit('disagreement', undefined);
      return;
    }
    const comparison = new NodeComparison(nodes, this.ledger);
    const wait = (): Promise<void> => this.wakeups.compare.waitFor(COMPARE_MS, this.clock, signal);
    await this.repeatCheck(signal, wait, 'could not compare the nodes', async () => {
      const fork = await comparison.forkPoint(signal);
      if (fork !== undefined) await this.leaveFork(nodes, fork, signal);
      else if (this.isAtTip) this.emit('disagreement', await comparison.disagreement(signal));
    });
  }

  /** Rewinds blocks that most nodes do not have, and leaves the node that served them. */
  private async leaveFork(nodes: NodeList, fork: number, signal: AbortSignal): Promise<void> {
    const from = this.ledger.position().height;
    const height = rescanHeight(this.ledger, fork);
    this.emit(
      'warning',
      `most nodes have none of the last blocks of this wallet, up to ${String(from)}: rescanning from block ` +
        String(height),
    );
    this.fetcher.reset();
    this.rewind(height);
    await nodes.leave('it served blocks that most nodes do not have', signal);
  }

  private rewind(height: number): void {
    this.ledger.rewind(height);
    this.indexes.reset();
    this.emit('rewound', height);
  }

  private async apply(signal: AbortSignal): Promise<void> {
    await this.repeat(
      signal,
      async () => {
        await this.wakeups.apply.wait(signal);
        // A failure may have discarded the blocks, without an event of the applier.
        await this.applyStored(signal).finally(() => this.wakeups.room.set());
        // The fetcher may have reached the tip while blocks were waiting; it reports that once they are applied.
        if (this.store.isEmpty) this.wakeups.fetch.set();
      },
      async (failure) => {
        if (failure === undefined) return;
        await this.clock.wait(WAIT_MS, signal);
        this.wakeups.apply.set();
      },
    );
  }

  private async applyStored(signal: AbortSignal): Promise<void> {
    const { node } = this;
    const serving = servingOf(node);
    try {
      await this.applier.run(signal);
    } catch (error) {
      if (!(error instanceof NodeFailure) || servingOf(this.node) !== serving) throw error;
      // All stored blocks are from this node: discard them.
      this.fetcher.reset();
      if (error.kind === 'malformed' && node instanceof NodeList) await node.leave(error.message, signal);
      throw error;
    }
  }

  /** Periodically verifies blocks that were applied unverified. */
  private async verifyAgain(signal: AbortSignal): Promise<void> {
    const wait = (): Promise<void> => this.wakeups.verify.waitFor(VERIFY_MS, this.clock, signal);
    await this.repeatCheck(signal, wait, 'could not verify unverified blocks', async () => {
      let isProgress = true;
      while (isProgress && !signal.aborted) {
        // Newest first: a pruned node has no older raw blocks.
        isProgress = await this.verifyChunk(this.ledger.unverifiedBlocks().slice(-VERIFY_CHUNK), signal);
      }
    });
  }

  /** @returns whether a block was verified and none was forged, so that the next chunk is worth a request */
  private async verifyChunk(blocks: readonly UnverifiedBlock[], signal: AbortSignal): Promise<boolean> {
    const { verdicts } = await this.verifier.verify(blocks.map(claimOfUnverified), signal);
    signal.throwIfAborted();
    const current = new Set(this.ledger.unverifiedBlocks().map(({ hash }) => hash));
    let isProgress = false;
    for (const block of blocks) {
      const verdict = verdicts.get(block.hash);
      if (!current.has(block.hash) || verdict === 'unverified' || verdict === undefined) continue;
      isProgress = true;
      if (verdict !== 'verified') {
        this.dropFrom(block);
        return false;
      }
      this.emit('verified', this.ledger.markVerified(block.height));
    }
    return isProgress;
  }

  /** Rewinds a forged block and all above it, and rescans from there. */
  private dropFrom(block: UnverifiedBlock): void {
    const { height, hash, transactions } = block;
    const hashes = transactions.map((transaction) => transaction.hash).join(', ');
    this.emit(
      'warning',
      `the contents of block ${String(height)} with hash ${hash} differ from the report of a node (transactions ${hashes}): ` +
        'rescanning from there',
    );
    this.emit('disproved', block);
    this.fetcher.reset();
    this.rewind(height);
    this.isAtTip = false;
    this.wakeups.fetch.set();
  }

  private async findIndexes(signal: AbortSignal): Promise<void> {
    await this.repeat(
      signal,
      async () => {
        if (this.indexes.isDone) await this.wakeups.index.wait(signal);
        if (signal.aborted || this.indexes.isDone) return;
        await this.indexes.step(this.node, signal);
        this.emit('indexed');
      },
      async (failure) => {
        // Outputs found during a request are requested immediately, because they cannot be spent before.
        if (failure === undefined && (this.indexes.isDone || this.indexes.hasUntried)) return;
        await this.clock.wait(WAIT_MS, signal);
      },
    );
  }

  private async followTip(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const stream = await this.node.tipStream(() => this.wakeups.fetch.set(), signal).catch(() => undefined);
      if (stream !== undefined) {
        this.stream = stream;
        this.isFollowing = true;
        this.wakeups.fetch.set();
        await stream.ended;
        this.stream = undefined;
        this.isFollowing = false;
        // Fetch the blocks that were published meanwhile.
        this.wakeups.fetch.set();
      }
      await this.wakeups.stream.waitFor(stream === undefined ? NO_STREAM_MS : WAIT_MS, this.clock, signal);
    }
  }

  /** Repeats a step and a wait until the signal aborts. A failed step sets `status.stall` and is repeated. */
  private async repeat(
    signal: AbortSignal,
    step: () => Promise<void>,
    wait: (failure: NodeFailure | undefined) => Promise<void>,
  ): Promise<void> {
    while (!signal.aborted) {
      let failure: NodeFailure | undefined;
      try {
        await step();
      } catch (error) {
        if (signal.aborted) return;
        failure = error instanceof NodeFailure ? error : new NodeFailure('failed', errorText(error));
        this.setStall(stallOf(failure, this.fetcher.gap, this.status));
        this.isAtTip = false;
      }
      await wait(failure);
    }
  }

  /** Repeats a wait and a check until the signal aborts. A failed check is reported as a warning. */
  private async repeatCheck(
    signal: AbortSignal,
    wait: () => Promise<void>,
    failed: string,
    check: () => Promise<void>,
  ): Promise<void> {
    while (!signal.aborted) {
      await wait();
      if (signal.aborted) return;
      try {
        await check();
      } catch (error) {
        if (!signal.aborted) this.emit('warning', `${failed}: ${errorText(error)}`);
      }
    }
  }
}

const servingOf = (node: NodeCalls): NodeCalls => (node instanceof NodeList ? node.serving : node);
