import {
  type DelayedTransaction,
  type FinishedSend,
  heldOf,
  sealSend,
  type SendRequest,
  type ServedWallet,
  unsealSend,
} from '@wrkz/wallet-core';
import { applicationError, isWalletError } from './errors';

export interface DelayedQueueDependencies extends Pick<ServedWallet, 'wallet' | 'sideFile'> {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** It is with the network now. */
  readonly sent: (send: FinishedSend) => void;
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
    const { wallet, sideFile } = this.dependencies;
    for (const state of UNDONE) {
      for (const { hash } of sideFile.delayed.inState(state)) {
        if (wallet.snapshot.transaction(hash) !== undefined) sideFile.delayed.move(hash, state, 'sent');
      }
    }
    const waiting = UNDONE.flatMap((state) => sideFile.delayed.inState(state));
    wallet.hold(waiting.map((row) => heldOf(this.read(row))));
    wallet.on('cancelled', (hash) => void sideFile.delayed.move(hash, 'sending', 'delayed'));
    wallet.on('transaction', ({ hash }) => {
      for (const state of UNDONE) sideFile.delayed.move(hash, state, 'sent');
    });
  }

  /** @param known hears of the transaction before it counts */
  create(request: SendRequest, known: (built: FinishedSend) => void): Promise<FinishedSend> {
    const { wallet, sideFile, now } = this.dependencies;
    return wallet.delay(request, (built) => {
      known(built);
      const { hash, bytes } = built;
      sideFile.delayed.add({
        hash,
        created: now(),
        bytes,
        intent: sealDelayed(built, wallet.snapshot.content.privateViewKey),
      });
    });
  }

  get(hash: string): DelayedTransaction | undefined {
    return this.dependencies.sideFile.delayed.get(hash);
  }

  /** The finished transaction of a row. */
  read(row: DelayedTransaction): FinishedSend {
    return unsealDelayed(row, this.dependencies.wallet.snapshot.content.privateViewKey);
  }

  /**
   * Those that may be sent, in the order in which they were made. One that was on its way when the program was killed, or the
   * wallet reset, is among them: the same bytes may go out again.
   */
  hashes(): string[] {
    const { delayed } = this.dependencies.sideFile;
    const lost = delayed.inState('sending').filter(({ hash }) => this.isLost(hash));
    return [...delayed.inState('delayed'), ...lost]
      .sort((a, b) => a.created - b.created || (a.hash < b.hash ? -1 : 1))
      .map(({ hash }) => hash);
  }

  /** @throws unknownObject; cannotTransfer if already sent or deleted; WalletError, after which it can be sent again */
  async send(hash: string): Promise<void> {
    const { wallet, sideFile, sent } = this.dependencies;
    const row = sideFile.delayed.get(hash);
    if (row === undefined) throw applicationError('unknownObject');
    const isAgain = row.state === 'sending' && this.isLost(hash);
    if (!isAgain && !sideFile.delayed.move(hash, 'delayed', 'sending')) throw applicationError('cannotTransfer');
    const built = this.read(row);
    this.#leaving.add(hash);
    try {
      await wallet.sendDelayed(built);
    } catch (error) {
      if (isAgain ? isRefusal(error) : !isUnclear(error)) sideFile.delayed.move(hash, 'sending', 'delayed');
      throw error;
    } finally {
      this.#leaving.delete(hash);
    }
    sideFile.delayed.move(hash, 'sending', 'sent');
    wallet.unhold([hash]);
    sent(built);
  }

  /** Whether it was on its way, and the wallet, which lists what is, knows nothing of that (any more). */
  isLost(hash: string): boolean {
    const { snapshot } = this.dependencies.wallet;
    if (this.#leaving.has(hash) || snapshot.transaction(hash) !== undefined) return false;
    return snapshot.unconfirmed().every((transaction) => transaction.hash !== hash);
  }

  /** Lets go of what transactions took that the pool has lost, or that is looked at anew: what waits here stays taken. */
  release(hashes: readonly string[]): void {
    const { wallet, sideFile } = this.dependencies;
    const waits = (hash: string): boolean => ['delayed', 'sending'].includes(sideFile.delayed.get(hash)?.state ?? '');
    wallet.unhold(hashes.filter((hash) => !waits(hash)));
  }

  /** @throws unknownObject; cannotCancel if sent, deleted or being submitted: it may still be mined */
  remove(hash: string): void {
    const { wallet, sideFile } = this.dependencies;
    if (sideFile.delayed.get(hash) === undefined) throw applicationError('unknownObject');
    if (!sideFile.delayed.move(hash, 'delayed', 'deleted')) throw applicationError('cannotCancel');
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

/** A finished transaction as its row keeps it: sealed, since there are secrets in it. */
export function sealDelayed(send: FinishedSend, privateViewKey: string): string {
  return sealSend(send, privateViewKey).toString('base64');
}

/** The finished transaction of a row. @throws Error when another wallet has sealed it */
export function unsealDelayed({ intent }: Pick<DelayedTransaction, 'intent'>, privateViewKey: string): FinishedSend {
  return unsealSend(Buffer.from(intent, 'base64'), privateViewKey);
}
