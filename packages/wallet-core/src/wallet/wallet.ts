import { EventEmitter } from 'node:events';
import { NodeFailure, type NodeList, type SyncBlock } from '@wrkz/client';
import type { Network } from '@wrkz/core-types';
import { errorText, Mutex, withTimeout } from '@wrkz/service-kit/base';
import type { SendEstimate } from '../transaction/build-send';
import type { SendContext, SendRequest, SendSummary, SignedSend } from '../transaction/model';
import type { SweepEstimate, SweepRequest, SweepResult } from '../transaction/sweep';
import type { ContainerConversion } from '../container/green/convert';
import { WalletFile } from '../container/wallet-file';
import { walletError, WalletClosed, writeFailure } from '../errors';
import {
  createdWallet,
  deterministicSubWallet,
  importedSubWallet,
  type NewSubWallet,
  nextSubWallet,
  removableSubWallet,
  scanFrom,
  subWalletOf,
  viewSubWallet,
} from '../keys/wallet-keys';
import type { HeldTransaction } from '../ledger/held-transactions';
import type { Ledger } from '../ledger/ledger';
import type { SubWallet, WalletContent, WalletOutput, WalletTransaction } from '../ledger/model';
import type { PowClient } from '../pow-client/pow-client';
import { type Pause, SendPause } from '../send/pause';
import { type NewEvent, PendingSends } from '../send/pending-sends';
import { type SendObserver, TransactionSender } from '../send/sender';
import type { WalletSyncStatus } from '../sync/status';
import { Synchronizer, type SynchronizerOptions } from '../sync/synchronizer';
import type { StoredEvent } from '../wallet-db/logs';
import type { WalletDb } from '../wallet-db/wallet-db';
import { isBeforeStart, PlausibleHeight, startOfNewKeys } from './chain-time';
import { WalletSnapshot } from './snapshot';
import { type OpenedStorage, WalletStorage } from './storage';
import { type NewKeys, subWalletsOf } from './sub-wallets';

/** Dependencies shared by all wallets of a service. */
export interface WalletDependencies {
  readonly network: Network;
  readonly pow: Pick<PowClient, 'findNonce'>;
  readonly sync?: Omit<SynchronizerOptions, 'network' | 'plausibleHeight'>;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Reports warnings. */
  readonly warn: (text: string) => void;
}

export interface WalletOptions {
  readonly file: string;
  readonly password: string;
  readonly nodes: NodeList;
}

interface WalletEvents {
  /**
   * A block with the transaction was applied, and the snapshot includes it. The string is the block hash, if known. The event
   * is emitted again when an unverified block is verified, and when the transfers of the transaction change.
   */
  transaction: [WalletTransaction, string | undefined];
  /** A new snapshot was published. */
  changed: [];
  warning: [string];
  /** An event about money or a send was stored in the wallet database. */
  event: [StoredEvent];
  /** Sends were paused; undefined: sends were resumed. */
  paused: [Pause | undefined];
  /** A send used a smaller ring than requested. */
  ringFallback: [{ readonly requested: number; readonly used: number }];
}

/** A wallet that is more blocks behind its node refuses to send. */
const MAX_BLOCKS_BEHIND = 20;
/** Interval for storing scan progress without changes of money. */
const PROGRESS_INTERVAL_MS = 5_000;
/** Max wait of an open for the genesis block of the node. */
const NETWORK_CHECK_MS = 2_000;
const RESUBMIT_INTERVAL_MS = 180_000;
/** Max wait of a close, or of a change of the nodes, for the response to a submission. */
const SUBMISSION_LIMIT_MS = 2_000;
/** Keys in `WalletDb.settings`: the anchor of `PlausibleHeight`, and the name of the scanned network. */
const HEIGHT_ANCHOR = 'heightAnchor';
const NETWORK = 'network';

/**
 * An open wallet. Operations that change keys or sends, and the close, run one at a time behind a mutex; blocks are applied
 * between them. Readers use `snapshot`, which never waits (docs/protocol/wallet.md#one-writer).
 */
export class Wallet extends EventEmitter<WalletEvents> {
  /** Defined if the container was converted from the old format. */
  readonly converted: ContainerConversion | undefined;
  /** Description of changes that another program made to the container; undefined if there are none. */
  readonly containerChange: string | undefined;
  readonly pause: SendPause;
  private readonly storage: WalletStorage;
  private readonly ledger: Ledger;
  private readonly synchronizer: Synchronizer;
  private readonly sender: TransactionSender;
  private readonly pending: PendingSends;
  private readonly mutex = new Mutex();
  private readonly closing = new AbortController();
  private readonly submissionEnd = new AbortController();
  private currentNodes: NodeList;
  private currentSnapshot: WalletSnapshot;
  /** Transactions of applied blocks that are not in a published snapshot yet. */
  private unpublished: [WalletTransaction, string | undefined][] = [];
  /** Transactions of applied blocks whose events are stored with their blocks by the next commit. */
  private unrecorded: WalletTransaction[] = [];
  /** Events of the running commit. */
  private newEvents: StoredEvent[] = [];
  private progressStoredAt = 0;
  private plausibleHeight: PlausibleHeight;
  private storedAnchor: PlausibleHeight['anchor'] | undefined;
  private resubmitTimer: NodeJS.Timeout | undefined;
  private closed: Promise<void> | undefined;

  private constructor(
    private readonly dependencies: WalletDependencies,
    { storage, ledger, converted, containerChange }: OpenedStorage,
    nodes: NodeList,
  ) {
    super();
    const { network, sync, pow } = dependencies;
    this.storage = storage;
    this.ledger = ledger;
    this.currentNodes = nodes;
    this.plausibleHeight = PlausibleHeight.estimated(ledger.appliedHeight);
    this.converted = converted;
    this.containerChange = containerChange;
    this.pause = new SendPause(
      () => storage.dbIfUsable,
      (work) => this.commit(work),
      () => this.now(),
      (pause) => this.onPause(pause),
    );
    storage.attach((commit) => this.withEvents(commit));
    const commit = (work: () => void): void => this.commit(work);
    const event = (one: NewEvent): void => this.recordEvent(one);
    const [db, now] = [() => storage.db, () => this.now()];
    this.pending = new PendingSends({ network, ledger, db, commit, event, now });
    this.sender = new TransactionSender({
      ...{ network, ledger, pow, db, commit, event, now },
      pending: this.pending,
      pause: this.pause,
      nodes: () => this.currentNodes,
      context: () => this.sendContext(),
      changed: () => this.publish(),
      onRingFallback: (fallback) => this.emit('ringFallback', fallback),
      signal: this.closing.signal,
      submissionSignal: this.submissionEnd.signal,
    });
    this.synchronizer = new Synchronizer(nodes, ledger, {
      ...sync,
      network,
      plausibleHeight: () => this.maxHeight(),
    });
    this.currentSnapshot = this.newSnapshot();
  }

  /** @throws WalletError foreignNetwork, and those of the container and of the wallet database */
  static async open(dependencies: WalletDependencies, options: WalletOptions): Promise<Wallet> {
    await requireNetwork(options.nodes);
    return Wallet.begin(dependencies, options, await WalletStorage.open(storageOptions(dependencies, options)));
  }

  /**
   * Creates a wallet, by default with new keys.
   * @param content returns the content (`walletFromKeys`, ...). It is called after the file name was checked
   * @throws WalletError foreignNetwork, walletFileAlreadyExists, invalidWalletFilename; errors of `content`
   */
  static async create(
    dependencies: WalletDependencies,
    options: WalletOptions,
    content = (): WalletContent => createdWallet(startOfNewKeys(Math.floor((dependencies.now ?? Date.now)() / 1000))),
  ): Promise<Wallet> {
    await requireNetwork(options.nodes);
    const opened = await WalletStorage.create(storageOptions(dependencies, options), content);
    return Wallet.begin(dependencies, options, opened);
  }

  private static async begin(
    dependencies: WalletDependencies,
    { nodes }: WalletOptions,
    opened: OpenedStorage,
  ): Promise<Wallet> {
    try {
      const wallet = new Wallet(dependencies, opened, nodes);
      wallet.start();
      return wallet;
    } catch (error) {
      await opened.storage.close().catch(() => undefined);
      throw error;
    }
  }

  private start(): void {
    if (this.storage.dbIfUsable !== undefined) {
      try {
        this.pending.load();
        this.requireScannedNetwork();
        this.pause.load();
        this.storedAnchor = this.db.settings.get(HEIGHT_ANCHOR) as PlausibleHeight['anchor'] | undefined;
        if (this.storedAnchor !== undefined) this.plausibleHeight = new PlausibleHeight(this.storedAnchor);
      } catch (error) {
        // A damaged wallet opens read-only until the operator resumes sends.
        if (this.storage.damage === undefined) throw error;
      }
      if (this.containerChange !== undefined) {
        this.commit(() => this.recordEvent({ kind: 'container-changed', payload: { text: this.containerChange } }));
      }
    }
    this.pauseForDamage();
    this.currentSnapshot = this.newSnapshot();
    this.listen();
    this.synchronizer.start();
    this.resubmitTimer = setInterval(() => void this.resubmitDue(), RESUBMIT_INTERVAL_MS).unref();
  }

  /** Requires the scanned network: on another one, history and sends would be lost. @throws WalletError foreignNetwork */
  private requireScannedNetwork(): void {
    const scanned = this.db.settings.get(NETWORK);
    if (scanned !== undefined && scanned !== this.dependencies.network.name) throw walletError.foreignNetwork();
  }

  /** The last published state. */
  get snapshot(): WalletSnapshot {
    return this.currentSnapshot;
  }

  /** The wallet database. @throws WalletError walletDatabaseDamaged */
  get db(): WalletDb {
    return this.storage.db;
  }

  /** The wallet database; undefined if it could not be opened, and after the close. */
  get dbIfUsable(): WalletDb | undefined {
    return this.storage.dbIfUsable;
  }

  get isClosed(): boolean {
    return this.closed !== undefined;
  }

  get syncStatus(): WalletSyncStatus {
    return this.synchronizer.status;
  }

  get nodes(): NodeList {
    return this.currentNodes;
  }

  /** An own output by its one-time key, also a retired one. */
  findOutput(key: string): WalletOutput | undefined {
    return this.ledger.findOutput(key)?.output ?? this.dbIfUsable?.retired.get(key)?.output;
  }

  isPassword(password: string): boolean {
    return this.storage.isPassword(password);
  }

  /** Writes the container; resolves when it is durable. @throws WalletError invalidWalletFilename */
  save(): Promise<void> {
    return this.storage.save();
  }

  /**
   * Saves, copies the container to `to` and the wallet database to `to.db`, and verifies both copies. Sends wait only for the
   * first copy.
   * @throws WalletError walletFileAlreadyExists, invalidWalletFilename, walletDatabaseDamaged
   */
  backup(to: string): Promise<void> {
    return this.storage.backup(to, (task) => this.write(task));
  }

  /** Writes the content as unencrypted JSON. @throws WalletError invalidWalletFilename */
  exportPlain(file: string): Promise<void> {
    return WalletFile.exportPlain(file, this.currentSnapshot.content);
  }

  /** Stops the synchronization, saves, and releases files and nodes. Idempotent: a second call returns the same promise. */
  close(): Promise<void> {
    return (this.closed ??= this.end());
  }

  changePassword(password: string): Promise<void> {
    return this.write(() => this.storage.changePassword(password));
  }

  /**
   * Removes all data from the chain and rescans from a height, at the latest from the lowest input of a refused or given-up
   * send, because a replacement must spend one of its inputs.
   * @throws WalletError liteNodeCannotRescanThatLow, walletDatabaseDamaged
   */
  reset(scanHeight: number): Promise<void> {
    return this.write(async () => {
      const { liteStartHeight } = this.synchronizer.status;
      const lost = this.snapshot.transactions({ end: liteStartHeight }).length;
      if (scanHeight < liteStartHeight && lost > 0) {
        throw walletError.liteNodeCannotRescanThatLow({ liteStartHeight, scanHeight, lost });
      }
      this.storage.requireUndamaged();
      const { subWallets } = this.ledger.content();
      const start = Math.min(scanHeight, this.pending.minContestedHeight(subWallets));
      await this.whileStopped(() => this.ledger.reset(start));
      this.commit(() => this.db.prepared.clear());
      await this.save();
    });
  }

  /** Rescans the chain from a height. Retains the data below it, all sends and their transaction keys. */
  rescan(scanHeight: number): Promise<void> {
    return this.write(() => this.whileStopped(() => this.rescanFrom(scanHeight)));
  }

  /** Replaces the nodes and retains the progress. A running send may still use the old nodes for a moment. */
  async setNodes(nodes: NodeList): Promise<void> {
    this.requireOpen();
    const before = this.currentNodes;
    const closeBefore = (): void => {
      if (before !== nodes) before.close();
    };
    // Not behind the mutex: the operator may replace a node because it does not respond, and sends wait for it.
    this.currentNodes = nodes;
    const limit = setTimeout(closeBefore, SUBMISSION_LIMIT_MS);
    try {
      await this.write(() => this.synchronizer.swap(nodes));
    } finally {
      clearTimeout(limit);
      closeBefore();
    }
    void this.resubmitDue();
  }

  /** Reconnects to the node and polls it immediately. */
  refresh(): Promise<void> {
    return this.write(async () => {
      await this.synchronizer.swap(this.currentNodes);
      this.synchronizer.refresh();
    });
  }

  /** Creates and stores the next deterministic sub-wallet. @throws WalletError illegalViewWalletOperation, walletDatabaseDamaged */
  createSubWallet(): Promise<SubWallet> {
    const start = startOfNewKeys(this.seconds());
    return this.addSubWallet(() => {
      const { damage } = this.storage;
      // A restored backup does not know the addresses created since: the next one may be in use already.
      if (damage !== undefined) throw walletError.walletDatabaseDamaged(damage);
      return nextSubWallet(this.ledger.content(), start, this.closing.signal);
    });
  }

  /** @throws WalletError illegalViewWalletOperation, invalidPrivateKey, subwalletAlreadyExists */
  importSubWallet(privateSpendKey: string, scanHeight: number): Promise<SubWallet> {
    const start = scanFrom(scanHeight);
    return this.addSubWallet(() => importedSubWallet(this.ledger.content(), privateSpendKey, start), scanHeight);
  }

  /** @throws WalletError illegalViewWalletOperation, walletIndexTooLarge, subwalletAlreadyExists */
  importDeterministicSubWallet(index: bigint, scanHeight: number): Promise<SubWallet> {
    const start = scanFrom(scanHeight);
    return this.addSubWallet(
      () => deterministicSubWallet(this.ledger.content(), index, start, this.closing.signal),
      scanHeight,
    );
  }

  /** @throws WalletError invalidPublicKey, illegalNonViewWalletOperation, subwalletAlreadyExists */
  importViewSubWallet(publicSpendKey: string, scanHeight: number): Promise<SubWallet> {
    const start = scanFrom(scanHeight);
    return this.addSubWallet(() => viewSubWallet(this.ledger.content(), publicSpendKey, start), scanHeight);
  }

  /** @throws WalletError cannotDeletePrimaryAddress, and those of the address */
  removeSubWallet(address: string): Promise<void> {
    return this.removeFound(() => removableSubWallet(this.ledger.content(), address));
  }

  /** Removes any address, including the primary and the last one. @throws WalletError those of the address */
  removeAnySubWallet(address: string): Promise<void> {
    return this.removeFound(() => subWalletOf(this.ledger.content(), address));
  }

  /** Imports all keys or none. Without a height only new blocks are scanned for them. @throws WalletError */
  importKeyList(keys: NewKeys, scanHeight: number | undefined): Promise<readonly SubWallet[]> {
    return this.writeAddresses(async () => {
      const start = scanHeight === undefined ? startOfNewKeys(this.seconds()) : scanFrom(scanHeight);
      const made = await subWalletsOf(this.ledger.content(), keys, start);
      if (made.length > 0) await this.storeSubWallets(made, 0, scanHeight);
      return made;
    });
  }

  /** Builds, records and submits a transaction; resolves when a node has accepted it. @throws WalletError */
  send(request: SendRequest, observer?: SendObserver): Promise<SignedSend> {
    return this.write(() => this.sender.send(request, observer));
  }

  /** Builds and stores a transaction without locking its inputs. @param creator name of the access key */
  prepare(request: SendRequest, creator?: string): Promise<SignedSend> {
    return this.write(() => this.sender.prepare(request, creator));
  }

  /** @throws WalletError preparedTransactionNotFound, preparedTransactionExpired and those of `send` */
  sendPrepared(hash: string, observer?: SendObserver): Promise<SignedSend> {
    return this.write(() => this.sender.sendPrepared(hash, observer));
  }

  /** @returns false when there is none */
  deletePrepared(hash: string): boolean {
    return this.sender.deletePrepared(hash);
  }

  /**
   * Builds a transaction and locks its inputs without submitting it.
   * @param store called before the inputs are locked; after an error they are not locked
   */
  delay(request: SendRequest, store: (signed: SignedSend) => void): Promise<SignedSend> {
    return this.write(async () => {
      const signed = await this.sender.build(request);
      store(signed);
      this.hold([heldBy(signed)]);
      return signed;
    });
  }

  /** Submits a delayed transaction. @throws WalletError as `send` */
  sendDelayed(signed: SignedSend, observer?: SendObserver): Promise<void> {
    return this.write(() => this.sender.sendSigned(signed, observer));
  }

  /** Submits the stored bytes of a send again, for a repeated request. See `TransactionSender.resubmit`. */
  resubmit(hash: string, observer?: SendObserver): Promise<SendSummary | undefined> {
    return this.write(() => this.sender.resubmit(hash, observer));
  }

  /** Whether a refused or given-up send can be mined only after a reorganisation. @throws WalletError walletDatabaseDamaged */
  isReplaced(hash: string): boolean {
    return this.pending.isReplaced(hash);
  }

  /**
   * Gives up an unconfirmed send. It may still be mined. Rescans from its inputs if a reset was above them, because a
   * replacement must spend one of them.
   * @returns false if there is no such send
   * @throws WalletError walletDatabaseDamaged
   */
  giveUp(hash: string, reason: string): Promise<boolean> {
    return this.write(async () => {
      this.storage.requireUndamaged();
      const isGivenUp = this.pending.giveUp(hash.toLowerCase(), reason);
      if (!isGivenUp) return false;
      const missing = this.pending.minMissingHeight(this.ledger.content().subWallets);
      if (missing < Infinity) await this.whileStopped(() => this.rescanFrom(missing));
      else this.publish();
      return true;
    });
  }

  sweep(request: SweepRequest, observer?: SendObserver): Promise<SweepResult> {
    return this.write(() => this.sender.sweep(request, observer));
  }

  /** Estimates size and fee of a send. Does not wait for running sends, because nothing is written. */
  estimate(request: SendRequest): Promise<SendEstimate> {
    return this.sender.estimate(request);
  }

  estimateSweep(request: SweepRequest): Promise<SweepEstimate[]> {
    return this.sender.estimateSweep(request);
  }

  /** Resumes sends on the operator's command, despite damage or a disagreement of nodes. */
  resumeSends(): Promise<void> {
    return this.write(async () => {
      if (this.storage.damage !== undefined) {
        const isNew = this.storage.dbIfUsable === undefined;
        await this.storage.acknowledgeDamage();
        this.pending.load();
        // The pause could not be recorded without a database.
        if (isNew) this.recordPause(this.pause.current);
      }
      this.pause.resume();
    });
  }

  /** Locks the inputs of unconfirmed transactions without a recorded send, and expects their own outputs. */
  hold(transactions: readonly HeldTransaction[]): void {
    for (const transaction of transactions) this.ledger.hold(transaction);
    if (transactions.length > 0) this.onProgress();
  }

  unhold(hashes: readonly string[]): void {
    if (hashes.length === 0) return;
    this.ledger.unhold(hashes);
    this.pending.restoreInLedger();
    this.onProgress();
  }

  private addSubWallet(make: () => NewSubWallet | Promise<NewSubWallet>, scanHeight?: number): Promise<SubWallet> {
    return this.writeAddresses(async () => {
      const { subWallet, subWalletIndexCounter } = await make();
      await this.storeSubWallets([subWallet], subWalletIndexCounter, scanHeight);
      return subWallet;
    });
  }

  /** Scans at the latest from the lowest input of a contested send, because a replacement must spend one of its inputs. */
  private async storeSubWallets(
    subWallets: readonly SubWallet[],
    counter: number,
    scanHeight: number | undefined,
  ): Promise<void> {
    const counterBefore = this.ledger.content().subWalletIndexCounter;
    const start = Math.min(scanHeight ?? Infinity, this.pending.minContestedHeight(subWallets));
    await this.whileStopped(
      () => {
        for (const subWallet of subWallets) this.ledger.addSubWallet(subWallet, counter);
        this.pending.restoreInLedger();
        if (start < Infinity) this.rescanFrom(start);
      },
      () => {
        for (const { publicSpendKey } of subWallets) this.ledger.undoAddSubWallet(publicSpendKey, counterBefore);
      },
    );
  }

  private removeFound(find: () => SubWallet): Promise<void> {
    return this.writeAddresses(async () => {
      const { publicSpendKey } = find();
      await this.whileStopped(() => this.ledger.removeSubWallet(publicSpendKey));
    });
  }

  private rescanFrom(scanHeight: number): void {
    if (isBeforeStart(scanHeight, this.ledger.scanStart())) this.ledger.startAt(scanHeight);
    if (scanHeight > this.ledger.position().height) return;
    this.ledger.rewind(scanHeight);
    this.pending.onRewound(scanHeight);
  }

  /**
   * Changes the ledger while the synchronization is stopped, stores the change and publishes a snapshot.
   * @param undo undoes the change when it cannot be stored
   */
  private async whileStopped(change: () => void, undo?: () => void): Promise<void> {
    await this.synchronizer.stop();
    try {
      // Writes a row in any case, to find a full disk before the change: not every change can be undone.
      this.commit(() => this.dbIfUsable?.log.putProgress({ appliedHeight: this.ledger.appliedHeight }));
      this.change(change, undo);
    } finally {
      this.publish();
      this.synchronizer.start();
    }
  }

  private change(change: () => void, undo: (() => void) | undefined): void {
    try {
      change();
      this.commit();
    } catch (error) {
      if (undo !== undefined) {
        undo();
        this.ledger.takeChanges();
      }
      throw error;
    }
  }

  /** Rejects while the wallet database is damaged: new addresses could not be stored and would be lost. */
  private writeAddresses<T>(task: () => Promise<T>): Promise<T> {
    return this.write(() => {
      this.storage.requireUndamaged();
      return task();
    });
  }

  private pauseForDamage(): void {
    const { damage } = this.storage;
    if (damage !== undefined) this.pause.set('database', damage);
  }

  private write<T>(task: () => Promise<T>): Promise<T> {
    return this.mutex.run(() => {
      this.requireOpen();
      // A damaged row may have been found since the last call.
      this.pauseForDamage();
      return task();
    });
  }

  /** @throws WalletClosed */
  private requireOpen(): void {
    if (this.closed !== undefined) throw new WalletClosed();
  }

  private async end(): Promise<void> {
    // Builds are aborted. A recorded send is still submitted, but a hanging node must not delay the close.
    this.closing.abort(new WalletClosed());
    clearInterval(this.resubmitTimer);
    const limit = setTimeout(() => this.submissionEnd.abort(), SUBMISSION_LIMIT_MS);
    await this.mutex.run(() => undefined);
    clearTimeout(limit);
    await this.synchronizer.stop();
    try {
      await this.storage.close();
    } finally {
      this.currentNodes.close();
    }
  }

  /** Stores the changes of the ledger, the writes of `work` and their events in one database transaction. */
  private commit(work: () => void = () => undefined): void {
    try {
      this.storage.commit(() => {
        work();
        this.storeAnchor();
      });
    } catch (error) {
      // Nothing was stored, so the state in memory must be reverted to the stored one.
      this.recordProblem(() => this.pending.restore());
      throw error;
    }
    this.progressStoredAt = performance.now();
  }

  /** Stores the events of applied blocks with the changes of a commit, and emits all events of the commit after it. */
  private withEvents(commit: (write: () => void) => void): void {
    const recording = this.unrecorded;
    this.unrecorded = [];
    this.newEvents = [];
    try {
      commit(() => this.recordTransactions(recording));
    } catch (error) {
      // The next commit stores them.
      this.unrecorded = [...recording, ...this.unrecorded];
      throw error;
    }
    for (const event of this.newEvents.splice(0)) this.publishTo(() => this.emit('event', event));
  }

  private storeAnchor(): void {
    const { anchor } = this.plausibleHeight;
    if (anchor === this.storedAnchor) return;
    this.db.settings.put(HEIGHT_ANCHOR, anchor);
    this.storedAnchor = anchor;
  }

  private recordEvent(event: NewEvent): void {
    const dated = { ...event, time: this.now() };
    this.newEvents.push({ ...dated, sequence: this.storage.db.events.append(dated) });
  }

  private onPause(pause: Pause | undefined): void {
    if (this.storage.dbIfUsable !== undefined) this.recordPause(pause);
    this.emit('paused', pause);
  }

  private recordPause(pause: Pause | undefined): void {
    const payload = pause === undefined ? {} : { source: pause.source, reason: pause.reason };
    const kind = pause === undefined ? 'sends-resumed' : 'sends-paused';
    this.recordProblem(() => this.commit(() => this.recordEvent({ kind, payload })));
  }

  /** The highest plausible height; Infinity for other networks than mainnet, whose block rate is not limited. */
  private maxHeight(): number {
    return this.dependencies.network.name === 'mainnet' ? this.plausibleHeight.at(this.seconds()) : Infinity;
  }

  /** The tip for counting confirmations: forged blocks above the real tip must not settle or give up a send. */
  private countedHeight(tip: number): number {
    if (this.dependencies.network.name !== 'mainnet') return tip;
    return Math.min(tip, this.plausibleHeight.withoutMargin(this.seconds()));
  }

  /** @throws WalletError notSynchronized, implausibleNodeHeight */
  private sendContext(): SendContext {
    const { network } = this.dependencies;
    const { height } = this.ledger.position();
    const { status } = this.synchronizer;
    // Use the wallet's own height until the node's first response.
    const { localHeight, networkHeight } =
      status.networkHeight === 0 ? { localHeight: height, networkHeight: height } : status;
    const plausible = this.maxHeight();
    const claimed = Math.max(localHeight, networkHeight);
    if (claimed > plausible) throw walletError.implausibleNodeHeight(claimed, plausible);
    if (status.isConverting || localHeight - height > MAX_BLOCKS_BEHIND) throw walletError.notSynchronized();
    const db = this.storage.dbIfUsable;
    const { privateViewKey, isViewWallet, subWallets: all } = this.ledger.content();
    const reserved = db === undefined ? new Map<string, string>() : this.pending.reservedInputs();
    const isFree = ({ key }: { readonly key: string }): boolean => !reserved.has(key);
    const subWallets = reserved.size === 0 ? all : all.map((one) => ({ ...one, unspent: one.unspent.filter(isFree) }));
    return {
      ...{ network, localHeight, networkHeight, privateViewKey, isViewWallet, subWallets },
      appliedHeight: this.ledger.appliedHeight,
      contested: db === undefined ? [] : this.pending.contested(),
      ringOf: (keyImage, amount) => (db === undefined ? undefined : this.pending.ringOf(keyImage, amount)),
    };
  }

  private listen(): void {
    const synchronizer = this.synchronizer;
    const { network } = this.dependencies;
    synchronizer.on('applied', (transactions, block) => this.onApplied(transactions, block));
    synchronizer.on('progressed', () => this.onProgress());
    synchronizer.on('rewound', (height) => {
      this.recordProblem(() => {
        this.pending.onRewound(height);
        this.commit(() => this.recordEvent({ kind: 'rewound', payload: { height } }));
      });
      this.publish();
    });
    synchronizer.on('indexed', () => this.onProgress());
    synchronizer.on('verified', (transactions) => {
      for (const transaction of transactions) this.unpublished.push([transaction, undefined]);
      this.recordProblem(() => {
        this.commit(() => this.recordTransactions(transactions));
        this.pending.onApplied(transactions);
      });
      this.publish();
    });
    synchronizer.on('disproved', ({ height, hash, transactions }) => {
      const payload = { height, block: hash };
      this.recordProblem(() =>
        this.commit(() => {
          for (const { hash: transaction } of transactions) {
            this.recordEvent({ kind: 'transaction-disproved', transaction, payload });
          }
        }),
      );
    });
    synchronizer.on('disagreement', (text) => {
      if (text === undefined) this.pause.end('chainDisagreement');
      else this.pause.set('chainDisagreement', text);
    });
    synchronizer.on('heavierBranch', (branch) => {
      if (branch === undefined) return this.pause.end('heavierBranch');
      const { height, hash } = branch;
      this.pause.set('heavierBranch', `the node refused a heavier branch with block ${String(height)}, ${hash}`);
    });
    synchronizer.on('warning', (text) => void this.emit('warning', text));
    synchronizer.on('unreadable', ({ height }, error) => {
      this.dependencies.warn(`block ${String(height)} could not be read and was skipped: ${errorText(error)}`);
    });
    synchronizer.on('connected', () => void this.resubmitDue());
    synchronizer.on('synced', (height) => {
      this.ledger.releaseAbandoned();
      this.recordProblem(() => {
        this.commit(() => {
          if (!this.db.settings.has(NETWORK)) this.db.settings.put(NETWORK, network.name);
        });
        if (this.storage.dbIfUsable !== undefined) this.pending.onTip(this.countedHeight(height));
      });
      this.publish();
    });
  }

  private onApplied(transactions: readonly WalletTransaction[], block: SyncBlock): void {
    this.plausibleHeight.noteBlock(block, this.seconds());
    for (const transaction of transactions) {
      // Transfers of an earlier block change if the output can no longer be spent.
      const hash = transaction.blockHeight === block.height ? block.hash : undefined;
      this.unpublished.push([transaction, hash]);
    }
    if (transactions.length === 0 || this.storage.dbIfUsable === undefined) return;
    this.unrecorded.push(...transactions);
    this.recordProblem(() => {
      // Blocks without own sends are stored together, because a commit takes longer than a block.
      if (!transactions.some((transaction) => this.pending.isKnown(transaction.hash))) return;
      this.commit();
      this.pending.onApplied(transactions);
    });
  }

  private recordTransactions(transactions: readonly WalletTransaction[]): void {
    for (const { hash: transaction, transfers, blockHeight, unverifiedBlock } of transactions) {
      const kind = unverifiedBlock === undefined ? 'transaction' : 'transaction-unverified';
      for (const { publicSpendKey, amount } of transfers) {
        const subWallet = this.ledger.addressOf(publicSpendKey);
        this.recordEvent({ kind, transaction, subWallet, amount, payload: { height: blockHeight } });
      }
    }
  }

  private onProgress(): void {
    const isDue = performance.now() - this.progressStoredAt >= PROGRESS_INTERVAL_MS;
    if (this.ledger.hasMoneyChanges || isDue) this.recordProblem(() => this.commit());
    this.publish();
  }

  /** Reports a failed write as a warning. Queued changes are stored by the next commit. */
  private recordProblem(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.emit('warning', `the wallet database could not be written: ${writeFailure(error)}`);
    }
  }

  private async resubmitDue(): Promise<void> {
    if (this.storage.dbIfUsable === undefined || this.isClosed) return;
    await this.sender.resubmitPending().catch((error: unknown) => {
      this.emit('warning', `pending transactions could not be submitted again: ${errorText(error)}`);
    });
  }

  private newSnapshot(): WalletSnapshot {
    return new WalletSnapshot(this.ledger.content(), () => this.seconds());
  }

  private publish(): void {
    this.currentSnapshot = this.newSnapshot();
    const transactions = this.unpublished;
    this.unpublished = [];
    this.emit('changed');
    for (const [transaction, blockHash] of transactions) {
      this.publishTo(() => this.emit('transaction', transaction, blockHash));
    }
  }

  /** Emits to listeners. An error of a listener, such as a full disk, is a warning and does not fail the commit. */
  private publishTo(emit: () => void): void {
    try {
      emit();
    } catch (error) {
      this.emit('warning', `a listener of the wallet failed: ${errorText(error)}`);
    }
  }

  private now(): number {
    return (this.dependencies.now ?? Date.now)();
  }

  private seconds(): number {
    return Math.floor(this.now() / 1000);
  }
}

/** The hold for the inputs and own outputs of a signed transaction that is not submitted yet. */
export function heldBy({ hash, pending }: Pick<SignedSend, 'hash' | 'pending'>): HeldTransaction {
  return { hash, inputs: pending.inputs.map(({ output }) => output.key), ownOutputs: pending.ownOutputs };
}

/** Checks the network of the node. A node that does not respond in time is accepted. @throws WalletError foreignNetwork */
async function requireNetwork(nodes: NodeList): Promise<void> {
  // The client compares the genesis block before it returns its first response.
  const info = withTimeout(NETWORK_CHECK_MS, [], (signal) => nodes.info(signal));
  const error = await info.catch((failure: unknown) => failure);
  if (error instanceof NodeFailure && error.kind === 'foreignChain') throw walletError.foreignNetwork();
}

function storageOptions({ now = Date.now, warn }: WalletDependencies, { file, password }: WalletOptions) {
  return { file, password, now, warn };
}
