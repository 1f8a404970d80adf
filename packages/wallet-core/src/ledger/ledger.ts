import { PackedBlock, type SyncBlock } from '@wrkz/client/reading';
import { groupBy } from '@wrkz/service-kit/base';
import { applyPlan, planBlock, relevantPart, requireValidValues, retireSpent } from './apply-block';
import { crossesCheckpoint, MAX_RECENT_HASHES } from './chain-progress';
import { ReceivedImages } from './key-image-filter';
import { type HeldTransaction, lockHeld, mergedHold, withoutHeld } from './held-transactions';
import {
  type LedgerChange,
  LedgerFault,
  type OwnOutputFound,
  type PendingSend,
  type RetiredOutput,
  type SubWallet,
  type SyncProgress,
  type TransactionKey,
  type UnindexedOutput,
  type UnverifiedBlock,
  type WalletContent,
  type WalletTransaction,
} from './model';
import type { OutputPlace } from './output-book';
import { recordOwnSend, releaseAbandoned, releaseSend, restoreSends } from './own-sends';
import { rewindTo } from './rewind';
import { runToEnd, type LedgerParts, partsOf } from './state';

/** The keys of a wallet as hex; no private spend key in a view wallet. */
export interface LedgerKeys {
  readonly privateViewKey: string;
  readonly spendKeys: readonly Pick<SubWallet, 'publicSpendKey' | 'privateSpendKey'>[];
}

/** The part of a ledger that the synchronization uses. */
export type SyncLedger = Pick<
  Ledger,
  | 'position'
  | 'progress'
  | 'scanKeys'
  | 'scanStart'
  | 'startAt'
  | 'apply'
  | 'rewind'
  | 'markTip'
  | 'setGlobalIndexes'
  | 'unindexedOutputs'
  | 'hasOwnSpend'
  | 'unverifiedBlocks'
  | 'markVerified'
>;

/** The changes since the previous `takeChanges`, in order. */
interface TakenChanges {
  readonly changes: readonly LedgerChange[];
  readonly retired: readonly RetiredOutput[];
}

const KEY_BYTES = 32;
const NOTHING_RECEIVED = new ReceivedImages();

type ConstantFields = Pick<WalletContent, 'privateViewKey' | 'isViewWallet' | 'unknownFields'>;

/**
 * Outputs, transactions and scan progress of a wallet. Pure state: no files, nodes or clocks. One writer changes it; readers
 * use `content`, whose values are immutable (docs/protocol/wallet.md#the-ledger). Every change is queued as a
 * `LedgerChange` until `takeChanges`.
 */
export class Ledger {
  private constant: ConstantFields;
  private subWalletIndexCounter: number;
  private keys: LedgerKeys | undefined;
  private start: { readonly height: number; readonly timestamp: number };
  private changes: LedgerChange[] = [];
  private retired: RetiredOutput[] = [];

  /**
   * Loads the content synchronously. Use `loading` for large contents.
   * @param retiredFrom returns the retired outputs that were spent at or above a height
   */
  constructor(
    content: WalletContent,
    private readonly retiredFrom: (spendHeight: number) => readonly RetiredOutput[] = () => [],
    private readonly parts: LedgerParts = runToEnd(partsOf(content)),
  ) {
    const { privateViewKey, isViewWallet, unknownFields, startHeight, startTimestamp } = content;
    this.constant = { privateViewKey, isViewWallet, unknownFields };
    this.subWalletIndexCounter = content.subWalletIndexCounter;
    this.start = { height: startHeight, timestamp: startTimestamp };
  }

  /** Loads a content of any size as a generator that can be interrupted. */
  static *loading(
    content: WalletContent,
    retiredFrom?: (spendHeight: number) => readonly RetiredOutput[],
  ): Generator<void, Ledger> {
    return new Ledger(content, retiredFrom, yield* partsOf(content));
  }

  /** Returns the queued changes and empties the queue. */
  takeChanges(): TakenChanges {
    const taken = { changes: this.changes, retired: this.retired };
    this.changes = [];
    this.retired = [];
    return taken;
  }

  /** Puts changes that could not be stored back to the front of the queue. */
  putBack({ changes, retired }: TakenChanges): void {
    this.changes = [...changes, ...this.changes];
    this.retired = [...retired, ...this.retired];
  }

  get hasChanges(): boolean {
    return this.changes.length > 0;
  }

  /** Whether the queue has other changes than blocks without transactions of the wallet. */
  get hasMoneyChanges(): boolean {
    return this.changes.some(({ kind }) => kind !== 'advance');
  }

  /** Applies a logged change again, without queueing it. */
  replay(change: LedgerChange): void {
    switch (change.kind) {
      case 'block':
        this.apply(change.block, change.found, new Map(change.paymentIds), change.verified !== false);
        break;
      case 'verified':
        this.markVerified(change.height);
        break;
      case 'advance':
        for (const [height, hash] of change.blocks) this.markTip(height, hash);
        break;
      case 'rewind':
        this.rewind(change.height);
        break;
      case 'indexes':
        this.setGlobalIndexes(new Map(change.indexes), change.replace);
        break;
      case 'send':
        this.recordSend(change.send);
        break;
      case 'release':
        if (change.keepKey) this.cancelSend(change.hash);
        else this.forgetSend(change.hash);
        break;
      case 'transactionKey':
        this.setTransactionKey(change.key);
        break;
      case 'releaseAbandoned':
        this.releaseAbandoned();
        break;
      case 'addSubWallet':
        this.addSubWallet(change.subWallet, change.counter);
        break;
      case 'removeSubWallet':
        this.removeSubWallet(change.publicSpendKey);
        break;
      case 'startAt':
        this.startAt(change.height);
        break;
      case 'reset':
        this.reset(change.scanHeight);
    }
    this.takeChanges();
  }

  /** The last block that was applied or marked as scanned; height 0 without a hash before the first one. */
  position(): { readonly height: number; readonly hash: string | undefined } {
    return this.parts.progress.position;
  }

  /** Height of the last applied block. Blocks that were only marked as scanned do not count. */
  get appliedHeight(): number {
    return this.parts.progress.appliedHeight;
  }

  /** Set after loading, because a container does not store this height. */
  set appliedHeight(height: number) {
    this.parts.progress.appliedHeight = height;
  }

  progress(): SyncProgress {
    return this.parts.progress.content();
  }

  /**
   * Applies a block. A block that is not above the last one is a reorganisation: the replaced blocks are rewound first.
   * @param decryptedPaymentIds short payment ids that the scanner decrypted, by transaction hash
   * @param isVerified false: the outputs of the block stay locked until `markVerified`
   * @returns new transactions of the wallet including own sends, in block order
   * @throws LedgerFault for values that are impossible in a chain; the ledger is then unchanged
   */
  apply(
    block: SyncBlock,
    found: readonly OwnOutputFound[],
    decryptedPaymentIds: ReadonlyMap<string, string>,
    isVerified = true,
  ): readonly WalletTransaction[] {
    requireValidValues(block);
    const { progress } = this.parts;
    if (progress.hasStarted && block.height <= progress.height) this.rewind(block.height);
    if (found.length === 0 && !this.concerns(block)) {
      this.retired.push(...retireSpent(this.parts, progress.height, block.height));
      this.queueAdvance(block.height, block.hash);
      progress.advance(block.height, block.hash);
      progress.appliedHeight = block.height;
      return [];
    }
    const plan = planBlock(this.parts, block, found);
    const relevant = relevantPart(this.parts, block, plan, found);
    this.retired.push(...retireSpent(this.parts, progress.height, block.height));
    if (relevant === undefined) this.queueAdvance(block.height, block.hash);
    else {
      const paymentIds = [...decryptedPaymentIds];
      this.changes.push({ kind: 'block', ...relevant, paymentIds, ...(!isVerified && { verified: false }) });
    }
    const transactions = applyPlan(this.parts, block, plan, decryptedPaymentIds, isVerified);
    progress.advance(block.height, block.hash);
    progress.appliedHeight = block.height;
    return transactions;
  }

  /** Removes all blocks from `height` on. Own sends become unconfirmed again, and their inputs stay locked. */
  rewind(height: number): void {
    for (const retired of this.retiredFrom(height)) this.parts.outputs.restore(retired);
    this.changes.push({ kind: 'rewind', height });
    rewindTo(this.parts, height);
    // The removed blocks may have had larger outputs with the keys of the expected ones.
    for (const transaction of this.parts.held.values()) lockHeld(this.parts.outputs, transaction);
  }

  /** Marks the blocks up to this one as scanned, without applying them. */
  markTip(height: number, hash: string): void {
    const { progress } = this.parts;
    if (height < progress.height) return;
    this.retired.push(...retireSpent(this.parts, progress.height, height));
    progress.advance(height, hash);
    this.queueAdvance(height, hash);
  }

  /**
   * Unlocks outputs that no pending send spends. Call it only after the whole chain was scanned: only then every spent output
   * is in `spent`.
   */
  releaseAbandoned(): void {
    if (releaseAbandoned(this.parts)) this.changes.push({ kind: 'releaseAbandoned' });
  }

  /** Own outputs without a known global index; empty for a view wallet, which needs no indexes. */
  unindexedOutputs(): readonly UnindexedOutput[] {
    return this.constant.isViewWallet ? [] : this.parts.outputs.unindexedOutputs();
  }

  /** Unverified blocks with transactions of the wallet, oldest first. */
  unverifiedBlocks(): readonly UnverifiedBlock[] {
    const { history, outputs } = this.parts;
    const blocks = groupBy(history.unverified(), ({ blockHeight }) => blockHeight);
    if (blocks.size === 0) return [];
    const outputsOf = groupBy(outputs.unverified(), ({ blockHeight }) => blockHeight);
    const spentOf = groupBy(outputs.spent(), ({ spendHeight }) => spendHeight);
    return Array.from(blocks, ([height, transactions]) => {
      const hash = transactions[0]?.unverifiedBlock ?? '';
      return { height, hash, transactions, outputs: outputsOf.get(height) ?? [], spent: spentOf.get(height) ?? [] };
    });
  }

  /** Marks the contents of a block as verified. @returns its updated transactions */
  markVerified(height: number): readonly WalletTransaction[] {
    const transactions = this.parts.history.markVerified(height);
    if (transactions.length === 0) return transactions;
    this.parts.outputs.markVerified(height);
    this.changes.push({ kind: 'verified', height });
    return transactions;
  }

  /**
   * Whether a block spends an own output.
   * @param received key images of outputs that were found but not applied yet
   */
  hasOwnSpend(block: SyncBlock, received: ReceivedImages): boolean {
    const { outputs } = this.parts;
    if (block instanceof PackedBlock) {
      const images = block.keyImages;
      for (let at = 0; at < images.length; at += KEY_BYTES) {
        // The filter excludes most key images before they are converted to strings.
        if (!outputs.imageFilter.mayHave(images, at) && !received.filter.mayHave(images, at)) continue;
        const keyImage = images.toString('hex', at, at + KEY_BYTES);
        if (received.has(keyImage) || outputs.findByKeyImage(keyImage) !== undefined) return true;
      }
      return false;
    }
    return block.transactions.some(({ inputs }) =>
      inputs.some(({ keyImage }) => received.has(keyImage) || outputs.findByKeyImage(keyImage) !== undefined),
    );
  }

  /** Whether a block without new own outputs may change anything but the scan position. */
  private concerns(block: SyncBlock): boolean {
    const { history, held } = this.parts;
    if (this.hasOwnSpend(block, NOTHING_RECEIVED)) return true;
    if (!history.hasSends && held.size === 0) return false;
    return [block.coinbase, ...block.transactions].some(
      (transaction) =>
        transaction !== undefined && (history.send(transaction.hash) !== undefined || held.has(transaction.hash)),
    );
  }

  unconfirmedHashes(): readonly string[] {
    return this.parts.history.content().unconfirmed.map(({ hash }) => hash);
  }

  /** Whether an unconfirmed send with this hash is recorded. */
  hasSend(hash: string): boolean {
    return this.parts.history.send(hash) !== undefined;
  }

  confirmed(hash: string): WalletTransaction | undefined {
    return this.parts.history.confirmedTransaction(hash);
  }

  /** An own output by its one-time key, with the name of its list. */
  findOutput(key: string): Pick<OutputPlace, 'list' | 'output'> | undefined {
    return this.parts.outputs.find(key);
  }

  /**
   * @param indexes global indexes of all outputs of a transaction, by transaction hash
   * @param replace whether to overwrite known indexes
   */
  setGlobalIndexes(indexes: ReadonlyMap<string, readonly number[]>, replace = false): void {
    if (indexes.size === 0) return;
    for (const [transactionHash, list] of indexes) this.parts.outputs.setIndexes(transactionHash, list, replace);
    this.changes.push({ kind: 'indexes', indexes: [...indexes], ...(replace && { replace }) });
  }

  /** @throws LedgerFault when the hash is already recorded or an input is not available; the ledger is then unchanged */
  recordSend(send: PendingSend): void {
    recordOwnSend(this.parts, send);
    this.changes.push({ kind: 'send', send });
  }

  /** Locks the inputs of recorded sends and expects their outputs. Not logged: it is repeated at every start. */
  restoreSends(sends: readonly PendingSend[]): void {
    restoreSends(this.parts, sends);
  }

  /** Unlocks the inputs of a send that was given up. Its transaction key is retained, because it may still be mined. */
  cancelSend(hash: string): void {
    releaseSend(this.parts, hash);
    this.changes.push({ kind: 'release', hash, keepKey: true });
  }

  /** Removes a send that was not submitted or that a node refused. */
  forgetSend(hash: string): void {
    if (!this.hasSend(hash)) return;
    releaseSend(this.parts, hash);
    this.parts.history.removeKey(hash);
    this.changes.push({ kind: 'release', hash, keepKey: false });
  }

  /** Stores the secret key of a transaction that was mined although it had been given up. */
  setTransactionKey(key: TransactionKey): void {
    this.parts.history.setKey(key);
    this.changes.push({ kind: 'transactionKey', key });
  }

  /** Locks the inputs of an unconfirmed transaction without a recorded send, and expects its own outputs. In memory only. */
  hold(transaction: HeldTransaction): void {
    const { held, outputs } = this.parts;
    held.set(transaction.hash, mergedHold(held.get(transaction.hash), transaction));
    lockHeld(outputs, transaction);
  }

  /** Undoes `hold`. The inputs of a send with the same hash stay locked. */
  unhold(hashes: readonly string[]): void {
    const released = hashes.filter((hash) => this.parts.held.delete(hash) && !this.hasSend(hash));
    if (released.length === 0) return;
    for (const hash of released) releaseSend(this.parts, hash);
    // The released transactions may have had larger outputs with the keys of others.
    for (const transaction of this.parts.held.values()) lockHeld(this.parts.outputs, transaction);
  }

  /**
   * @param counter the highest deterministic index in use
   * @throws LedgerFault when the spend key is already in the ledger
   */
  addSubWallet(subWallet: SubWallet, counter = subWallet.walletIndex): void {
    if (this.parts.outputs.book(subWallet.publicSpendKey) !== undefined) {
      throw new LedgerFault(`the sub-wallet ${subWallet.publicSpendKey} already exists`);
    }
    const isFirst = this.subWallets().subWallets.length === 0;
    // The first sub-wallet of an emptied wallet decides whether it is a view wallet.
    if (isFirst) this.constant = { ...this.constant, isViewWallet: subWallet.privateSpendKey === undefined };
    this.parts.outputs.addBook(isFirst ? { ...subWallet, isPrimary: true } : subWallet);
    for (const transaction of this.parts.held.values()) lockHeld(this.parts.outputs, transaction);
    this.keys = undefined;
    this.subWalletIndexCounter = Math.max(this.subWalletIndexCounter, counter);
    this.changes.push({ kind: 'addSubWallet', subWallet, counter });
  }

  /** Undoes `addSubWallet` when it could not be stored. */
  undoAddSubWallet(publicSpendKey: string, counterBefore: number): void {
    this.parts.outputs.removeBook(publicSpendKey);
    this.keys = undefined;
    this.subWalletIndexCounter = counterBefore;
  }

  /** Removes a sub-wallet, its outputs, and transactions that concern no other. The next sub-wallet becomes primary. */
  removeSubWallet(publicSpendKey: string): void {
    this.parts.outputs.removeBook(publicSpendKey);
    const [first] = this.parts.outputs.all();
    if (first !== undefined && !this.subWallets().subWallets.some(({ isPrimary }) => isPrimary))
      first.setFacts({ isPrimary: true });
    this.keys = undefined;
    this.parts.history.removeTransfersOf(publicSpendKey);
    this.changes.push({ kind: 'removeSubWallet', publicSpendKey });
  }

  /** Removes all data from the chain and all sends. The next scan begins at `scanHeight`. */
  reset(scanHeight: number): void {
    const { outputs, history, awaited, progress } = this.parts;
    for (const part of [outputs, history, awaited, progress]) part.clear();
    for (const book of outputs.all()) book.setFacts({ syncStartHeight: scanHeight, syncStartTimestamp: 0 });
    for (const transaction of this.parts.held.values()) lockHeld(this.parts.outputs, transaction);
    this.start = { height: scanHeight, timestamp: 0 };
    this.changes.push({ kind: 'reset', scanHeight });
  }

  addressOf(publicSpendKey: string): string | undefined {
    return this.parts.outputs.book(publicSpendKey)?.address;
  }

  /** The keys for scanning blocks: the same object until a sub-wallet is added or removed. */
  scanKeys(): LedgerKeys {
    return (this.keys ??= {
      privateViewKey: this.constant.privateViewKey,
      spendKeys: this.subWallets().subWallets.map(({ publicSpendKey, privateSpendKey }) => ({
        publicSpendKey,
        privateSpendKey,
      })),
    });
  }

  /** Start of a scan without progress: a height, or Unix seconds if the height is 0. */
  scanStart(): { readonly height: number; readonly timestamp: number } {
    return this.start;
  }

  /** Sets the start height and clears the start timestamp. */
  startAt(height: number): void {
    this.start = { height, timestamp: 0 };
    this.changes.push({ kind: 'startAt', height });
  }

  /** The content as immutable values. Unchanged parts are the same objects as in the previous call. */
  content(): WalletContent {
    return {
      ...this.constant,
      ...this.subWallets(),
      ...this.parts.history.content(),
      subWalletIndexCounter: this.subWalletIndexCounter,
      progress: this.progress(),
      startTimestamp: this.start.timestamp,
      startHeight: this.start.height,
    };
  }

  /** The content for a container, without holds: other wallet programs could not release the locked inputs. */
  storedContent(): WalletContent {
    const { held, history } = this.parts;
    const content = this.content();
    if (held.size === 0) return content;
    const isHeld = (hash: string | undefined): boolean =>
      hash !== undefined && held.has(hash) && history.send(hash) === undefined;
    return { ...content, subWallets: content.subWallets.map((subWallet) => withoutHeld(subWallet, isHeld)) };
  }

  /** Merges into the last queued advance and drops the blocks that are neither recent nor checkpoints. */
  private queueAdvance(height: number, hash: string): void {
    const last = this.changes.at(-1);
    if (last?.kind !== 'advance') {
      this.changes.push({ kind: 'advance', blocks: [[height, hash]] });
      return;
    }
    const blocks = [...last.blocks, [height, hash] as const];
    const kept = blocks.filter(([at], i) => {
      // Blocks before a checkpoint may have been dropped: compare it with the previous block in the list.
      const before = blocks[i - 1]?.[0] ?? 0;
      return i >= blocks.length - MAX_RECENT_HASHES || crossesCheckpoint(before, at);
    });
    this.changes[this.changes.length - 1] = { kind: 'advance', blocks: kept };
  }

  private subWallets(): Pick<WalletContent, 'subWallets'> {
    return { subWallets: Array.from(this.parts.outputs.all(), (book) => book.content()) };
  }
}
