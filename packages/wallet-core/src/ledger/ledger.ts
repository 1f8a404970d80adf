import type { SyncBlock } from '@wrkz/client';
import { groupBy } from '@wrkz/service-kit/base';
import { applyPlan, planBlock, relevantPart, requirePossible, retireSpent } from './apply-block';
import { crossesCheckpoint, MAX_RECENT_HASHES } from './chain-progress';
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
import { recordOwnSend, releaseAbandoned, releaseSend } from './own-sends';
import { rewindTo } from './rewind';
import { atOnce, type LedgerParts, partsOf } from './state';

/** The keys of a wallet as hex; no private spend key in a view wallet. */
export interface LedgerKeys {
  readonly privateViewKey: string;
  readonly spendKeys: readonly Pick<SubWallet, 'publicSpendKey' | 'privateSpendKey'>[];
}

/** What the synchronization uses of a ledger. */
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

/** What has changed since the last call of `takeChanges`, in order. */
interface TakenChanges {
  readonly changes: readonly LedgerChange[];
  readonly retired: readonly RetiredOutput[];
}

type ConstantFields = Pick<WalletContent, 'privateViewKey' | 'isViewWallet' | 'unknownFields'>;

/**
 * The money of a wallet: outputs, transactions and how far the chain was read. Pure state without files, nodes or clocks, and
 * one writer; readers take `content`, whose values never change (docs/protocol/wallet.md#the-ledger). Every change is
 * queued as a `LedgerChange` until `takeChanges`.
 */
export class Ledger {
  private constant: ConstantFields;
  private subWalletIndexCounter: number;
  private keys: LedgerKeys | undefined;
  private start: { readonly height: number; readonly timestamp: number };
  private changes: LedgerChange[] = [];
  private retired: RetiredOutput[] = [];

  /**
   * Loads the content synchronously; use `loading` for a large one.
   * @param retiredFrom the retired outputs that were spent at or above a height
   */
  constructor(
    content: WalletContent,
    private readonly retiredFrom: (spendHeight: number) => readonly RetiredOutput[] = () => [],
    private readonly parts: LedgerParts = atOnce(partsOf(content)),
  ) {
    const { privateViewKey, isViewWallet, unknownFields, startHeight, startTimestamp } = content;
    this.constant = { privateViewKey, isViewWallet, unknownFields };
    this.subWalletIndexCounter = content.subWalletIndexCounter;
    this.start = { height: startHeight, timestamp: startTimestamp };
  }

  /** The ledger of a content of any size, as interruptible work. */
  static *loading(
    content: WalletContent,
    retiredFrom?: (spendHeight: number) => readonly RetiredOutput[],
  ): Generator<void, Ledger> {
    return new Ledger(content, retiredFrom, yield* partsOf(content));
  }

  /** The queued changes; the queue is empty afterwards. */
  takeChanges(): TakenChanges {
    const taken = { changes: this.changes, retired: this.retired };
    this.changes = [];
    this.retired = [];
    return taken;
  }

  /** Puts changes that could not be stored back in front of the queue. */
  putBack({ changes, retired }: TakenChanges): void {
    this.changes = [...changes, ...this.changes];
    this.retired = [...retired, ...this.retired];
  }

  get hasChanges(): boolean {
    return this.changes.length > 0;
  }

  /** Whether the queue holds more than blocks that do not concern the wallet. */
  get hasMoneyChanges(): boolean {
    return this.changes.some(({ kind }) => kind !== 'advance');
  }

  /** Does a logged change again. Changes are not queued while they are replayed. */
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

  /** The last block that was applied or marked: 0 and no hash at the start. */
  position(): { readonly height: number; readonly hash: string | undefined } {
    return this.parts.progress.position;
  }

  /** The highest block that was applied; blocks that were only marked do not count. */
  get appliedHeight(): number {
    return this.parts.progress.appliedHeight;
  }

  /** For a ledger that was just loaded: a container does not store it. */
  set appliedHeight(height: number) {
    this.parts.progress.appliedHeight = height;
  }

  progress(): SyncProgress {
    return this.parts.progress.content();
  }

  /**
   * Applies a block; one that is not above the last is a reorganisation, and the blocks it replaces are rewound first.
   * @param decryptedPaymentIds short payment ids that the scanner decrypted, by transaction hash
   * @param isVerified whether a node has proved the block; its outputs are not unlocked until then
   * @returns new transactions of the wallet, own sends among them, in the order of the block
   * @throws LedgerFault for values that no chain can have; the ledger is unchanged then
   */
  apply(
    block: SyncBlock,
    found: readonly OwnOutputFound[],
    decryptedPaymentIds: ReadonlyMap<string, string>,
    isVerified = true,
  ): readonly WalletTransaction[] {
    requirePossible(block);
    const { progress } = this.parts;
    if (progress.hasStarted && block.height <= progress.height) this.rewind(block.height);
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

  /** Undoes all blocks from `height` on; own sends become unconfirmed again and keep their inputs. */
  rewind(height: number): void {
    for (const retired of this.retiredFrom(height)) this.parts.outputs.restore(retired);
    this.changes.push({ kind: 'rewind', height });
    rewindTo(this.parts, height);
  }

  /** Marks the blocks up to this one as scanned. */
  markTip(height: number, hash: string): void {
    const { progress } = this.parts;
    if (height < progress.height) return;
    this.retired.push(...retireSpent(this.parts, progress.height, height));
    progress.advance(height, hash);
    this.queueAdvance(height, hash);
  }

  /**
   * Unlocks outputs that no pending send spends. Only when the whole chain was scanned: every spent output is in `spent` then.
   */
  releaseAbandoned(): void {
    if (releaseAbandoned(this.parts)) this.changes.push({ kind: 'releaseAbandoned' });
  }

  /** Own outputs without a known global index; a view wallet needs none. */
  unindexedOutputs(): readonly UnindexedOutput[] {
    return this.constant.isViewWallet ? [] : this.parts.outputs.unindexedOutputs();
  }

  /** Blocks with own outputs that no node has proved, oldest first. */
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

  /** The contents of a block were proved. @returns its transactions, as they are now */
  markVerified(height: number): readonly WalletTransaction[] {
    const transactions = this.parts.history.markVerified(height);
    if (transactions.length === 0) return transactions;
    this.parts.outputs.markVerified(height);
    this.changes.push({ kind: 'verified', height });
    return transactions;
  }

  /**
   * Whether a block spends an own output.
   * @param received key images of outputs that are found, but not applied yet
   */
  hasOwnSpend({ transactions }: SyncBlock, received: ReadonlySet<string>): boolean {
    const { outputs } = this.parts;
    return transactions.some(({ inputs }) =>
      inputs.some(({ keyImage }) => received.has(keyImage) || outputs.findByKeyImage(keyImage) !== undefined),
    );
  }

  /** Hashes of own sends that are in no block. */
  unconfirmedHashes(): readonly string[] {
    return this.parts.history.content().unconfirmed.map(({ hash }) => hash);
  }

  /** Whether a send of this hash is recorded and in no block. */
  hasSend(hash: string): boolean {
    return this.parts.history.send(hash) !== undefined;
  }

  /** The confirmed transaction of this hash. */
  confirmed(hash: string): WalletTransaction | undefined {
    return this.parts.history.confirmedTransaction(hash);
  }

  /** An own output by its one-time key, with the list that it is in. */
  findOutput(key: string): Pick<OutputPlace, 'list' | 'output'> | undefined {
    return this.parts.outputs.find(key);
  }

  /**
   * @param indexes of all outputs of a transaction, by its hash
   * @param replace whether known indexes are corrected; they stay otherwise
   */
  setGlobalIndexes(indexes: ReadonlyMap<string, readonly number[]>, replace = false): void {
    if (indexes.size === 0) return;
    for (const [transactionHash, list] of indexes) this.parts.outputs.setIndexes(transactionHash, list, replace);
    this.changes.push({ kind: 'indexes', indexes: [...indexes], ...(replace && { replace }) });
  }

  /** @throws LedgerFault, and nothing has changed, when the hash is known or an input is not free */
  recordSend(send: PendingSend): void {
    recordOwnSend(this.parts, send);
    this.changes.push({ kind: 'send', send });
  }

  /** Frees the inputs of a send that was given up. Its key stays, since a block may hold it after all. */
  cancelSend(hash: string): void {
    releaseSend(this.parts, hash);
    this.changes.push({ kind: 'release', hash, keepKey: true });
  }

  /** Removes a send that was never submitted, or that a node refused. */
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

  /** Reserves the inputs of a transaction that is in no block and not sent, and expects its own outputs. In memory only. */
  hold(transaction: HeldTransaction): void {
    const { held, outputs } = this.parts;
    held.set(transaction.hash, mergedHold(held.get(transaction.hash), transaction));
    lockHeld(outputs, transaction);
  }

  /** Ends the reservation; inputs of a send with the same hash stay locked. */
  unhold(hash: string): void {
    if (this.parts.held.delete(hash) && !this.hasSend(hash)) releaseSend(this.parts, hash);
  }

  /**
   * @param counter the highest deterministic index so far
   * @throws LedgerFault when the spend key is known
   */
  addSubWallet(subWallet: SubWallet, counter = subWallet.walletIndex): void {
    if (this.parts.outputs.book(subWallet.publicSpendKey) !== undefined) {
      throw new LedgerFault(`the sub-wallet ${subWallet.publicSpendKey} exists already`);
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

  /** Undoes an `addSubWallet` that could not be stored. */
  undoAddSubWallet(publicSpendKey: string, counterBefore: number): void {
    this.parts.outputs.removeBook(publicSpendKey);
    this.keys = undefined;
    this.subWalletIndexCounter = counterBefore;
  }

  /** Removes a sub-wallet with its outputs and the transactions that touched nothing else; the next one becomes primary. */
  removeSubWallet(publicSpendKey: string): void {
    this.parts.outputs.removeBook(publicSpendKey);
    const [first] = this.parts.outputs.all();
    if (first !== undefined && !this.subWallets().subWallets.some(({ isPrimary }) => isPrimary))
      first.setFacts({ isPrimary: true });
    this.keys = undefined;
    this.parts.history.removeTransfersOf(publicSpendKey);
    this.changes.push({ kind: 'removeSubWallet', publicSpendKey });
  }

  /** Forgets everything from the chain and all sends; the next scan begins at `scanHeight`. */
  reset(scanHeight: number): void {
    const { outputs, history, awaited, progress } = this.parts;
    for (const part of [outputs, history, awaited, progress]) part.clear();
    for (const book of outputs.all()) book.setFacts({ syncStartHeight: scanHeight, syncStartTimestamp: 0 });
    for (const transaction of this.parts.held.values()) lockHeld(this.parts.outputs, transaction);
    this.start = { height: scanHeight, timestamp: 0 };
    this.changes.push({ kind: 'reset', scanHeight });
  }

  /** The address of a sub-wallet. */
  addressOf(publicSpendKey: string): string | undefined {
    return this.parts.outputs.book(publicSpendKey)?.address;
  }

  /** The keys that blocks are scanned with: the same object until a sub-wallet is added or removed. */
  scanKeys(): LedgerKeys {
    return (this.keys ??= {
      privateViewKey: this.constant.privateViewKey,
      spendKeys: this.subWallets().subWallets.map(({ publicSpendKey, privateSpendKey }) => ({
        publicSpendKey,
        privateSpendKey,
      })),
    });
  }

  /** Where a scan without progress begins: a height, or unix seconds where the height is 0. */
  scanStart(): { readonly height: number; readonly timestamp: number } {
    return this.start;
  }

  /** Sets the start height; a start timestamp has no meaning any more. */
  startAt(height: number): void {
    this.start = { height, timestamp: 0 };
    this.changes.push({ kind: 'startAt', height });
  }

  /** The whole content as immutable values; unchanged parts are the same objects as before. */
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

  /** The content for a container, without reservations: other programs cannot release what they do not know. */
  storedContent(): WalletContent {
    const { held, history } = this.parts;
    const content = this.content();
    if (held.size === 0) return content;
    const isHeld = (hash: string | undefined): boolean =>
      hash !== undefined && held.has(hash) && history.send(hash) === undefined;
    return { ...content, subWallets: content.subWallets.map((subWallet) => withoutHeld(subWallet, isHeld)) };
  }

  /** Adds to the last queued advance: only what a restart needs stays in it. */
  private queueAdvance(height: number, hash: string): void {
    const last = this.changes.at(-1);
    if (last?.kind !== 'advance') {
      this.changes.push({ kind: 'advance', blocks: [[height, hash]] });
      return;
    }
    const blocks = [...last.blocks, [height, hash] as const];
    const kept = blocks.filter(([at], i) => {
      // A checkpoint comes first in the list once the blocks before it have left it.
      const before = blocks[i - 1]?.[0] ?? 0;
      return i >= blocks.length - MAX_RECENT_HASHES || crossesCheckpoint(before, at);
    });
    this.changes[this.changes.length - 1] = { kind: 'advance', blocks: kept };
  }

  private subWallets(): Pick<WalletContent, 'subWallets'> {
    return { subWallets: Array.from(this.parts.outputs.all(), (book) => book.content()) };
  }
}
