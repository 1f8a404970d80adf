import { EventEmitter } from 'node:events';
import { type ReasonCode, REASONS } from '@wrkz/consensus';
import { type ParsedTransaction, parseTransaction } from '@wrkz/core-types';
import type { MetricFactory } from '@wrkz/service-kit';
import type { ChainCommit, CommitEvent } from '../chain/service';
import { TaskQueue } from '../util/task-queue';
import { type DoubleSpend, DoubleSpends } from './double-spends';
import { type Fault, faultOf } from './faults';
import type { Fitting, PoolJudge } from './judge';
import {
  FEELESS_TRANSACTIONS,
  JUDGED_AT_ONCE,
  LIFETIME,
  POOL_BYTES,
  POOL_BYTES_AFTER_EVICTION,
  WAITING_BYTES,
  WAITING_LIMIT,
} from './limits';
import { keyImagesOf, poolTransaction, type PoolTransaction, type RemovalReason } from './pool-transaction';
import { comparePriority } from './priority';
import { PoolStore } from './store';

export type TransactionSource = 'rpc' | 'p2p' | 'reorganisation';

/**
 * What became of a transaction. `code` is there where a rule refused it, `message` is what clients get, `fault` what the
 * refusal says of its sender.
 */
export interface Admission {
  readonly accepted: boolean;
  readonly hash?: Buffer;
  readonly code?: ReasonCode;
  readonly message?: string;
  readonly fault?: Fault;
}

/** Texts of the pool alone (docs/protocol/pool.md#pool-texts). */
export const POOL_TEXTS = {
  unreadable: 'Could not deserialize transaction',
  known: 'Transaction already exists in pool',
  tooManyFeeless: 'Pool already contains the maximum amount of fusion transactions',
  full: 'Transaction pool is full',
} as const;

interface PoolEvents {
  added: [{ hash: Buffer; source: TransactionSource }];
  removed: [{ hashes: Buffer[]; reason: RemovalReason }];
  /** At most one per pair of transactions, and so many per minute (double-spends.ts). */
  doubleSpend: [DoubleSpend];
}

/** The transactions that wait for a block. Lives on the main thread; its proofs run on native threads. */
export class TransactionPool extends EventEmitter<PoolEvents> {
  private readonly store = new PoolStore();
  private readonly inFlight = new Map<string, Promise<Admission>>();
  private readonly queue = new TaskQueue(JUDGED_AT_ONCE, WAITING_LIMIT);
  private waitingBytes = 0;
  private admissions = 0;
  /** Counts reorganisations: a verdict reached on another chain does not count. */
  private chainAge = 0;
  /** The `measure` of the fitting that the whole pool was last checked against. */
  private measure = '';
  private settling: Promise<void> = Promise.resolve();
  private readonly doubleSpends: DoubleSpends;

  constructor(
    private readonly judge: PoolJudge,
    /** Seconds on a clock that never steps: a machine's clock set forward must not empty the pool. */
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

  /** In the order of priority. */
  list(): readonly PoolTransaction[] {
    return this.store.inOrder();
  }

  hashes(): Buffer[] {
    return this.store.inOrder().map((entry) => entry.parsed.hash);
  }

  /** Judges a serialized transaction and keeps it when every rule holds. Never throws for what the bytes are. */
  async add(bytes: Uint8Array, source: TransactionSource): Promise<Admission> {
    // The size is checked before anything is decoded: decoded, a transaction may take far more memory than its bytes.
    if (bytes.length > this.judge.sizeLimit())
      return { accepted: false, message: REASONS.SIZE_TOO_LARGE.text, code: 'SIZE_TOO_LARGE', fault: 'here' };
    let parsed: ParsedTransaction;
    try {
      // A copy: the parsed parts are views, and the pool must not keep a whole network frame alive.
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
    if (same !== undefined) return (await same).accepted ? refuse(POOL_TEXTS.known) : same;
    // An input that spends nothing takes two bytes, so a flood of them would be cheap: refused before the queue.
    if (parsed.fee === undefined) return refuse(REASONS.INPUT_UNKNOWN_TYPE.text, 'INPUT_UNKNOWN_TYPE');
    const flooded = this.queue.full || this.waitingBytes + parsed.size > WAITING_BYTES;
    if (flooded && source !== 'reorganisation') return refuse(POOL_TEXTS.full);
    this.waitingBytes += parsed.size;
    const admission = this.queue.run(() => this.admit(parsed, source, refuse));
    this.inFlight.set(id, admission);
    try {
      return await admission;
    } finally {
      this.waitingBytes -= parsed.size;
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
    // From here to the end nothing is awaited, so that pool and chain cannot change between these checks.
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
    const worst = this.store.worst();
    const over = this.store.bytes + entry.size > POOL_BYTES;
    if (over && (worst === undefined || comparePriority(entry, worst) > 0)) return refuse(POOL_TEXTS.full);
    this.store.add(entry);
    if (over) this.evict();
    this.emit('added', { hash: parsed.hash, source });
    return { accepted: true, hash: parsed.hash };
  }

  private reportDoubleSpend({ parsed }: PoolTransaction, refused: ParsedTransaction, keyImage: string): void {
    const spend = { pooled: parsed.hash, refused: refused.hash, keyImage: Buffer.from(keyImage, 'hex') };
    if (this.doubleSpends.count(spend)) this.emit('doubleSpend', spend);
  }

  private evict(): void {
    const gone: PoolTransaction[] = [];
    for (let worst = this.store.worst(); worst !== undefined; worst = this.store.worst()) {
      if (this.store.bytes <= POOL_BYTES_AFTER_EVICTION) break;
      this.store.remove(worst.id);
      gone.push(worst);
    }
    this.announceRemoved(gone, 'NotActual');
  }

  /** Takes a transaction out, e.g. because a template found that it no longer fits. */
  remove(hash: Buffer, reason: RemovalReason): void {
    const entry = this.store.remove(hash.toString('hex'));
    if (entry !== undefined) this.announceRemoved([entry], reason);
  }

  /** Follows the main chain. Resolves when the pool is settled after a reorganisation. */
  onCommit(event: CommitEvent): Promise<void> {
    if (event.kind === 'alternative') return Promise.resolve();
    this.dropMined(event);
    if (event.kind === 'append') {
      const fitting = this.judge.fitting();
      if (fitting.measure !== this.measure) this.dropMisfits(fitting);
      this.dropLapsed(fitting);
      return Promise.resolve();
    }
    this.chainAge += 1;
    this.settling = this.settling.then(() => this.judgeAgain(event));
    return this.settling;
  }

  /** Drops what has waited too long and what no longer fits. Called once a minute. */
  sweep(): void {
    const oldest = this.now() - LIFETIME;
    const outdated = this.store.inOrder().filter((entry) => entry.receivedAt <= oldest);
    for (const entry of outdated) this.store.remove(entry.id);
    this.announceRemoved(outdated, 'Outdated');
    const fitting = this.judge.fitting();
    this.dropMisfits(fitting);
    this.dropLapsed(fitting);
  }

  private dropMined(event: ChainCommit): void {
    const mined: PoolTransaction[] = [];
    const spent: PoolTransaction[] = [];
    const take = (entry: PoolTransaction | undefined, into: PoolTransaction[]): void => {
      if (entry !== undefined && this.store.remove(entry.id) !== undefined) into.push(entry);
    };
    for (const block of event.added) {
      for (const hash of block.transactionHashes) take(this.store.get(hash.toString('hex')), mined);
      for (const keyImage of block.keyImages) take(this.store.spender(keyImage.toString('hex')), spent);
    }
    this.announceRemoved(mined, 'InBlock');
    this.announceRemoved(spent, 'NotActual');
  }

  private dropMisfits(fitting: Fitting): void {
    this.measure = fitting.measure;
    const gone = this.store.inOrder().filter((entry) => fitting.refuses(entry.parsed) !== undefined);
    for (const entry of gone) this.store.remove(entry.id);
    this.announceRemoved(gone, 'NotActual');
  }

  /** An unlock time must lie some blocks ahead of the block that holds it: what has waited too long for that is dead. */
  private dropLapsed(fitting: Fitting): void {
    const lapsed = this.store.unlockingAt((unlockTime) => fitting.isLapsed(unlockTime));
    for (const entry of lapsed) this.store.remove(entry.id);
    this.announceRemoved(lapsed, 'NotActual');
  }

  /**
   * After a reorganisation rings may name other outputs: the pool is judged anew, the removed blocks' transactions
   * return.
   */
  private async judgeAgain(event: ChainCommit): Promise<void> {
    await inGroups([...this.store.inOrder()], (entry) =>
      this.queue.run(async () => {
        if ((await this.judge.judge(entry.parsed)) !== undefined) this.remove(entry.parsed.hash, 'NotActual');
      }),
    );
    const returning = event.removed.flatMap((block) => block.transactions);
    await inGroups(returning, (bytes) => this.add(bytes, 'reorganisation'));
  }

  private announceRemoved(entries: readonly PoolTransaction[], reason: RemovalReason): void {
    if (entries.length > 0) this.emit('removed', { hashes: entries.map((entry) => entry.parsed.hash), reason });
  }
}

/** As many at a time as are judged at once, so that a long list leaves places in the queue to others. */
async function inGroups<T>(list: readonly T[], task: (one: T) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < list.length; start += JUDGED_AT_ONCE) {
    await Promise.all(list.slice(start, start + JUDGED_AT_ONCE).map(task));
  }
}
