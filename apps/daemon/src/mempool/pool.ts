import { EventEmitter } from 'node:events';
import { type ReasonCode, REASONS } from '@wrkz/consensus';
import { type ParsedTransaction, parseTransaction } from '@wrkz/core-types';
import { EventLoopYielder, type MetricFactory } from '@wrkz/service-kit';
import type { ChainCommit, CommitEvent } from '../chain/service';
import { type DoubleSpend, DoubleSpends } from './double-spends';
import { type Fault, faultOf } from './faults';
import type { PoolJudge } from './judge';
import { JudgeQueue, QUEUE_FULL } from './judge-queue';
import {
  FEELESS_TRANSACTIONS,
  JUDGED_AT_ONCE,
  LIFETIME,
  POOL_BYTES,
  SLICE_MS,
  WAITING_BYTES,
  WAITING_LIMIT,
} from './limits';
import { keyImagesOf, poolTransaction, type PoolTransaction, type RemovalReason } from './pool-transaction';
import { comparePriority } from './priority';
import { PoolStore } from './store';

/** `file`: the pool of the last run. */
export type TransactionSource = 'rpc' | 'p2p' | 'reorganisation' | 'file';

/** The verdict on a transaction: `code` of the rule that refused it, `message` for clients, `fault` of its sender. */
export interface Admission {
  readonly accepted: boolean;
  readonly hash?: Buffer;
  readonly code?: ReasonCode;
  readonly message?: string;
  readonly fault?: Fault;
}

/** Refusal texts of the pool itself (docs/protocol/pool.md#pool-texts). */
const POOL_TEXTS = {
  unreadable: 'Could not deserialize transaction',
  known: 'Transaction already exists in pool',
  tooManyFeeless: 'Pool already contains the maximum amount of fusion transactions',
  full: 'Transaction pool is full',
} as const;

interface PoolEvents {
  added: [{ hash: Buffer; source: TransactionSource }];
  removed: [{ hashes: Buffer[]; reason: RemovalReason }];
  /** Rate-limited (double-spends.ts). */
  doubleSpend: [DoubleSpend];
}

/** The memory pool (mempool): valid transactions that no block holds yet. Runs on the main thread, proofs on native threads. */
export class TransactionPool extends EventEmitter<PoolEvents> {
  private readonly store = new PoolStore();
  private readonly inFlight = new Map<
    string,
    { readonly source: TransactionSource; readonly admission: Promise<Admission | typeof QUEUE_FULL> }
  >();
  private readonly queue = new JudgeQueue(JUDGED_AT_ONCE, WAITING_LIMIT);
  /** By source: transactions that are judged or wait. */
  private readonly waitingBytes = new Map<TransactionSource, number>();
  private admissions = 0;
  /** Counts reorganisations: a verdict reached on another chain is discarded. */
  private chainAge = 0;
  /** The `measure` of the fitting against which the whole pool was last checked. */
  private measure = '';
  /** Re-checks run one at a time. */
  private rechecks: Promise<void> = Promise.resolve();
  private waitingRecheck: Promise<void> | undefined;
  private readonly doubleSpends: DoubleSpends;

  constructor(
    private readonly judge: PoolJudge,
    /** Monotonic seconds: setting the system clock must not empty the pool. */
    private readonly now: () => number = () => Math.floor(performance.now() / 1000),
  ) {
    super();
    this.doubleSpends = new DoubleSpends(now);
  }

  publish(metrics: MetricFactory): void {
    this.doubleSpends.publish(metrics);
  }

  get size(): number {
    return this.store.size;
  }

  get bytes(): number {
    return this.store.bytes;
  }

  /** Grows with every change of the pool. */
  get revision(): number {
    return this.store.revision;
  }

  has(hash: Buffer): boolean {
    return this.store.get(hash.toString('hex')) !== undefined;
  }

  get(hash: Buffer): PoolTransaction | undefined {
    return this.store.get(hash.toString('hex'));
  }

  /** Best first. The array does not change with the pool. */
  list(): readonly PoolTransaction[] {
    return this.store.inOrder();
  }

  hashes(): Buffer[] {
    return this.store.inOrder().map((entry) => entry.parsed.hash);
  }

  /** Judges a serialized transaction and adds it if it is valid. Never throws because of its bytes. */
  async add(bytes: Uint8Array, source: TransactionSource): Promise<Admission> {
    // The size is checked before anything is decoded: decoded, a transaction may take far more memory than its bytes.
    if (bytes.length > this.judge.sizeLimit())
      return { accepted: false, message: REASONS.SIZE_TOO_LARGE.text, code: 'SIZE_TOO_LARGE', fault: 'here' };
    let parsed: ParsedTransaction;
    try {
      // A copy: the parsed parts are views and would retain the whole network frame.
      parsed = parseTransaction(Buffer.from(bytes));
    } catch {
      return { accepted: false, message: POOL_TEXTS.unreadable, fault: 'everywhere' };
    }
    const hash = parsed.hash;
    const id = hash.toString('hex');
    const refuse = (message: string, code?: ReasonCode): Admission => ({
      accepted: false,
      hash,
      message,
      ...(code === undefined ? { fault: 'none' } : { code, fault: faultOf(code, this.judge.ground(parsed)) }),
    });
    if (this.store.get(id) !== undefined) return refuse(POOL_TEXTS.known);
    const same = this.inFlight.get(id);
    if (same !== undefined) {
      const result = await same.admission;
      // A flood of one source must not refuse the transactions of another.
      if (result === QUEUE_FULL) return same.source === source ? refuse(POOL_TEXTS.full) : this.add(bytes, source);
      return result.accepted ? refuse(POOL_TEXTS.known) : result;
    }
    // Before the queue: an input that spends nothing takes two bytes, so a flood of them would be cheap.
    if (parsed.fee === undefined) return refuse(REASONS.INPUT_UNKNOWN_TYPE.text, 'INPUT_UNKNOWN_TYPE');
    const waiting = this.waitingBytes.get(source) ?? 0;
    if (waiting + parsed.size > WAITING_BYTES && source !== 'reorganisation') return refuse(POOL_TEXTS.full);
    this.waitingBytes.set(source, waiting + parsed.size);
    const admission = this.queue.run(source, () => this.admit(parsed, source, refuse));
    this.inFlight.set(id, { source, admission });
    try {
      const result = await admission;
      return result === QUEUE_FULL ? refuse(POOL_TEXTS.full) : result;
    } finally {
      this.waitingBytes.set(source, (this.waitingBytes.get(source) ?? 0) - parsed.size);
      this.inFlight.delete(id);
    }
  }

  private async admit(
    parsed: ParsedTransaction,
    source: TransactionSource,
    refuse: (message: string, code?: ReasonCode) => Admission,
  ): Promise<Admission> {
    const feelessOver = (): boolean => parsed.fee === 0n && this.store.feeless >= FEELESS_TRANSACTIONS;
    let age: number;
    do {
      if (feelessOver()) return refuse(POOL_TEXTS.tooManyFeeless);
      age = this.chainAge;
      const failure = await this.judge.judge(parsed);
      if (failure !== undefined && age === this.chainAge) return refuse(failure.message, failure.code);
    } while (age !== this.chainAge);
    // No await from here on: pool and chain cannot change between these checks.
    if (feelessOver()) return refuse(POOL_TEXTS.tooManyFeeless);
    const settled = this.judge.settled(parsed);
    if (settled === 'in block')
      return refuse(REASONS.INPUT_KEYIMAGE_ALREADY_SPENT.text, 'INPUT_KEYIMAGE_ALREADY_SPENT');
    const fitting = this.judge.fitting();
    const misfit = settled ?? fitting.refuses(parsed);
    if (misfit !== undefined) return refuse(misfit.message, misfit.code);
    if (fitting.isLapsed(parsed.transaction.unlockTime))
      return refuse(REASONS.UNLOCK_TIME_TOO_SMALL.text, 'UNLOCK_TIME_TOO_SMALL');
    if (this.has(parsed.hash)) return refuse(POOL_TEXTS.known);
    for (const keyImage of keyImagesOf(parsed)) {
      const spender = this.store.spender(keyImage);
      if (spender === undefined) continue;
      this.reportDoubleSpend(spender, parsed, keyImage);
      return refuse(POOL_TEXTS.known);
    }
    const entry = poolTransaction(parsed, this.now(), this.admissions++);
    const evicted = this.evictedFor(entry);
    if (evicted === undefined) return refuse(POOL_TEXTS.full);
    this.removeAll(evicted, 'NotActual');
    this.store.add(entry);
    this.emit('added', { hash: parsed.hash, source });
    return { accepted: true, hash: parsed.hash };
  }

  private reportDoubleSpend({ parsed }: PoolTransaction, refused: ParsedTransaction, keyImage: string): void {
    const spend = { pooled: parsed.hash, refused: refused.hash, keyImage: Buffer.from(keyImage, 'hex') };
    if (this.doubleSpends.count(spend)) this.emit('doubleSpend', spend);
  }

  /** The worst transactions that make room for an entry; undefined if one of them is better than the entry. */
  private evictedFor(entry: PoolTransaction): PoolTransaction[] | undefined {
    let excess = this.store.bytes + entry.size - POOL_BYTES;
    const evicted: PoolTransaction[] = [];
    if (excess <= 0) return evicted;
    for (const worst of this.store.fromWorst()) {
      if (comparePriority(entry, worst) > 0) return undefined;
      evicted.push(worst);
      excess -= worst.size;
      if (excess <= 0) return evicted;
    }
    return undefined;
  }

  /** Removes a transaction, e.g. because it does not fit a template. */
  remove(hash: Buffer, reason: RemovalReason): void {
    const entry = this.store.get(hash.toString('hex'));
    if (entry !== undefined) this.removeAll([entry], reason);
  }

  /** Follows the main chain. Mined transactions leave at once; resolves when the rest of the pool is checked. */
  onCommit(event: CommitEvent): Promise<void> {
    if (event.kind === 'alternative') return Promise.resolve();
    this.dropMined(event);
    if (event.kind === 'append') return this.recheck();
    this.chainAge += 1;
    return this.enqueue(() => this.judgeAgain(event));
  }

  /** Removes outdated transactions and those that no longer fit. Call it once a minute. */
  async sweep(): Promise<void> {
    await this.enqueue(() => {
      const oldest = this.now() - LIFETIME;
      return this.removeWhere(this.store.inOrder(), 'Outdated', () => (entry) => entry.receivedAt <= oldest);
    });
    this.measure = '';
    await this.recheck();
  }

  private enqueue(task: () => Promise<void>): Promise<void> {
    const result = this.rechecks.then(task);
    this.rechecks = result.catch(() => undefined);
    return result;
  }

  /** Many blocks in a row share one re-check, which starts after the running one. */
  private recheck(): Promise<void> {
    this.waitingRecheck ??= this.enqueue(() => {
      this.waitingRecheck = undefined;
      return this.removeMisfits();
    });
    return this.waitingRecheck;
  }

  private dropMined({ added }: ChainCommit): void {
    const found = (entry: PoolTransaction | undefined): PoolTransaction[] => (entry === undefined ? [] : [entry]);
    const mined = added.flatMap(({ transactionHashes }) =>
      transactionHashes.flatMap((hash) => found(this.store.get(hash.toString('hex')))),
    );
    this.removeAll(mined, 'InBlock');
    const spent = added.flatMap(({ keyImages }) =>
      keyImages.flatMap((keyImage) => found(this.store.spender(keyImage.toString('hex')))),
    );
    this.removeAll(spent, 'NotActual');
  }

  private async removeMisfits(): Promise<void> {
    const { measure } = this.judge.fitting();
    if (measure !== this.measure) {
      await this.removeWhere(this.store.inOrder(), 'NotActual', () => {
        const fitting = this.judge.fitting();
        return ({ parsed }) => fitting.refuses(parsed) !== undefined;
      });
      this.measure = measure;
    }
    // The unlock time must be some blocks above the block that holds the transaction.
    let fitting = this.judge.fitting();
    const yielder = new EventLoopYielder(SLICE_MS);
    for (const [unlockTime, entries] of this.store.unlockTimes()) {
      if (fitting.isLapsed(unlockTime)) this.removeAll([...entries], 'NotActual');
      if (!yielder.isDue) continue;
      await yielder.yieldIfDue();
      fitting = this.judge.fitting();
    }
  }

  /**
   * Removes entries in slices of SLICE_MS. Entries added meanwhile were judged at a tip that is at least as new.
   * @param predicateAtTip called at the start of each slice, because the chain may have changed
   */
  private async removeWhere(
    entries: readonly PoolTransaction[],
    reason: RemovalReason,
    predicateAtTip: () => (entry: PoolTransaction) => boolean,
  ): Promise<void> {
    const yielder = new EventLoopYielder(SLICE_MS);
    let found: PoolTransaction[] = [];
    let isRemoved = predicateAtTip();
    for (const entry of entries) {
      if (this.store.get(entry.id) === entry && isRemoved(entry)) found.push(entry);
      if (!yielder.isDue) continue;
      this.removeAll(found, reason);
      found = [];
      await yielder.yieldIfDue();
      isRemoved = predicateAtTip();
    }
    this.removeAll(found, reason);
  }

  /**
   * After a reorganisation, ring members may be other outputs: the whole pool is judged again. Transactions of the removed
   * blocks return to the pool.
   */
  private async judgeAgain(event: ChainCommit): Promise<void> {
    await inGroups(this.store.inOrder(), (entry) =>
      this.queue.run('reorganisation', async () => {
        if (this.store.get(entry.id) !== entry) return;
        const age = this.chainAge;
        const failure = await this.judge.judge(entry.parsed);
        // After another reorganisation the pool is judged once more.
        if (failure !== undefined && age === this.chainAge) this.remove(entry.parsed.hash, 'NotActual');
      }),
    );
    const returning = event.removed.flatMap((block) => block.transactions);
    await inGroups(returning, (bytes) => this.add(bytes, 'reorganisation'));
  }

  /** Removes the entries that are still in the pool. */
  private removeAll(entries: readonly PoolTransaction[], reason: RemovalReason): void {
    const removed = entries.filter(({ id }) => this.store.remove(id) !== undefined);
    if (removed.length > 0) this.emit('removed', { hashes: removed.map(({ parsed }) => parsed.hash), reason });
  }
}

/** Groups of as many as are judged at once, so that a long list leaves places in the queue to others. */
export async function inGroups<T>(list: readonly T[], task: (one: T) => Promise<unknown>): Promise<void> {
  const yielder = new EventLoopYielder(SLICE_MS);
  for (let start = 0; start < list.length; start += JUDGED_AT_ONCE) {
    await Promise.all(list.slice(start, start + JUDGED_AT_ONCE).map(task));
    await yielder.yieldIfDue();
  }
}
