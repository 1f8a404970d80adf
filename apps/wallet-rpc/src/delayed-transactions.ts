import {
  type DelayedSend,
  heldBy,
  isWalletError,
  type SendObserver,
  type SendRequest,
  type SignedSend,
  type Wallet,
} from '@wrkz/wallet-core';
import { applicationError } from './errors';

export interface DelayedQueueDependencies {
  readonly wallet: Wallet;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** It is with the network now. */
  readonly sent: (send: SignedSend) => void;
}

/** A block that holds one ends these: it may have been given up before, or brought out by another program. */
const UNDONE = ['delayed', 'sending'] as const;

/**
 * Transactions that were built and answered and are sent later. They stand in the side file before they are answered, so no
 * kill loses one, and their bytes never change, so none is paid twice (docs/operations/wallet-rpc.md#delayed-transactions).
 */
export class DelayedTransactionQueue {
  /** On their way in this run. */
  readonly #leaving = new Set<string>();

  constructor(private readonly dependencies: DelayedQueueDependencies) {}

  /** Takes up what an earlier run has left. */
  start(): void {
    const { wallet } = this.dependencies;
    for (const state of UNDONE) {
      for (const { hash } of wallet.db.delayed.inState(state)) {
        if (wallet.snapshot.transaction(hash) !== undefined) wallet.db.delayed.move(hash, state, 'sent');
      }
    }
    const waiting = UNDONE.flatMap((state) => wallet.db.delayed.inState(state));
    wallet.hold(waiting.map(({ signed }) => heldBy(signed)));
    wallet.on('event', ({ kind, transaction = '' }) => {
      if (kind === 'send-given-up') wallet.db.delayed.move(transaction, 'sending', 'delayed');
    });
    wallet.on('transaction', ({ hash }) => {
      for (const state of UNDONE) wallet.db.delayed.move(hash, state, 'sent');
    });
  }

  /** @param store is called in the transaction that stores the delayed transaction */
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
    return this.dependencies.wallet.db.delayed.get(hash);
  }

  /**
   * Those that may be sent, in the order in which they were made. One that was on its way when the program was killed, or the
   * wallet reset, is among them: the same bytes may go out again.
   */
  hashes(): string[] {
    const { delayed } = this.dependencies.wallet.db;
    const lost = delayed.inState('sending').filter(({ hash }) => this.isLost(hash));
    return [...delayed.inState('delayed'), ...lost]
      .sort((a, b) => a.created - b.created || (a.hash < b.hash ? -1 : 1))
      .map(({ hash }) => hash);
  }

  /** @throws unknownObject; cannotTransfer if already sent or deleted; WalletError, after which it can be sent again */
  async send(hash: string, observer?: SendObserver): Promise<void> {
    const { wallet, sent } = this.dependencies;
    const row = wallet.db.delayed.get(hash);
    if (row === undefined) throw applicationError('unknownObject');
    const isAgain = row.state === 'sending' && this.isLost(hash);
    if (!isAgain && !wallet.db.delayed.move(hash, 'delayed', 'sending')) throw applicationError('cannotTransfer');
    const { signed } = row;
    this.#leaving.add(hash);
    try {
      await wallet.sendDelayed(signed, observer);
    } catch (error) {
      if (isAgain ? isRefusal(error) : !isUnclear(error)) wallet.db.delayed.move(hash, 'sending', 'delayed');
      throw error;
    } finally {
      this.#leaving.delete(hash);
    }
    wallet.db.delayed.move(hash, 'sending', 'sent');
    wallet.unhold([hash]);
    sent(signed);
  }

  /** Whether it was on its way, and the wallet, which lists what is, knows nothing of that (any more). */
  isLost(hash: string): boolean {
    const { snapshot } = this.dependencies.wallet;
    if (this.#leaving.has(hash) || snapshot.transaction(hash) !== undefined) return false;
    return snapshot.unconfirmed().every((transaction) => transaction.hash !== hash);
  }

  /** Lets go of what transactions took that the pool has lost, or that is looked at anew: what waits here stays taken. */
  release(hashes: readonly string[]): void {
    const { wallet } = this.dependencies;
    const waits = (hash: string): boolean => ['delayed', 'sending'].includes(wallet.db.delayed.get(hash)?.state ?? '');
    wallet.unhold(hashes.filter((hash) => !waits(hash)));
  }

  /** @throws unknownObject; cannotCancel if sent, deleted or being submitted: it may still be mined */
  remove(hash: string): void {
    const { wallet } = this.dependencies;
    if (wallet.db.delayed.get(hash) === undefined) throw applicationError('unknownObject');
    if (!wallet.db.delayed.move(hash, 'delayed', 'deleted')) throw applicationError('cannotCancel');
    wallet.unhold([hash]);
  }
}

/** The node does not take it and, asked by its hash, does not know it: then it has not left before either. */
function isRefusal(error: unknown): boolean {
  return isWalletError(error, 'daemonError');
}

/** Whether the node has it is not known: it stays on its way until a block or the node's word says so. */
function isUnclear(error: unknown): boolean {
  return isWalletError(error, 'daemonStillProcessing');
}
