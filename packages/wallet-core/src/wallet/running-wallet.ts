import { EventEmitter } from 'node:events';
import type { HeldTransaction } from '../ledger/held-transactions';
import type { Ledger } from '../ledger/ledger';
import type { SubWallet, WalletTransaction } from '../ledger/model';
import { heldOf } from './held-send';
import { type NewKeys, subWalletsOf } from './sub-wallets';
import { OneAtATime } from './one-at-a-time';
import type { AddedSubWallet, ChainFollower, FinishedSend, OpenContainer, SpendShapes, WalletParts } from './ports';
import { liesBefore, startOfNewKeys } from './sub-wallets';
import { SendDesk } from '../send/sender';
import { WalletSnapshot } from './snapshot';

interface WalletEvents {
  /** A block, of this hash where it is known, brought it; by then it stands in the snapshot. */
  transaction: [WalletTransaction, string | undefined];
  /** No node knows an own send any more. */
  cancelled: [string];
  /** The snapshot is a new one. */
  changed: [];
  warning: [string];
}

/** After so many new blocks the progress is saved once the tip is reached. */
const BLOCKS_WORTH_SAVING = 1_000;

/**
 * A wallet between its beginning and its end. One writer: whatever changes keys, sends or the life of the wallet is done one after the other, and blocks
 * come in between. Readers take `snapshot`, which never waits (docs/protocol/wallet.md#one-writer).
 */
export class RunningWallet<Node, Shapes extends SpendShapes = SpendShapes> extends EventEmitter<WalletEvents> {
  private readonly file: OpenContainer;
  private readonly follower: ChainFollower<Node>;
  private readonly desk: SendDesk<Shapes>;
  private readonly writes = new OneAtATime();
  private readonly ending = new AbortController();
  private published: WalletSnapshot;
  /** Transactions of blocks that no snapshot shows yet. */
  private untold: [WalletTransaction, string | undefined][] = [];
  private savedHeight: number;
  private ended: Promise<void> | undefined;

  protected constructor(
    private readonly parts: WalletParts<Node, Shapes>,
    walletFile: OpenContainer,
    private readonly ledger: Ledger,
    private node: Node,
  ) {
    super();
    this.file = walletFile;
    this.savedHeight = ledger.position().height;
    this.follower = parts.follow(node, ledger);
    this.published = this.newSnapshot();
    this.desk = new SendDesk(
      parts.spender(() => this.node),
      {
        ledger,
        refusals: parts.refusals,
        view: () => this.spendingView(),
        changed: () => this.publish(),
        save: () => this.save(),
        warn: (error) => this.warnOfSave(error),
        now: () => parts.now(),
        signal: this.ending.signal,
      },
    );
    this.listen();
    this.follower.start();
  }

  /** The state that was last published; reading it waits for nothing. */
  get snapshot(): WalletSnapshot {
    return this.published;
  }

  get isClosed(): boolean {
    return this.ended !== undefined;
  }

  /** Where the node stands and what the synchronization does. */
  get status(): ChainFollower<Node>['status'] {
    return this.follower.status;
  }

  isPassword(password: string): boolean {
    return this.file.isPassword(password);
  }

  /** Resolves when the present state is on the disk. @throws 2 */
  async save(): Promise<void> {
    const content = this.ledger.storedContent();
    await this.file.save(content);
    this.savedHeight = content.progress.height;
  }

  /** Writes the content in plain. @throws 2 */
  exportPlain(file: string): Promise<void> {
    return this.parts.containers.exportPlain(file, this.published.content);
  }

  /** Ends the synchronization, saves and lets go of file and node; the second call waits for the first. */
  close(): Promise<void> {
    return (this.ended ??= this.end());
  }

  changePassword(password: string): Promise<void> {
    return this.write(() => this.file.changePassword(password, this.ledger.storedContent()));
  }

  /** Forgets all that came from the chain and reads it again from a height on. @throws 62 at a lite node */
  reset(scanHeight: number): Promise<void> {
    return this.write(async () => {
      const { liteStartHeight } = this.follower.status;
      const lost = this.snapshot.transactions({ end: liteStartHeight }).length;
      if (scanHeight < liteStartHeight && lost > 0) {
        throw this.parts.refusals.liteRescan(liteStartHeight, scanHeight, lost);
      }
      await this.whileStopped(() => this.ledger.reset(scanHeight));
      this.desk.forgetPrepared();
    });
  }

  /** Reads the chain again from a height on; what is known below stays, and so do sends and their keys. @throws 2 */
  rescan(scanHeight: number): Promise<void> {
    return this.write(() => this.whileStopped(() => this.readAgain(scanHeight)));
  }

  /** Another node; progress stays. */
  setNode(node: Node): Promise<void> {
    return this.write(async () => {
      const before = this.node;
      this.node = node;
      await this.follower.swap(node);
      if (before !== node) this.parts.release(before);
    });
  }

  /** Drops the present connection and asks the node anew. */
  refresh(): Promise<void> {
    return this.write(async () => {
      await this.follower.swap(this.node);
      this.follower.refresh();
    });
  }

  /** The next deterministic sub-wallet. It is on the disk when this resolves. @throws 39 */
  createSubWallet(): Promise<SubWallet> {
    const start = startOfNewKeys(this.parts.now());
    return this.addSubWallet(() => this.parts.keys.nextSubWallet(this.ledger.content(), start, this.ending.signal));
  }

  /** @throws 39, 52, 38 */
  importSubWallet(privateSpendKey: string, scanHeight: number): Promise<SubWallet> {
    const start = { height: scanHeight, timestamp: 0 };
    return this.addSubWallet(
      async () => this.parts.keys.importedSubWallet(this.ledger.content(), privateSpendKey, start),
      scanHeight,
    );
  }

  /** @throws 39, 38 */
  importDeterministicSubWallet(index: bigint, scanHeight: number): Promise<SubWallet> {
    const start = { height: scanHeight, timestamp: 0 };
    return this.addSubWallet(
      () => this.parts.keys.deterministicSubWallet(this.ledger.content(), index, start, this.ending.signal),
      scanHeight,
    );
  }

  /** @throws 51, 40, 38 */
  importViewSubWallet(publicSpendKey: string, scanHeight: number): Promise<SubWallet> {
    const start = { height: scanHeight, timestamp: 0 };
    return this.addSubWallet(
      async () => this.parts.keys.viewSubWallet(this.ledger.content(), publicSpendKey, start),
      scanHeight,
    );
  }

  /** @throws 15, 10, 42 */
  removeSubWallet(address: string): Promise<void> {
    return this.write(async () => {
      const { publicSpendKey } = this.parts.keys.removableSubWallet(this.ledger.content(), address);
      await this.whileStopped(() => this.ledger.removeSubWallet(publicSpendKey));
    });
  }

  /** Any address, the primary and the last one too. @throws 15, 10 */
  removeAnySubWallet(address: string): Promise<void> {
    return this.write(async () => {
      const { publicSpendKey } = this.parts.keys.subWalletOf(this.ledger.content(), address);
      await this.whileStopped(() => this.ledger.removeSubWallet(publicSpendKey));
    });
  }

  /**
   * Several keys at once, all or none; without a height they are looked for from now on.
   * @throws 39, 40, 51, 52, 38
   */
  importKeyList(keys: NewKeys, scanHeight: number | undefined): Promise<readonly SubWallet[]> {
    return this.write(async () => {
      const start = scanHeight === undefined ? startOfNewKeys(this.parts.now()) : { height: scanHeight, timestamp: 0 };
      const made = await subWalletsOf(this.parts.keys, this.ledger.content(), keys, start);
      if (made.length > 0) await this.takeIn(made, 0, scanHeight);
      return made;
    });
  }

  /**
   * Builds a transaction and keeps its inputs for it; nothing leaves.
   * @param writeDown called before it counts; what it throws undoes all
   */
  delay(request: Shapes['send'], writeDown: (built: FinishedSend) => void): Promise<FinishedSend> {
    return this.write(async () => {
      const built = await this.desk.build(request);
      writeDown(built);
      this.hold([heldOf(built)]);
      return built;
    });
  }

  /** Sends what was built and held; where it stays here after all it is held again. @throws 57, 30, 31, 55 */
  sendDelayed(built: FinishedSend): Promise<void> {
    return this.write(() => this.desk.dispatch(built));
  }

  /** Keeps what transactions take that are in no block and not sent by this wallet, and waits for what they bring. */
  hold(transactions: readonly HeldTransaction[]): void {
    for (const transaction of transactions) this.ledger.hold(transaction);
    if (transactions.length > 0) this.publish();
  }

  unhold(hashes: readonly string[]): void {
    for (const hash of hashes) this.ledger.unhold(hash);
    if (hashes.length > 0) this.publish();
  }

  /** Builds, writes down, relays: the hash of what this answers is on the disk. */
  send(request: Shapes['send']): Promise<FinishedSend> {
    return this.write(() => this.desk.send(request));
  }

  /** Builds and keeps; nothing is locked. */
  prepare(request: Shapes['send']): Promise<FinishedSend> {
    return this.write(() => this.desk.prepare(request));
  }

  /** @throws 58, 57, 30, 31, 55 */
  sendPrepared(hash: string): Promise<FinishedSend> {
    return this.write(() => this.desk.sendPrepared(hash));
  }

  /** Gives out once more what was built and recorded before, with the same bytes. @throws 57, 30, 31, 55 */
  resend(send: FinishedSend): Promise<void> {
    return this.write(() => this.desk.resend(send));
  }

  /** false when there was none. */
  deletePrepared(hash: string): boolean {
    return this.desk.deletePrepared(hash);
  }

  sweep(request: Shapes['sweep']): Promise<Shapes['swept']> {
    return this.write(() => this.desk.sweep(request));
  }

  /** What a send would cost. Nothing is written, so nothing is waited for. */
  estimate(request: Shapes['send']): Promise<Shapes['estimate']> {
    return this.desk.estimate(request);
  }

  estimateSweep(request: Shapes['sweep']): Promise<Shapes['sweepEstimate']> {
    return this.desk.estimateSweep(request);
  }

  private addSubWallet(make: () => Promise<AddedSubWallet>, scanHeight?: number): Promise<SubWallet> {
    return this.write(async () => {
      const { subWallet, subWalletIndexCounter } = await make();
      await this.takeIn([subWallet], subWalletIndexCounter, scanHeight);
      return subWallet;
    });
  }

  private takeIn(subWallets: readonly SubWallet[], counter: number, scanHeight: number | undefined): Promise<void> {
    return this.whileStopped(() => {
      for (const subWallet of subWallets) this.ledger.addSubWallet(subWallet, counter);
      if (scanHeight !== undefined) this.readAgain(scanHeight);
    });
  }

  /** What is known below that height stays; from there on the chain is read once more for all. */
  private readAgain(scanHeight: number): void {
    if (liesBefore(scanHeight, this.ledger.scanStart())) this.ledger.startAt(scanHeight);
    if (scanHeight <= this.ledger.position().height) this.ledger.rewind(scanHeight);
  }

  /** Changes the ledger while no block can come, publishes and saves. */
  private async whileStopped(change: () => void): Promise<void> {
    await this.follower.stop();
    try {
      change();
      this.publish();
    } finally {
      this.follower.start();
    }
    await this.save();
  }

  private write<T>(task: () => Promise<T>): Promise<T> {
    return this.writes.run(async () => {
      if (this.ended !== undefined) throw this.parts.refusals.closed();
      return task();
    });
  }

  private async end(): Promise<void> {
    // Whatever is being built is given up; what has been written down goes its way to the end.
    this.ending.abort(this.parts.refusals.closed());
    await this.writes.run(async () => undefined);
    await this.follower.stop();
    try {
      await this.save();
    } finally {
      await this.file.close();
      this.parts.release(this.node);
      this.desk.forgetPrepared();
    }
  }

  private spendingView(): ReturnType<SendDesk<Shapes>['view']> {
    const { height } = this.ledger.position();
    // Before the node's first answer the wallet's own height is the best guess: the rules of block 0 fit nobody.
    const { localHeight, networkHeight } =
      this.follower.status.networkHeight === 0 ? { localHeight: height, networkHeight: height } : this.follower.status;
    const { privateViewKey, isViewWallet, subWallets } = this.ledger.content();
    return { localHeight, networkHeight, privateViewKey, isViewWallet, subWallets };
  }

  private listen(): void {
    const { follower } = this;
    follower.on('applied', ({ transactions }, block) => {
      for (const transaction of transactions) this.untold.push([transaction, block?.hash]);
    });
    follower.on('progressed', () => this.publish());
    follower.on('rewound', (height) => {
      // What is read again is progress once more.
      this.savedHeight = Math.min(this.savedHeight, height - 1);
      this.publish();
    });
    follower.on('indexed', () => this.publish());
    follower.on('warning', (text) => void this.emit('warning', text));
    follower.on('cancelled', (hash) => {
      this.publish();
      this.emit('cancelled', hash);
    });
    follower.on('synced', (height) => {
      this.ledger.releaseAbandoned();
      this.publish();
      if (height - this.savedHeight < BLOCKS_WORTH_SAVING) return;
      this.save().catch((error: unknown) => this.warnOfSave(error));
    });
  }

  private warnOfSave(error: unknown): void {
    this.emit('warning', `The wallet could not be saved: ${error instanceof Error ? error.message : String(error)}`);
  }

  private newSnapshot(): WalletSnapshot {
    const content = this.ledger.content();
    const judgedAt = (): number => this.follower.status.networkHeight || this.ledger.position().height;
    return new WalletSnapshot(content, judgedAt, () => this.parts.now());
  }

  private publish(): void {
    this.published = this.newSnapshot();
    const news = this.untold;
    this.untold = [];
    this.emit('changed');
    for (const [transaction, blockHash] of news) this.emit('transaction', transaction, blockHash);
  }
}
