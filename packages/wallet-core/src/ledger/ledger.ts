import { applyPlan, retireSpent } from './apply-block';
import { atOnce } from './state';
import { type Balance, spendableOutputs, walletBalance } from './queries';
import type { BlockToApply, OwnOutputFound } from './model';
import { requirePossible, planBlock } from './apply-block';
import { LedgerFault } from './model';
import type { HeldTransaction } from './held-transactions';
import { takeHeld, withoutHeld } from './hold';
import type { SubWallet, SyncProgress, WalletContent, WalletOutput, WalletTransaction } from './model';
import { type LedgerParts, partsOf } from './state';
import { releaseAbandoned, releaseSend, type Rewound, rewindTo } from './rewind';
import { type RecordedSend, recordOwnSend } from './own-sends';

/** What a block did. */
export interface AppliedBlock {
  /** Transactions that it brought to the wallet, own sends among them, in the order of the block. */
  readonly transactions: readonly WalletTransaction[];
  /** What had to go first, when the block did not lie above the last one. */
  readonly rewound: Rewound | undefined;
}

/** An own output without a global index. */
export interface UnindexedPlace {
  readonly blockHeight: number;
  readonly transactionHash: string;
  readonly outputIndex: number;
}

/** The keys of a wallet as hex; no private spend key in a view wallet. */
export interface LedgerKeys {
  readonly privateViewKey: string;
  readonly spendKeys: readonly Pick<SubWallet, 'publicSpendKey' | 'privateSpendKey'>[];
}

type ConstantMembers = Pick<WalletContent, 'privateViewKey' | 'isViewWallet' | 'unknownMembers'>;

/**
 * The money of a wallet: its outputs, transactions and how far the chain was read. It knows no files, nodes or clocks, and
 * has one writer; readers take `content`, whose values never change (docs/protocol/wallet.md#the-ledger).
 */
export class Ledger {
  private constant: ConstantMembers;
  private readonly leaving = new Set<string>();
  private readonly departures = new Map<string, number>();
  private lastDeparture = 0;
  private subWalletIndexCounter: number;
  private keys: LedgerKeys | undefined;
  private start: { readonly height: number; readonly timestamp: number };

  /** Of a small content: one of many transactions is taken up by `loading`. */
  constructor(
    content: WalletContent,
    private readonly parts: LedgerParts = atOnce(partsOf(content)),
  ) {
    const { privateViewKey, isViewWallet, unknownMembers, startHeight, startTimestamp } = content;
    this.constant = { privateViewKey, isViewWallet, unknownMembers };
    this.subWalletIndexCounter = content.subWalletIndexCounter;
    this.start = { height: startHeight, timestamp: startTimestamp };
  }

  /** The ledger of a content of any size, as work that may be interrupted. */
  static *loading(content: WalletContent): Generator<void, Ledger> {
    return new Ledger(content, yield* partsOf(content));
  }

  /** The last block that was applied: 0 and no hash at the start. */
  position(): { readonly height: number; readonly hash: string | undefined } {
    const { progress } = this.parts;
    return { height: progress.height, hash: progress.hash };
  }

  progress(): SyncProgress {
    return this.parts.progress.content();
  }

  /**
   * Applies a block; one that does not lie above the last is a reorganisation, and what it replaces goes first.
   * @param decryptedPaymentIds short ids that the scanner could read, by transaction hash
   * @throws LedgerFault when the block says what no chain can: the ledger stands before it then
   */
  apply(
    block: BlockToApply,
    found: readonly OwnOutputFound[],
    decryptedPaymentIds: ReadonlyMap<string, string>,
  ): AppliedBlock {
    requirePossible(block);
    const { progress } = this.parts;
    const rewound = progress.hasStarted && block.height <= progress.height ? this.rewind(block.height) : undefined;
    const plan = planBlock(this.parts, block, found);
    retireSpent(this.parts, progress.height, block.height);
    const transactions = applyPlan(this.parts, block, plan, decryptedPaymentIds);
    progress.advance(block.height, block.hash);
    return { transactions, rewound };
  }

  /** Takes back all blocks from `height` on; own sends return to the unconfirmed ones and keep their inputs. */
  rewind(height: number): Rewound {
    return rewindTo(this.parts, height);
  }

  /** Nothing up to this block is left to be looked at. */
  markTip(height: number, hash: string): void {
    const { progress } = this.parts;
    if (height >= progress.height) {
      retireSpent(this.parts, progress.height, height);
      progress.advance(height, hash);
    }
  }

  /**
   * Frees locked outputs that no send under way takes. Only for a wallet that has read the whole chain: what was spent stands
   * among the spent ones then.
   */
  releaseAbandoned(): void {
    releaseAbandoned(this.parts);
  }

  /** Own outputs of which no global index is known; a view wallet has no use for one. */
  unindexedOutputs(): readonly UnindexedPlace[] {
    if (this.constant.isViewWallet) return [];
    return this.parts.outputs
      .unindexedOutputs()
      .map(({ blockHeight, parentTransactionHash: transactionHash, outputIndex }) => ({
        blockHeight,
        transactionHash,
        outputIndex,
      }));
  }

  /** Own sends that are in no block yet, of which a node can tell: those on their way to one are not among them. */
  unconfirmedHashes(): readonly string[] {
    const { unconfirmed } = this.parts.history.content();
    return unconfirmed.map(({ hash }) => hash).filter((hash) => !this.leaving.has(hash));
  }

  /** Whether a send of this hash is written down and in no block yet. */
  hasSend(hash: string): boolean {
    return this.parts.history.send(hash) !== undefined;
  }

  /** Whether a transaction of this hash is listed as confirmed. */
  isInBlock(hash: string): boolean {
    return this.parts.history.confirmedTransaction(hash) !== undefined;
  }

  /** A number that is another one each time that a send was given to a node; 0 before. */
  departureOf(hash: string): number {
    return this.departures.get(hash) ?? 0;
  }

  /**
   * A send is on its way to a node until the promise settles: that no node knows it says nothing so long, and it is not
   * given up.
   */
  async whileLeaving<T>(hash: string, leave: () => Promise<T>): Promise<T> {
    this.leaving.add(hash);
    for (const known of this.departures.keys()) if (!this.hasSend(known)) this.departures.delete(known);
    this.departures.set(hash, ++this.lastDeparture);
    try {
      return await leave();
    } finally {
      this.leaving.delete(hash);
    }
  }

  /** @param indexes of all outputs of a transaction, by its hash; one that is known already stays */
  setGlobalIndexes(indexes: ReadonlyMap<string, readonly number[]>): void {
    for (const [transactionHash, list] of indexes) this.parts.outputs.setIndexes(transactionHash, list);
  }

  /** @throws LedgerFault, and nothing has changed, when the hash is known or an input is not free */
  recordSend(send: RecordedSend): void {
    recordOwnSend(this.parts, send);
  }

  /** Gives up a send that no node knows: its inputs are free. Its key stays, should a block hold it after all. */
  cancelSend(hash: string): void {
    releaseSend(this.parts, hash);
  }

  /** Takes back a send that the node refused: it never was one. */
  forgetSend(hash: string): void {
    if (this.parts.history.send(hash) === undefined) return;
    releaseSend(this.parts, hash);
    this.parts.history.removeKey(hash);
  }

  /** Keeps what a transaction takes, which is in no block and not sent, and waits for what it brings. */
  hold(transaction: HeldTransaction): void {
    this.parts.held.add(transaction);
    takeHeld(this.parts, transaction);
  }

  /** Ends that; what a send of the same hash takes stays taken. */
  unhold(hash: string): void {
    if (this.parts.held.delete(hash) !== undefined && this.parts.history.send(hash) === undefined) {
      releaseSend(this.parts, hash);
    }
  }

  /** The unspent outputs of these sub-wallets (all, where none are named) that may be spent at this index and time. */
  spendable(publicSpendKeys: Iterable<string> | undefined, networkHeight: number, now: number): WalletOutput[] {
    return spendableOutputs(this.subWallets(), { height: networkHeight, timestamp: now }, publicSpendKeys);
  }

  balance(publicSpendKeys: Iterable<string> | undefined, networkHeight: number, now: number): Balance {
    return walletBalance(this.subWallets(), { height: networkHeight, timestamp: now }, publicSpendKeys);
  }

  /**
   * @param counter the highest index of a deterministic sub-wallet so far
   * @throws LedgerFault when its spend key is here already
   */
  addSubWallet(subWallet: SubWallet, counter = subWallet.walletIndex): void {
    if (this.parts.outputs.book(subWallet.publicSpendKey) !== undefined) {
      throw new LedgerFault(`the sub-wallet ${subWallet.publicSpendKey} is here already`);
    }
    const isFirst = this.subWallets().subWallets.length === 0;
    // The first one of an emptied wallet says what kind of wallet it is from now on.
    if (isFirst) this.constant = { ...this.constant, isViewWallet: subWallet.privateSpendKey === undefined };
    this.parts.outputs.addBook(isFirst ? { ...subWallet, isPrimary: true } : subWallet);
    for (const transaction of this.parts.held.all()) takeHeld(this.parts, transaction);
    this.keys = undefined;
    this.subWalletIndexCounter = Math.max(this.subWalletIndexCounter, counter);
  }

  /**
   * Takes out a sub-wallet with its outputs; a transaction that touched nothing else goes too. Of the primary one its place
   * goes to the next.
   */
  removeSubWallet(publicSpendKey: string): void {
    this.parts.outputs.removeBook(publicSpendKey);
    const [first] = this.parts.outputs.all();
    if (first !== undefined && !this.subWallets().subWallets.some(({ isPrimary }) => isPrimary)) first.makePrimary();
    this.keys = undefined;
    this.parts.awaited.removeOwner(publicSpendKey);
    this.parts.history.removeTransfersOf(publicSpendKey);
  }

  /** Forgets all that came from the chain, and all sends; the next scan begins at `scanHeight`. */
  reset(scanHeight: number): void {
    const { outputs, history, awaited, progress } = this.parts;
    for (const part of [outputs, history, awaited, progress]) part.clear();
    for (const book of outputs.all()) book.startAt(scanHeight, 0);
    for (const transaction of this.parts.held.all()) takeHeld(this.parts, transaction);
    this.startAt(scanHeight);
  }

  /** What blocks are scanned with: the same object until a sub-wallet comes or goes. */
  scanKeys(): LedgerKeys {
    return (this.keys ??= {
      privateViewKey: this.constant.privateViewKey,
      spendKeys: this.subWallets().subWallets.map(({ publicSpendKey, privateSpendKey }) => ({
        publicSpendKey,
        privateSpendKey,
      })),
    });
  }

  /** Where a scan begins that has no progress yet: a height, or unix seconds where the height is 0. */
  scanStart(): { readonly height: number; readonly timestamp: number } {
    return this.start;
  }

  /** The height is known from now on, and the time has no more meaning. */
  startAt(height: number): void {
    this.start = { height, timestamp: 0 };
  }

  /** All of it as values that never change; what did not change since the last call is the same value. */
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

  /** What a container is to hold: other programs know nothing of held transactions, and could never free what they take. */
  storedContent(): WalletContent {
    const { held, history, outputs } = this.parts;
    const content = this.content();
    if (held.isEmpty) return content;
    const isHeld = (hash: string | undefined): boolean =>
      hash !== undefined && held.has(hash) && history.send(hash) === undefined;
    return { ...content, subWallets: Array.from(outputs.all(), (book) => withoutHeld(book, isHeld)) };
  }

  private subWallets(): Pick<WalletContent, 'subWallets'> {
    return { subWallets: Array.from(this.parts.outputs.all(), (book) => book.content()) };
  }
}
