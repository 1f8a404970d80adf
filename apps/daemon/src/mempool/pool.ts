import { EventEmitter } from 'node:events';
import { type ReasonCode, REASONS } from '@wrkz/consensus';
import { type ParsedTransaction, parseTransaction } from '@wrkz/core-types';
import { EventLoopYielder, type MetricFactory } from '@wrkz/service-kit';
import type { ChainCommit, CommitEvent } from '../chain/service';
import { type DoubleSpend, DoubleSpends } from './double-spends';
import { type RejectionScope, rejectionScope } from './rejection-scope';
import type { PoolValidator, TipLimits } from './chain-validator';
import { QUEUE_FULL, ValidationQueue } from './validation-queue';
import {
  FEELESS_TRANSACTIONS,
  MAX_CONCURRENT_VALIDATIONS,
  LIFETIME,
  OMITTED_SECONDS,
  POOL_BYTES,
  SLICE_MS,
  UNMINABLE_BYTES,
  WAITING_BYTES,
  WAITING_LIMIT,
} from './limits';
import { PoolTransaction, type RemovalReason } from './pool-transaction';
import { comparePriority } from './priority';
import { PoolStore } from './store';

/** `file`: the pool saved by the last run. */
export type TransactionSource = 'rpc' | 'p2p' | 'reorganisation' | 'file';

/** Validation result. For a rejection: `code` of the violated rule, `message` for clients, and `scope`. */
export interface Admission {
  readonly accepted: boolean;
  readonly hash?: Buffer;
  readonly code?: ReasonCode;
  readonly message?: string;
  readonly scope?: RejectionScope;
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
  private readonly queue = new ValidationQueue(MAX_CONCURRENT_VALIDATIONS, WAITING_LIMIT);
  /** By source: serialized bytes in validation or in the queue. */
  private readonly waitingBytes = new Map<TransactionSource, number>();
  private admissions = 0;
  private readonly stagingYielder = new EventLoopYielder(SLICE_MS);
  /** The turn of the last caller of `staging`. */
  private staged: Promise<void> = Promise.resolve();
  /** Number of changes of the main chain. */
  private commits = 0;
  /** The last count of `bytesOmitted`: number of changes of the main chain, and monotonic seconds. */
  private omitted = { commits: -1, at: 0, bytes: 0 };
  /** Number of reorganisations: a validation result from before one is discarded. */
  private chainAge = 0;
  /** The `key` of the limits against which the whole pool was last checked. */
  private limitsKey = '';
  /** Re-checks run one at a time. */
  private rechecks: Promise<void> = Promise.resolve();
  private waitingRecheck: Promise<void> | undefined;
  private readonly doubleSpends: DoubleSpends;

  constructor(
    private readonly validator: PoolValidator,
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

  /** Highest priority first. A snapshot: later changes do not affect it. */
  list(): readonly PoolTransaction[] {
    return this.store.inOrder();
  }

  hashes(): Buffer[] {
    return this.store.inOrder().map(({ hash }) => hash);
  }

  /** Validates a serialized transaction and adds it if it is valid. Never throws because of its bytes. */
  async add(bytes: Uint8Array, source: TransactionSource): Promise<Admission> {
    // The size is checked first: a decoded transaction may take far more memory than its bytes.
    if (bytes.length > this.validator.sizeLimit())
      return { accepted: false, message: REASONS.SIZE_TOO_LARGE.text, code: 'SIZE_TOO_LARGE', scope: 'here' };
    let parsed: ParsedTransaction;
    try {
      // A copy: the parsed fields are views of the buffer and would retain the whole network frame.
      parsed = parseTransaction(Buffer.from(bytes));
    } catch {
      return { accepted: false, message: POOL_TEXTS.unreadable, scope: 'everywhere' };
    }
    const hash = parsed.hash;
    const id = hash.toString('hex');
    const refuse = (message: string, code?: ReasonCode): Admission => ({
      accepted: false,
      hash,
      message,
      ...(code === undefined
        ? { scope: 'none' }
        : { code, scope: rejectionScope(code, this.validator.finality(parsed)) }),
    });
    if (this.store.get(id) !== undefined) return refuse(POOL_TEXTS.known);
    const same = this.inFlight.get(id);
    if (same !== undefined) {
      const result = await same.admission;
      // A flood of one source must not refuse the transactions of another.
      if (result === QUEUE_FULL) return same.source === source ? refuse(POOL_TEXTS.full) : this.add(bytes, source);
      return result.accepted ? refuse(POOL_TEXTS.known) : result;
    }
    // Rejected before it is queued: an input that spends nothing takes two bytes, so a flood of them would be cheap.
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
    const entry = new PoolTransaction(parsed, this.now(), this.admissions++);
    let age: number;
    do {
      await this.staging();
      if (feelessOver()) return refuse(POOL_TEXTS.tooManyFeeless);
      // Its sender has no consequence, so a transaction without a place must not take processing time.
      if (this.evictedFor(entry) === undefined) return refuse(POOL_TEXTS.full);
      const isDoubleSpend = source !== 'rpc' && entry.keyImages.some((keyImage) => this.store.spender(keyImage));
      if (isDoubleSpend && !this.doubleSpends.mayCheck(parsed.size)) return refuse(POOL_TEXTS.known);
      age = this.chainAge;
      const failure = await this.validator.validate(parsed, source !== 'rpc');
      if (failure !== undefined && age === this.chainAge) return refuse(failure.message, failure.code);
    } while (age !== this.chainAge);
    // No await from here on: pool and chain cannot change between these checks.
    if (feelessOver()) return refuse(POOL_TEXTS.tooManyFeeless);
    const spent = this.validator.checkSpent(parsed);
    if (spent === 'in block') return refuse(REASONS.INPUT_KEYIMAGE_ALREADY_SPENT.text, 'INPUT_KEYIMAGE_ALREADY_SPENT');
    const limits = this.validator.tipLimits();
    const failure = spent ?? limits.check(parsed);
    if (failure !== undefined) return refuse(failure.message, failure.code);
    if (limits.isUnlockTimeExpired(parsed.transaction.unlockTime))
      return refuse(REASONS.UNLOCK_TIME_TOO_SMALL.text, 'UNLOCK_TIME_TOO_SMALL');
    if (this.has(parsed.hash)) return refuse(POOL_TEXTS.known);
    for (const keyImage of entry.keyImages) {
      const spender = this.store.spender(keyImage);
      if (spender === undefined) continue;
      this.reportDoubleSpend(spender, parsed, keyImage);
      return refuse(POOL_TEXTS.known);
    }
    const evicted = this.evictedFor(entry);
    if (evicted === undefined) return refuse(POOL_TEXTS.full);
    this.removeAll(evicted, 'NotActual');
    this.store.add(entry);
    if (isOmitted(limits, entry)) this.omitted.bytes += entry.size;
    this.emit('added', { hash: parsed.hash, source });
    return { accepted: true, hash: parsed.hash };
  }

  /**
   * Resolves for one caller after the other, in slices of SLICE_MS: staging a large transaction reads thousands of outputs, and
   * without a yield all concurrent ones would block the event loop together.
   */
  private staging(): Promise<void> {
    return (this.staged = this.staged.then(() => this.stagingYielder.yieldIfDue()));
  }

  /**
   * Bytes of the transactions that templates omit. They are counted once for each tip and each OMITTED_SECONDS, because that takes
   * 70 ms for a full pool and a refused transaction costs its sender nothing. Additions in between are added, removals are not
   * subtracted.
   */
  private bytesOmitted(limits: TipLimits): number {
    const { commits, at } = this.omitted;
    if (commits !== this.commits || this.now() - at >= OMITTED_SECONDS) {
      const bytes = this.store.inOrder().reduce((sum, entry) => (isOmitted(limits, entry) ? sum + entry.size : sum), 0);
      this.omitted = { commits: this.commits, at: this.now(), bytes };
    }
    return this.omitted.bytes;
  }

  private reportDoubleSpend({ hash }: PoolTransaction, refused: ParsedTransaction, keyImage: string): void {
    const spend = { pooled: hash, refused: refused.hash, keyImage: Buffer.from(keyImage, 'hex') };
    if (this.doubleSpends.count(spend)) this.emit('doubleSpend', spend);
  }

  /** The lowest-priority transactions to evict for an entry; undefined if the pool has no place for it, or if one has priority over it. */
  private evictedFor(entry: PoolTransaction): PoolTransaction[] | undefined {
    const limits = this.validator.tipLimits();
    if (isOmitted(limits, entry) && this.bytesOmitted(limits) + entry.size > UNMINABLE_BYTES) return undefined;
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

  /** Removes a transaction, for example because it is invalid in a block template. */
  remove(hash: Buffer, reason: RemovalReason): void {
    const entry = this.store.get(hash.toString('hex'));
    if (entry !== undefined) this.removeAll([entry], reason);
  }

  /** Follows the main chain. Removes mined transactions at once; resolves when the rest of the pool is checked. */
  onCommit(event: CommitEvent): Promise<void> {
    if (event.kind === 'alternative') return Promise.resolve();
    this.commits += 1;
    this.dropMined(event);
    if (event.kind === 'append') return this.recheck();
    const age = (this.chainAge += 1);
    const checked = [this.restore(event), this.enqueue(() => this.revalidate(age))];
    return Promise.all(checked).then(() => undefined);
  }

  /** Removes outdated transactions and those that are no longer valid. Call it once a minute. */
  async sweep(): Promise<void> {
    await this.enqueue(() => {
      const oldest = this.now() - LIFETIME;
      return this.removeWhere(this.store.inOrder(), 'Outdated', () => (entry) => entry.receivedAt <= oldest);
    });
    await this.recheck();
  }

  private enqueue(task: () => Promise<void>): Promise<void> {
    const result = this.rechecks.then(task);
    this.rechecks = result.catch(() => undefined);
    return result;
  }

  /** Coalesces: blocks that arrive during a re-check share the next one. */
  private recheck(): Promise<void> {
    this.waitingRecheck ??= this.enqueue(() => {
      this.waitingRecheck = undefined;
      return this.removeInvalid();
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

  private async removeInvalid(): Promise<void> {
    const { key } = this.validator.tipLimits();
    if (key !== this.limitsKey) {
      await this.removeWhere(this.store.inOrder(), 'NotActual', () => {
        const limits = this.validator.tipLimits();
        return (entry) => limits.check(entry.parse()) !== undefined;
      });
      this.limitsKey = key;
    }
    // Unlock times expire with each block: the rule requires a distance to the block that includes the transaction.
    let limits = this.validator.tipLimits();
    const yielder = new EventLoopYielder(SLICE_MS);
    for (const [unlockTime, entries] of this.store.unlockTimes()) {
      if (limits.isUnlockTimeExpired(unlockTime)) this.removeAll([...entries], 'NotActual');
      if (!yielder.isDue) continue;
      await yielder.yieldIfDue();
      limits = this.validator.tipLimits();
    }
  }

  /**
   * Removes entries in slices of SLICE_MS. Entries added meanwhile were validated at a tip that is at least as new.
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
   * After a reorganisation, global indexes may refer to other outputs, so the whole pool is validated again. Ends at the next
   * reorganisation, whose revalidation decides: a full pool of small transactions takes 80 s.
   */
  private async revalidate(age: number): Promise<void> {
    // Transactions are accepted at the limits of this branch, which are not those of the last check.
    this.limitsKey = '';
    const isObsolete = (): boolean => age !== this.chainAge;
    if (isObsolete()) return;
    await inGroups(this.store.inOrder(), (entry) =>
      this.queue.run('reorganisation', async () => {
        await this.staging();
        if (isObsolete() || this.store.get(entry.id) !== entry) return;
        const failure = await this.validator.validate(entry.parse(), true);
        if (failure !== undefined && !isObsolete()) this.remove(entry.hash, 'NotActual');
      }),
    );
  }

  /**
   * Transactions of the removed blocks return to the pool. At once: the check of a full pool takes many seconds, in which a double
   * spend could be accepted, a template lack them, or a stop lose them.
   */
  private restore({ removed }: ChainCommit): Promise<void> {
    const returning = removed.flatMap((block) => block.transactions);
    return inGroups(returning, (bytes) => this.add(bytes, 'reorganisation'));
  }

  /** Removes the entries that are still in the pool. */
  private removeAll(entries: readonly PoolTransaction[], reason: RemovalReason): void {
    const removed = entries.filter(({ id }) => this.store.remove(id) !== undefined);
    if (removed.length > 0) this.emit('removed', { hashes: removed.map(({ hash }) => hash), reason });
  }
}

/** Whether templates omit a transaction, although a block may contain it. */
function isOmitted(limits: TipLimits, { size, unlockTime }: PoolTransaction): boolean {
  return size > limits.templateBytes || limits.isUnlockTimeTooNear(unlockTime);
}

/** Runs a task for each item, in groups of the max concurrency: a long list must not fill the queue. */
export async function inGroups<T>(list: readonly T[], task: (one: T) => Promise<unknown>): Promise<void> {
  const yielder = new EventLoopYielder(SLICE_MS);
  for (let start = 0; start < list.length; start += MAX_CONCURRENT_VALIDATIONS) {
    await Promise.all(list.slice(start, start + MAX_CONCURRENT_VALIDATIONS).map(task));
    await yielder.yieldIfDue();
  }
}
