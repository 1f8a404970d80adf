import { NodeFailure, type NodeCalls, type RawChainBlock } from '@wrkz/client';
import { errorText, EventLoopYielder } from '@wrkz/service-kit';
import type { Transfer, Wallet, StoredDetails, WalletTransaction } from '@wrkz/wallet-core';
import { blockDetails, scanKeysOf } from './blocks';

export interface DetailsCacheDependencies {
  readonly wallet: Wallet;
  readonly nodes: Pick<NodeCalls, 'rawBlocks'>;
  readonly warn: (text: string) => void;
  /** Delay before a failed request is repeated, in milliseconds. */
  readonly retryMs?: number;
}

/** Initial number of blocks per request. It is reduced when the response would be too large. */
const MAX_BATCH_BLOCKS = 50;
const RETRY_MS = 30_000;
/** Number of transactions per database lookup. */
const LOOKUP_SIZE = 200;

/**
 * Cache of transaction details that are neither in the container nor in `/getwalletsyncdata`: the full extra, and amounts of
 * other parties. They are read once from raw blocks and stored in the wallet database
 * (docs/operations/wallet-rpc.md#extras).
 */
export class TransactionDetailsCache {
  private readonly wanted = new WantedTransactions();
  private readonly ending = new AbortController();
  private working: Promise<void> | undefined;
  /** The running request to the node. */
  private step: Promise<void> | undefined;
  private retry: NodeJS.Timeout | undefined;
  private starting: Promise<void> = Promise.resolve();
  private batchSize = MAX_BATCH_BLOCKS;
  private warned = '';

  constructor(private readonly dependencies: DetailsCacheDependencies) {}

  /** Fetches missing details and subscribes to events of the wallet. */
  start(): void {
    const { wallet } = this.dependencies;
    wallet.on('transaction', (transaction, blockHash) => this.onFound(transaction, blockHash));
    this.fetchMissing();
    // The database may have been replaced, and the new one has no details.
    wallet.on('paused', (pause) => {
      if (pause === undefined) this.fetchMissing();
    });
  }

  private fetchMissing(): void {
    const { transactions } = this.dependencies.wallet.snapshot.content;
    this.starting = this.starting.then(() => this.want(transactions)).then(() => void this.work());
  }

  async stop(): Promise<void> {
    this.ending.abort();
    clearTimeout(this.retry);
    await this.starting;
    await this.working;
  }

  get(hash: string): StoredDetails | undefined {
    return this.dependencies.wallet.dbIfUsable?.details.get(hash);
  }

  /** Stores the details of an unconfirmed transaction. Does nothing without an open database. */
  put(hash: string, details: StoredDetails): void {
    this.dependencies.wallet.dbIfUsable?.details.put(hash, details);
  }

  /** Waits up to `ms` milliseconds for the details of the transactions. Does not wait while the node fails. */
  async ensure(transactions: readonly WalletTransaction[], ms = 5_000): Promise<void> {
    if (!(await this.want(transactions)) || this.retry !== undefined) return;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), ms);
    const timeout = new Promise<void>((resolve) => late.signal.addEventListener('abort', () => resolve()));
    void this.work();
    while (!late.signal.aborted && this.step !== undefined) {
      await Promise.race([this.step.catch(() => undefined), timeout]);
      if (!(await this.isMissing(transactions))) break;
    }
    clearTimeout(timer);
  }

  private onFound(transaction: WalletTransaction, blockHash: string | undefined): void {
    const known = this.get(transaction.hash);
    // The details from the pool are read again if the ledger counts other amounts, which also differ by own inputs.
    const isReceived = ({ publicSpendKey, amount }: Transfer): boolean =>
      known?.received?.get(publicSpendKey) === amount;
    if (known !== undefined && blockHash !== undefined && transaction.transfers.every(isReceived)) {
      if (known.blockHash !== blockHash) this.put(transaction.hash, { ...known, blockHash });
      return;
    }
    // A copy that became worthless must not be listed as received, even if the node fails or the service ends before the fetch.
    if (known !== undefined && blockHash === undefined) this.put(transaction.hash, { ...known, received: undefined });
    this.wanted.add(transaction.blockHeight, transaction.hash);
    void this.work();
  }

  /** Queues the missing details. @returns whether any are missing */
  private async want(transactions: readonly WalletTransaction[]): Promise<boolean> {
    let isMissing = false;
    for await (const { blockHeight, hash } of this.missing(transactions)) {
      this.wanted.add(blockHeight, hash);
      isMissing = true;
    }
    return isMissing;
  }

  private async isMissing(transactions: readonly WalletTransaction[]): Promise<boolean> {
    for await (const _one of this.missing(transactions)) return true;
    return false;
  }

  /** The transactions without details, in chunks, because there may be 100,000 transactions. */
  private async *missing(transactions: readonly WalletTransaction[]): AsyncGenerator<WalletTransaction> {
    const details = this.dependencies.wallet.dbIfUsable?.details;
    if (details === undefined) return;
    const yielder = new EventLoopYielder();
    for (let i = 0; i < transactions.length; i += LOOKUP_SIZE) {
      await yielder.yieldIfDue();
      if (this.ending.signal.aborted) return;
      yield* transactions.slice(i, i + LOOKUP_SIZE).filter(({ hash }) => !details.has(hash));
    }
  }

  private work(): Promise<void> {
    return (this.working ??= this.fetchAll().finally(() => (this.working = undefined)));
  }

  private async fetchAll(): Promise<void> {
    clearTimeout(this.retry);
    this.retry = undefined;
    try {
      while (!this.wanted.isEmpty && !this.ending.signal.aborted) {
        this.step = this.fetchSome();
        await this.step;
      }
      this.warned = '';
    } catch (error) {
      if (this.ending.signal.aborted) return;
      this.warn(`the extras of transactions could not be fetched: ${errorText(error)}`);
      this.retry = setTimeout(() => void this.work(), this.dependencies.retryMs ?? RETRY_MS).unref();
    } finally {
      this.step = undefined;
    }
  }

  /** Fetches the newest blocks first, because clients list them most often. */
  private async fetchSome(): Promise<void> {
    const run = this.wanted.newest(this.batchSize);
    if (run === undefined) return;
    const { start, end } = run;
    const blocks = await this.blocks(start, end);
    const yielder = new EventLoopYielder();
    let isServed = false;
    for (const raw of blocks) {
      await yielder.yieldIfDue();
      if (this.ending.signal.aborted) return;
      isServed = (await this.storeDetails(raw, start, end)) || isServed;
    }
    // After a reorganisation the new block is found by the scan. An unreadable block remains without details.
    if (!isServed) this.wanted.delete(end);
  }

  /** Requests raw blocks; empty if the node does not even serve one. @throws NodeFailure when no node responds */
  private async blocks(start: number, end: number): Promise<readonly RawChainBlock[]> {
    try {
      const blocks = await this.dependencies.nodes.rawBlocks(start, end - start + 1, this.ending.signal);
      this.batchSize = Math.min(MAX_BATCH_BLOCKS, this.batchSize * 2);
      return blocks;
    } catch (error) {
      const isItsSize = error instanceof NodeFailure && (error.kind === 'tooLarge' || error.kind === 'refused');
      if (!isItsSize) throw error;
      this.batchSize = Math.max(1, Math.floor((end - start + 1) / 2));
      if (start < end) return this.blocks(end - this.batchSize + 1, end);
      this.warn(`block ${String(end)} could not be fetched: ${error.message}`);
      return [];
    }
  }

  /** @returns whether the block is in the range and was stored */
  private async storeDetails(raw: RawChainBlock, start: number, end: number): Promise<boolean> {
    const { wallet } = this.dependencies;
    let details: Awaited<ReturnType<typeof blockDetails>>;
    try {
      details = await blockDetails(
        raw,
        (height, hash) => this.wanted.has(height, hash),
        scanKeysOf(wallet.snapshot.content),
        (key) => wallet.findOutput(key),
      );
    } catch (error) {
      this.warn(`a block of the node could not be read: ${errorText(error)}`);
      return false;
    }
    const { height, transactions } = details;
    if (height < start || height > end || this.ending.signal.aborted) return false;
    const known = transactions.map(([hash, found]) => {
      const { sent, unlockTime, mixin } = this.get(hash) ?? {};
      return [hash, { ...found, sent, unlockTime, mixin }] as const;
    });
    wallet.dbIfUsable?.transaction(() => known.forEach(([hash, found]) => this.put(hash, found)));
    this.wanted.delete(height);
    return true;
  }

  private warn(text: string): void {
    if (text !== this.warned) this.dependencies.warn(text);
    this.warned = text;
  }
}

/** Hashes of transactions without details, by the height of their block. */
export class WantedTransactions {
  private readonly byHeight = new Map<number, Set<string>>();

  add(height: number, hash: string): void {
    const hashes = this.byHeight.get(height) ?? new Set();
    this.byHeight.set(height, hashes.add(hash));
  }

  get isEmpty(): boolean {
    return this.byHeight.size === 0;
  }

  has(height: number, hash: string): boolean {
    return this.byHeight.get(height)?.has(hash) === true;
  }

  delete(height: number): void {
    this.byHeight.delete(height);
  }

  /** The newest height, and the lowest one less than `span` below it. Takes 1 ms for 100,000 heights, for one request. */
  newest(span: number): { readonly start: number; readonly end: number } | undefined {
    if (this.isEmpty) return undefined;
    let end = 0;
    for (const height of this.byHeight.keys()) end = Math.max(end, height);
    let start = end;
    for (const height of this.byHeight.keys()) if (height > end - span) start = Math.min(start, height);
    return { start, end };
  }
}
