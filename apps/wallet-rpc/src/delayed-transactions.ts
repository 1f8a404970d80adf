import {
  type DelayedSend,
  heldBy,
  isWalletError,
  type SendObserver,
  type SendRequest,
  type SignedSend,
  storageError,
  type Wallet,
  type WalletDb,
} from '@wrkz/wallet-core';
import { applicationError } from './errors';

export interface DelayedQueueDependencies {
  readonly wallet: Wallet;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Called when a node has accepted a delayed transaction. */
  readonly sent: (send: SignedSend) => void;
}

/** States that end when the transaction is mined: another program or an earlier submission may have published it. */
const OPEN_STATES = ['delayed', 'sending'] as const;

/**
 * Transactions that are built now and sent later. Each is stored in the wallet database before the response, so that it
 * survives a crash. The bytes never change, so no payment is made twice
 * (docs/operations/wallet-rpc.md#delayed-transactions).
 */
export class DelayedTransactionQueue {
  /** Hashes of transactions that a running request submits. */
  private readonly submitting = new Set<string>();

  constructor(private readonly dependencies: DelayedQueueDependencies) {}

  /** Locks the inputs of delayed transactions of earlier runs, and subscribes to events of the wallet. */
  start(): void {
    const { wallet } = this.dependencies;
    try {
      if (wallet.dbIfUsable !== undefined) this.load(wallet.dbIfUsable);
    } catch (error) {
      // Sends are paused until the operator resumes them, with or without the damaged rows.
      if (!isWalletError(storageError(error), 'walletDatabaseDamaged')) throw error;
    }
    wallet.on('event', ({ kind, transaction = '' }) => {
      if (kind === 'send-given-up') wallet.dbIfUsable?.delayed.move(transaction, 'sending', 'delayed');
    });
    wallet.on('transaction', ({ hash }) => {
      for (const state of OPEN_STATES) wallet.dbIfUsable?.delayed.move(hash, state, 'sent');
    });
  }

  private load({ delayed }: WalletDb): void {
    const { wallet } = this.dependencies;
    for (const state of OPEN_STATES) {
      for (const { hash } of delayed.inState(state)) {
        if (wallet.snapshot.transaction(hash) !== undefined) delayed.move(hash, state, 'sent');
      }
    }
    const waiting = OPEN_STATES.flatMap((state) => delayed.inState(state));
    wallet.hold(waiting.map(({ signed }) => heldBy(signed)));
  }

  /** Builds and stores a transaction. @param store called in the database transaction that stores it */
  create(request: SendRequest, store: (signed: SignedSend) => void): Promise<SignedSend> {
    const { wallet, now } = this.dependencies;
    return wallet.delay(request, (signed) => {
      wallet.db.transaction(() => {
        store(signed);
        wallet.db.delayed.add({ hash: signed.hash, created: now(), signed });
      });
    });
  }

  get(hash: string): DelayedSend | undefined {
    return this.dependencies.wallet.dbIfUsable?.delayed.get(hash);
  }

  /**
   * Hashes of the transactions that can be sent, by creation time. Includes transactions whose submission was interrupted by a
   * crash or a reset, because the same bytes can be submitted again.
   * @throws WalletError walletDatabaseDamaged
   */
  hashes(): string[] {
    const { delayed } = this.dependencies.wallet.db;
    const lost = delayed.inState('sending').filter(({ hash }) => this.isLost(hash));
    return [...delayed.inState('delayed'), ...lost]
      .sort((a, b) => a.created - b.created || (a.hash < b.hash ? -1 : 1))
      .map(({ hash }) => hash);
  }

  /**
   * Submits a transaction. After a WalletError it can be sent again.
   * @throws unknownObject; cannotTransfer if it was already sent or deleted; WalletError
   */
  async send(hash: string, observer?: SendObserver): Promise<void> {
    const { wallet, sent } = this.dependencies;
    const row = wallet.db.delayed.get(hash);
    if (row === undefined) throw applicationError('unknownObject');
    const isAgain = row.state === 'sending' && this.isLost(hash);
    if (!isAgain && !wallet.db.delayed.move(hash, 'delayed', 'sending')) throw applicationError('cannotTransfer');
    const { signed } = row;
    this.submitting.add(hash);
    try {
      await wallet.sendDelayed(signed, observer);
    } catch (error) {
      // Again: the node refused the transaction and does not have it from an earlier submission. An unknown outcome stays
      // `sending` until a block or a response of the node determines it.
      const isUnsent = isAgain ? isWalletError(error, 'daemonError') : !isWalletError(error, 'daemonStillProcessing');
      if (isUnsent) this.settle(hash, 'delayed');
      throw error;
    } finally {
      this.submitting.delete(hash);
    }
    this.settle(hash, 'sent');
    wallet.unhold([hash]);
    sent(signed);
  }

  /** Stores the state after a submission. A full disk must not hide the outcome: the client would pay again. */
  private settle(hash: string, state: 'sent' | 'delayed'): void {
    try {
      this.dependencies.wallet.db.delayed.move(hash, 'sending', state);
    } catch {
      // The transaction stays `sending` until a block or another submission determines the state, or until it is deleted.
    }
  }

  /** Whether the submission was interrupted: no request submits the transaction, and the wallet does not list it. */
  isLost(hash: string): boolean {
    const { snapshot } = this.dependencies.wallet;
    if (this.submitting.has(hash) || snapshot.transaction(hash) !== undefined) return false;
    return snapshot.unconfirmed().every((transaction) => transaction.hash !== hash);
  }

  /** Unlocks the inputs of transactions that left the pool, except those of delayed transactions. */
  release(hashes: readonly string[]): void {
    const { wallet } = this.dependencies;
    const isOpen = (hash: string): boolean => OPEN_STATES.some((state) => state === this.get(hash)?.state);
    wallet.unhold(hashes.filter((hash) => !isOpen(hash)));
  }

  /** Deletes a transaction. @throws unknownObject; cannotCancel if it was sent or deleted, or may have been submitted */
  remove(hash: string): void {
    const { wallet } = this.dependencies;
    if (wallet.db.delayed.get(hash) === undefined) throw applicationError('unknownObject');
    const from = this.isUnsent(hash) ? 'sending' : 'delayed';
    if (!wallet.db.delayed.move(hash, from, 'deleted')) throw applicationError('cannotCancel');
    wallet.unhold([hash]);
  }

  /** Whether an interrupted submission ended without a node that has the transaction, but its state could not be stored. */
  private isUnsent(hash: string): boolean {
    const { db } = this.dependencies.wallet;
    if (db.delayed.get(hash)?.state !== 'sending' || !this.isLost(hash)) return false;
    const send = db.sends.get(hash);
    // A send is recorded before its submission. The record is deleted if it reached no node, or if it was damaged.
    if (send === undefined) return db.identity.loss !== 'damaged';
    return send.state === 'refused' || send.state === 'givenUp';
  }
}
