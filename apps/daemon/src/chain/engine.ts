import { EventEmitter } from 'node:events';
import { BelowFloor, type CompactStep, type CorruptDatabase, damageIn } from '@wrkz/chain-db';
import { RuleFailure } from '@wrkz/consensus';
import type { RawBlock } from '@wrkz/core-types';
import { yieldToEventLoop } from '@wrkz/service-kit/base';
import { operatorText } from '../damage/damage-watch';
import { MaintenanceQueue } from './maintenance-queue';
import { addedBlock, removedBlock } from './commit-events';
import { HeldBlocks } from './held-blocks';
import { CALL_BLOCKS } from './limits';
import { type Batch, MainLine } from './main-line';
import type { PrunePass, Pruning } from './pruning';
import { type AddBlockResult, refused, unreadable, verdict } from './results';
import {
  type BlockSource,
  ChainDamaged,
  ChainFailed,
  ChainPaused,
  type ChainService,
  ChainStopped,
  type ChainUpkeep,
  type CommitEvent,
  type RemovedBlock,
  type RepairBlock,
  type TipFacts,
} from './service';
import { type RefusedSwitch, SideBranches, type Switch } from './side-branches';
import { SpaceGate } from './space-gate';
import { ChainState, type EngineParts } from './state';
import { AddTask, RewindTask, type Task } from './tasks';

/** Time without blocks before rules digests are stored, and the pause between two steps. */
const DIGEST_DELAY_MS = 1_000;
const DIGEST_PAUSE_MS = 20;

/** The client of another thread emits the same events. */
export interface EngineEvents {
  commit: [CommitEvent];
  /** A damaged block off the main chain was dropped. */
  damage: [CorruptDatabase];
  /** A pass of pruning is complete. */
  pruned: [PrunePass];
  /** A branch with more work is not followed: it leaves the main chain below the stored bodies. */
  refusedSwitch: [RefusedSwitch];
  /** Why blocks wait for space on the disk; undefined: there is enough again. */
  diskShortage: [string | undefined];
  /** The database cannot be written: the engine accepts no more work. */
  failed: [Error];
}

/**
 * The only writer of the chain. One loop processes a queue: blocks that extend the main chain go through the pipeline of
 * `MainLine`; everything else runs alone, while no batch is in flight.
 */
export class ChainEngine extends EventEmitter<EngineEvents> implements ChainService, ChainUpkeep {
  private readonly state: ChainState;
  private readonly main: MainLine;
  private readonly side: SideBranches;
  private readonly queue: Task[] = [];
  private readonly maintenance = new MaintenanceQueue();
  private readonly gate: SpaceGate;
  private readonly held = new HeldBlocks(() => performance.now());
  /** Flush timer for held blocks. */
  private timer: NodeJS.Timeout | undefined;
  private readonly pruning: Pruning | undefined;
  /** Timer of the next step of the rules digests. */
  private digestTimer: NodeJS.Timeout | undefined;
  /** Height of the next rules digest; 0 before the first step of this run. */
  private nextDigest = 0;
  private underWay: Batch | undefined;
  private working: Promise<void> | undefined;
  /** Why the engine accepts no more work. */
  private ended: Error | undefined;

  constructor(parts: EngineParts) {
    super();
    this.state = new ChainState(parts);
    this.state.onDamage = (damage) => void this.emit('damage', damage);
    this.side = new SideBranches(this.state);
    this.state.countAlternatives(this.side.size);
    this.main = new MainLine(this.state);
    this.gate = new SpaceGate(parts.diskShortage ?? (() => undefined), (why) => void this.emit('diskShortage', why));
    this.pruning = parts.pruning;
    this.lookForPruning();
    if (this.pruning !== undefined) this.working = this.work();
    else this.scheduleDigests();
  }

  tip(): TipFacts {
    return this.state.tip;
  }

  addBlocks(blocks: readonly RawBlock[], source: BlockSource, more = false): Promise<AddBlockResult[]> {
    if (blocks.length === 0) return Promise.resolve([]);
    if (blocks.length > CALL_BLOCKS) return Promise.reject(new RangeError(`more than ${String(CALL_BLOCKS)} blocks`));
    // A miner must get an error; blocks of peers can wait.
    if (source === 'submit' && !this.gate.isOpen()) return Promise.reject(new ChainPaused(this.gate.closed ?? ''));
    return new Promise((resolve, reject) => this.enqueue(new AddTask(blocks, source, more, resolve, reject)));
  }

  rewindTo(height: number): Promise<void> {
    return new Promise((resolve, reject) => this.enqueue(new RewindTask(height, resolve, reject)));
  }

  compactStep(): Promise<CompactStep> {
    return this.chore(() => this.state.writer.compactStep());
  }

  cutLog(): Promise<boolean> {
    return this.chore(() => this.state.cutLog());
  }

  repairPage(page: number, blocks: readonly RepairBlock[]): Promise<boolean> {
    return this.chore(() => this.state.cutLog() && this.state.writer.repairPage(page, blocks));
  }

  async stop(): Promise<void> {
    if (this.ended === undefined) this.end(new ChainStopped());
    if (!this.held.isEmpty) this.working ??= this.work();
    await this.working;
    clearTimeout(this.timer);
    this.cancelDigests();
    this.state.close();
  }

  /** Runs a maintenance job between two commits: blocks in flight keep their chain. */
  private chore<T>(work: () => T): Promise<T> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    const done = this.maintenance.add(work);
    this.gate.wake();
    this.working ??= this.work();
    return done;
  }

  /** Stores rules digests while no blocks arrive, so that they do not slow the first synchronisation. */
  private scheduleDigests(pause = DIGEST_DELAY_MS): void {
    if (this.digestTimer !== undefined || this.ended !== undefined || this.state.tip.height < this.nextDigest) return;
    this.digestTimer = setTimeout(() => void this.digestStep(), pause).unref();
  }

  private cancelDigests(): void {
    clearTimeout(this.digestTimer);
    this.digestTimer = undefined;
  }

  private async digestStep(): Promise<void> {
    this.digestTimer = undefined;
    if (!this.gate.isOpen()) return this.scheduleDigests();
    try {
      this.nextDigest = await this.chore(() => this.state.writer.digestStep());
      this.scheduleDigests(DIGEST_PAUSE_MS);
    } catch {
      // The scrub finds and reports damage. No more digests are stored until the next start.
      this.nextDigest = Infinity;
    }
  }

  private enqueue(task: Task): void {
    this.cancelDigests();
    if (this.ended !== undefined) return task.reject(this.ended);
    this.queue.push(task);
    this.working ??= this.work();
  }

  private async work(): Promise<void> {
    clearTimeout(this.timer);
    // Yield first: the caller assigns `this.working` after the call, so a synchronous finish would leave it set forever.
    await yieldToEventLoop();
    try {
      while (this.ended === undefined && (this.hasWork || this.pruning?.isUnderWay === true)) {
        if (!this.maintenance.isEmpty) await this.runMaintenance();
        else if (this.canStep) await this.step();
        else if (this.pruning?.canStep !== true) await this.gate.wait();
        this.pruneStep();
        // Messages of other threads are served between steps.
        await yieldToEventLoop();
      }
      // Without space held blocks are dropped: they were not published.
      if (this.ended instanceof ChainStopped && this.gate.isOpen()) await this.commitHeld();
    } catch (error) {
      this.fail(error);
    } finally {
      // A batch whose proofs still run at a stop is dropped: nothing of it was committed or reported.
      this.underWay = undefined;
      this.working = undefined;
      if (this.ended !== undefined) this.rejectWaiting(this.ended);
      else if (!this.held.isEmpty)
        this.timer = setTimeout(() => (this.working ??= this.work()), Math.ceil(this.held.timeLeft));
      else this.scheduleDigests();
    }
  }

  /** Held blocks need no work until they are due. */
  private get hasWork(): boolean {
    return !this.maintenance.isEmpty || this.hasBlocks;
  }

  /** Whether there are blocks, and space for them. */
  private get canStep(): boolean {
    return this.hasBlocks && this.gate.isOpen();
  }

  private get hasBlocks(): boolean {
    const waits = (task: Task): boolean => task instanceof RewindTask || task.staged < task.blocks.length;
    return this.underWay !== undefined || this.held.isDue || this.queue.some(waits);
  }

  /** Errors of a job reject its caller's promise; a failed writer ends the engine. */
  private async runMaintenance(): Promise<void> {
    await this.maintenance.next();
    const { failed } = this.state.writer;
    if (failed !== undefined) throw failed;
    // Blocks are processed between two jobs.
    if (this.ended === undefined && this.canStep) await this.step();
  }

  private lookForPruning(): void {
    this.pruning?.look(this.state.tip.height + 1, this.state.reader.floors().bodies);
  }

  /** Runs one short step of pruning, between other tasks. */
  private pruneStep(): void {
    const { pruning } = this;
    if (pruning?.isUnderWay !== true) return;
    // The space that a step needs may be that of the log, which a reader used when it was to be cut.
    if (!pruning.canStep) return void this.state.cutLog();
    const pass = pruning.step(this.state.writer);
    if (pruning.isTight) this.state.cutLog();
    if (pass === undefined) return;
    if (pass.blocks > 0) this.emit('pruned', pass);
    this.lookForPruning();
  }

  private async step(): Promise<void> {
    const next = this.main.gather(this.queue);
    const before = this.underWay;
    if (before !== undefined) {
      const clean = await this.settle(before);
      this.underWay = clean ? next : undefined;
      return;
    }
    this.underWay = next;
    if (next !== undefined) return;
    // A single task is verified on the committed chain.
    if (this.held.isEmpty) await this.single();
    else await this.commitHeld();
  }

  /** @returns false when blocks that were staged after this batch were dropped */
  private async settle(batch: Batch): Promise<boolean> {
    this.underWay = undefined;
    const { verified, refusal } = await this.main.judge(batch);
    this.held.add(verified);
    let clean = true;
    if (refusal !== undefined || this.held.isDue) clean = await this.commitHeld();
    if (refusal === undefined || !clean) return clean;
    refusal.task.settle(refusal.result);
    this.restage();
    this.resolveFinished();
    return false;
  }

  /**
   * Commits all held blocks in one transaction, then publishes them batch by batch: no listener gets thousands of blocks at once.
   * @returns false when a block was refused, and blocks that were staged after it were dropped
   */
  private async commitHeld(): Promise<boolean> {
    const batches = this.held.take();
    const all = batches.flat();
    let { height: forkHeight, hash: forkHash } = this.state.tip;
    const stored = this.main.commit(all.map(({ block }) => block));
    this.state.refreshTip(this.side.size);
    this.side.onAppend(all.slice(0, stored).map(({ block }) => block));
    let published = 0;
    for (const batch of batches) {
      const added = batch.slice(0, stored - published);
      const last = added.at(-1)?.block.facts;
      if (last === undefined) break;
      if (published > 0) await yieldToEventLoop();
      published += added.length;
      const tip = this.state.advanceTip(last.height, this.side.size);
      const source = added[0]?.task.source ?? 'sync';
      const blocks = added.map(({ block }) => addedBlock(block));
      this.announce({ kind: 'append', source, forkHeight, forkHash, added: blocks, removed: [], tip });
      ({ height: forkHeight, hash: forkHash } = last);
      for (const { task, block } of added) {
        task.settle(verdict('ADDED_TO_MAIN', block.facts.hash, block.facts.height));
      }
      this.resolveFinished();
    }
    const unstorable = all[stored];
    if (unstorable === undefined) return true;
    const { task, block } = unstorable;
    task.settle(refused(new RuleFailure('INPUT_KEYIMAGE_ALREADY_SPENT'), block.facts.hash));
    this.restage();
    this.resolveFinished();
    return false;
  }

  /** The head of the queue does not extend the main chain, and no batch is in flight. */
  private async single(): Promise<void> {
    const task = this.queue[0];
    if (task === undefined) return;
    if (task instanceof RewindTask) {
      // Until it is done it waits: after a failure of the writer the callers of all waiting tasks get the error.
      this.rewind(task);
      this.queue.shift();
      return;
    }
    task.settle(await this.addAside(task));
    this.resolveFinished();
  }

  private async addAside(task: AddTask): Promise<AddBlockResult> {
    const candidate = task.candidate(task.results.length);
    if (candidate === undefined) return unreadable();
    const { hash } = candidate.block;
    const height = this.state.reader.heightOf(hash) ?? this.side.heightOf(hash);
    if (height !== undefined) return verdict('ALREADY_EXISTS', hash, height);
    const { result, kept, switched, refusedSwitch } = await this.side.add(candidate);
    if (refusedSwitch !== undefined) this.emit('refusedSwitch', refusedSwitch);
    if (switched !== undefined) this.onSwitch(switched, task.source);
    if (kept !== undefined) {
      const tip = this.state.countAlternatives(this.side.size);
      this.announce({ kind: 'alternative', height: kept.facts.height, hash, tip });
    }
    return result;
  }

  private onSwitch({ fork, forkHash, added, removed }: Switch, source: BlockSource): void {
    const tip = this.state.countAlternatives(this.side.size);
    this.restage();
    const blocks = added.map(addedBlock);
    this.announce({ kind: 'switch', source, forkHeight: fork, forkHash, added: blocks, removed, tip });
  }

  private rewind({ height, resolve, reject }: RewindTask): void {
    const { writer, checkpoints, tip } = this.state;
    if (!Number.isInteger(height) || height < 0 || height > tip.height) {
      return reject(new RangeError(`cannot rewind to block ${String(height)}: the tip is ${String(tip.height)}`));
    }
    let removed: RemovedBlock[];
    try {
      removed = writer.rewindTo(height).map((block) => removedBlock(block, checkpoints));
    } catch (error) {
      if (error instanceof BelowFloor) return reject(error);
      throw error;
    }
    if (removed.length > 0) {
      this.state.refreshTip(this.side.size);
      this.side.onRewind();
      this.restage();
      const after = this.state.countAlternatives(this.side.size);
      const fork = { forkHeight: height, forkHash: after.hash };
      this.announce({ kind: 'switch', source: 'rewind', ...fork, added: [], removed, tip: after });
    }
    resolve();
  }

  /** The main chain was reorganised: blocks that were staged on the old chain are staged again. */
  private restage(): void {
    this.main.reset();
    for (const task of this.queue) if (task instanceof AddTask) task.unstage();
  }

  private resolveFinished(): void {
    while (this.queue[0] instanceof AddTask && this.queue[0].finished) (this.queue.shift() as AddTask).resolveResults();
  }

  private announce(event: CommitEvent): void {
    this.emit('commit', event);
    // A reorganisation removes digests, which are stored again. After an error (Infinity) no more are stored.
    if (event.kind === 'switch' && this.nextDigest !== Infinity) this.nextDigest = 0;
    if (event.kind !== 'alternative') this.lookForPruning();
  }

  private end(reason: Error): void {
    this.ended ??= reason;
    this.gate.stop();
    this.maintenance.rejectAll(reason);
    this.gate.wake();
    if (this.working === undefined && this.held.isEmpty) this.rejectWaiting(reason);
  }

  private rejectWaiting(reason: Error): void {
    for (const task of this.queue.splice(0)) task.reject(reason);
  }

  /** The database cannot be written, or the engine met an unexpected error: continuing could damage the chain. */
  private fail(error: unknown): void {
    const Failure = damageIn(error) === undefined ? ChainFailed : ChainDamaged;
    const reason = new Failure(operatorText(error), { cause: error });
    this.ended = reason;
    this.maintenance.rejectAll(reason);
    this.emit('failed', reason);
  }
}
