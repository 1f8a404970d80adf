import type { NodeLookups } from '@wrkz/client';
import { errorText } from '@wrkz/service-kit';
import type { ServedWallet, TransactionDetails, WalletTransaction } from '@wrkz/wallet-core';
import { blockDetails } from './block-details';
import { scanKeysOf } from './sync-transaction';

export interface DetailsSurroundings extends Pick<ServedWallet, 'wallet' | 'sideFile'> {
  readonly nodes: Pick<NodeLookups, 'rawBlocks'>;
  readonly warn: (text: string) => void;
  /** Milliseconds until a node that could not serve is asked again. */
  readonly retryMs?: number;
}

/** Blocks that are asked for at once. */
const AT_ONCE = 50;
const RETRY_MS = 30_000;

/**
 * Keeps what of each transaction neither the container nor `/getwalletsyncdata` holds: it is fetched once from whole blocks
 * when the transaction is found, and stands in the side file from then on (docs/operations/wallet-rpc.md#extras).
 */
export class DetailsKeeper {
  /** Hashes by the height of their block. */
  private readonly wanted = new Map<number, Set<string>>();
  private readonly ending = new AbortController();
  private working: Promise<void> | undefined;
  private retry: NodeJS.Timeout | undefined;
  private warned = '';

  constructor(private readonly surroundings: DetailsSurroundings) {}

  /** Looks for what is missing, and follows the wallet. */
  start(): void {
    const { wallet } = this.surroundings;
    wallet.on('transaction', (transaction, blockHash) => this.onFound(transaction, blockHash));
    this.want(wallet.snapshot.content.transactions);
    void this.work();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    clearTimeout(this.retry);
    await this.working;
  }

  get(hash: string): TransactionDetails | undefined {
    return this.surroundings.sideFile.extras.get(hash);
  }

  /** Writes down what is known of a transaction that is in no block. */
  put(hash: string, details: TransactionDetails): void {
    this.surroundings.sideFile.extras.put([[hash, details]]);
  }

  /** Waits, but not for ever, until what a node can tell of these transactions is here. */
  async ensure(transactions: readonly WalletTransaction[], ms = 5_000): Promise<void> {
    if (!this.want(transactions)) return;
    await Promise.race([this.work(), new Promise((resolve) => setTimeout(resolve, ms).unref())]);
  }

  private onFound(transaction: WalletTransaction, blockHash: string | undefined): void {
    const known = this.get(transaction.hash);
    const owners = transaction.transfers.map(({ publicSpendKey }) => publicSpendKey);
    const isWhole = known !== undefined && blockHash !== undefined && owners.every((key) => known.received?.has(key));
    if (isWhole) {
      if (known.blockHash !== blockHash) this.put(transaction.hash, { ...known, blockHash });
      return;
    }
    this.add(transaction);
    void this.work();
  }

  /** @returns whether any of them is missing */
  private want(transactions: readonly WalletTransaction[]): boolean {
    const { extras } = this.surroundings.sideFile;
    const missing = new Set(extras.missing(transactions.map(({ hash }) => hash)));
    if (missing.size === 0) return false;
    for (const transaction of transactions) if (missing.has(transaction.hash)) this.add(transaction);
    return true;
  }

  private add({ blockHeight, hash }: WalletTransaction): void {
    const hashes = this.wanted.get(blockHeight);
    if (hashes === undefined) this.wanted.set(blockHeight, new Set([hash]));
    else hashes.add(hash);
  }

  private work(): Promise<void> {
    return (this.working ??= this.fetchAll().finally(() => (this.working = undefined)));
  }

  private async fetchAll(): Promise<void> {
    clearTimeout(this.retry);
    try {
      while (this.wanted.size > 0 && !this.ending.signal.aborted) await this.fetchSome();
      this.warned = '';
    } catch (error) {
      if (this.ending.signal.aborted) return;
      const text = errorText(error);
      if (text !== this.warned) this.surroundings.warn(`the extras of transactions could not be fetched: ${text}`);
      this.warned = text;
      this.retry = setTimeout(() => void this.work(), this.surroundings.retryMs ?? RETRY_MS).unref();
    }
  }

  /** The newest first: those are asked for most. */
  private async fetchSome(): Promise<void> {
    const newest = Math.max(...this.wanted.keys());
    const start = Math.min(...[...this.wanted.keys()].filter((height) => height > newest - AT_ONCE));
    const { nodes, sideFile, wallet } = this.surroundings;
    const blocks = await nodes.rawBlocks(start, newest - start + 1, this.ending.signal);
    const keys = scanKeysOf(wallet.snapshot.content);
    let answered = 0;
    for (const raw of blocks) {
      const details = await blockDetails(raw, (hash) => isWanted(this.wanted, hash), keys);
      if (details.height < start || details.height > newest) continue;
      answered++;
      const known = details.transactions.map(([hash, found]) => {
        const { sent, unlockTime, mixin } = sideFile.extras.get(hash) ?? {};
        return [hash, { ...found, sent, unlockTime, mixin }] as const;
      });
      if (known.length > 0) sideFile.extras.put(known);
      this.wanted.delete(details.height);
    }
    // A block that the node no longer has is found again by the scan.
    if (answered === 0) this.wanted.delete(newest);
  }
}

function isWanted(wanted: ReadonlyMap<number, ReadonlySet<string>>, hash: string): boolean {
  for (const hashes of wanted.values()) if (hashes.has(hash)) return true;
  return false;
}
