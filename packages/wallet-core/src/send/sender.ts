import type { IndexesByTransaction, NodeCalls, NodeList } from '@wrkz/client';
import { REASONS } from '@wrkz/consensus';
import { generateKeyPair } from '@wrkz/crypto';
import { buildSend, estimateSend, type SendEstimate } from '../transaction/build-send';
import { unlocked } from '../transaction/coin-selection';
import type { SendContext, SendPorts, SendRequest, SendSummary, SignedSend } from '../transaction/model';
import { estimateSweep, sweep, type SweepEstimate, type SweepRequest, type SweepResult } from '../transaction/sweep';
import { nodeRefusal, walletError, WalletError } from '../errors';
import { LedgerFault, type WalletOutput } from '../ledger/model';
import type { PowClient } from '../pow-client/pow-client';
import { indexOf, type IndexReport, requestIndexesAgain } from '../sync/index-finder';
import { TimedOutNodes, SubmissionNode } from './node';
import type { PendingSends, PendingSendsDependencies } from './pending-sends';
import type { SendPause } from './pause';
import { UncertainCommit } from '../wallet-db/sealed-database';
import { submitSend } from './submit';

/** Callbacks for the transactions of one request. A sweep sends several. */
export interface SendObserver {
  /** Called before the submission, within the database transaction that records the send. An error prevents the submission. */
  submitting?(send: SignedSend): void;
  /** The send reached no node, or a node refused it. Called within the database transaction that records this. */
  rejected?(send: SignedSend): void;
  /** The send was submitted, and it is unknown whether a node accepted it. */
  uncertain?(send: SignedSend): void;
}

/** Max number of outputs whose global indexes are requested again after a wrong one. */
const MAX_CORRECTED = 100;

export interface SenderDependencies extends PendingSendsDependencies {
  readonly pending: PendingSends;
  readonly pause: SendPause;
  readonly nodes: () => NodeList;
  readonly pow: Pick<PowClient, 'findNonce'>;
  /** @throws WalletError notSynchronized, implausibleNodeHeight */
  readonly context: () => SendContext;
  /** Called after the ledger has changed, to publish a snapshot. */
  readonly changed: () => void;
  readonly onRingFallback: NonNullable<SendPorts['onRingFallback']>;
  /** Aborts builds when the wallet closes. */
  readonly signal: AbortSignal;
  /** Aborts the wait for the response to a submission, whose outcome is then uncertain. */
  readonly submissionSignal: AbortSignal;
}

/**
 * Builds, records and submits transactions, in this order (docs/protocol/wallet.md#own-sends). A send is stored in the wallet
 * database before it is submitted. The caller runs one send at a time.
 */
export class TransactionSender {
  private readonly timedOut = new TimedOutNodes();
  /** Hash of the transaction whose first submission, or first one after a refusal, is running. */
  private firstSubmission: string | undefined;

  constructor(private readonly dependencies: SenderDependencies) {}

  /** @throws WalletError; nothing was paid, unless the error is daemonStillProcessing */
  async send(request: SendRequest, observer?: SendObserver): Promise<SignedSend> {
    const signed = await this.build(request);
    await this.recordAndSubmit(signed, observer);
    return signed;
  }

  /** Builds and signs a transaction without recording it. */
  build(request: SendRequest): Promise<SignedSend> {
    this.dependencies.pause.check();
    return buildSend(request, this.dependencies.context(), this.buildPorts());
  }

  estimate(request: SendRequest): Promise<SendEstimate> {
    return estimateSend(request, this.dependencies.context(), this.ports());
  }

  /** Builds and stores a transaction without locking its inputs. @param creator name of the access key */
  async prepare(request: SendRequest, creator = ''): Promise<SignedSend> {
    const signed = await this.build(request);
    const { hash } = signed;
    const { commit, db, now } = this.dependencies;
    const destinations = request.destinations.map(({ address }) => address);
    commit(() => db().prepared.put(hash, { hash, signed, creator, destinations, created: now() }));
    return signed;
  }

  /**
   * Submits a prepared transaction and deletes it after the submission. After a failure it can be submitted again.
   * @throws WalletError preparedTransactionNotFound, preparedTransactionExpired (it is then deleted),
   * refusedTransactionUnresolved, and those of a submission
   */
  async sendPrepared(hash: string, observer?: SendObserver): Promise<SignedSend> {
    const { db, ledger } = this.dependencies;
    const id = hash.toLowerCase();
    const signed = db().prepared.get(id)?.signed;
    if (signed === undefined) throw walletError.preparedTransactionNotFound();
    if (!this.isMined(id)) {
      if (ledger.confirmed(id) !== undefined) throw walletError.daemonStillProcessing();
      this.dependencies.pause.check();
      // A pending send may be mined although a block has a larger output with the key of an input.
      if (!this.isPending(id) && !this.hasItsInputs(signed)) {
        this.deletePrepared(id);
        throw walletError.preparedTransactionExpired();
      }
      this.checkContested(signed);
      await this.recordAndSubmit(signed, observer);
    }
    try {
      this.deletePrepared(id);
    } catch {
      // A full disk must not hide the outcome: the client would pay again. A later request submits the same bytes.
    }
    return signed;
  }

  /** @returns false when there is none */
  deletePrepared(hash: string): boolean {
    const { commit, db } = this.dependencies;
    let isDeleted = false;
    commit(() => {
      isDeleted = db().prepared.delete(hash.toLowerCase());
    });
    return isDeleted;
  }

  /** Submits a delayed transaction. @throws WalletError refusedTransactionUnresolved, and those of a submission */
  async sendSigned(signed: SignedSend, observer?: SendObserver): Promise<void> {
    this.checkContested(signed);
    await this.recordAndSubmit(signed, observer);
  }

  /**
   * Submits the stored bytes of an earlier send again, for a repeated request.
   * @returns the send; undefined if the transaction must be rebuilt, because it reached no node or its bytes can no longer be
   * mined: they violate the network's rules, a global index was corrected, or a ring was replaced
   * @throws WalletError transactionGivenUp; idempotencyKeyUnderWay while another send locks its inputs; those of `send`
   */
  async resubmit(hash: string, observer?: SendObserver): Promise<SendSummary | undefined> {
    const { pending, ledger } = this.dependencies;
    const stored = pending.get(hash);
    if (stored === undefined) return undefined;
    const { state, signed, summary } = stored;
    if (state === 'confirmed' || state === 'settled' || this.isMined(hash)) return summary;
    if (state === 'givenUp') throw walletError.transactionGivenUp(hash, stored.reason ?? '');
    if (signed === undefined) return undefined;
    if (state === 'refused') {
      const { localHeight } = this.dependencies.context();
      if (pending.hasReplacedRing(signed) || pending.ruleAgainst(signed, localHeight) !== undefined) return undefined;
    }
    if (!ledger.hasSend(hash) && !this.hasItsInputs(signed)) throw walletError.idempotencyKeyUnderWay();
    await this.recordAndSubmit(signed, state === 'refused' ? observer : undefined);
    return summary;
  }

  /**
   * Submits every pending transaction to every node of the list. A refusal only makes the wallet check global indexes. A
   * running first submission is skipped: if it fails, the transaction is removed, and then no node may have it.
   */
  async resubmitPending(): Promise<void> {
    const { nodes, pending, signal } = this.dependencies;
    for (const { hash } of pending.pending()) {
      const stored = pending.get(hash);
      if (stored?.state !== 'pending' || stored.signed === undefined || this.firstSubmission === hash) continue;
      if (signal.aborted) return;
      const verdicts = await nodes().broadcast(stored.signed.bytes, signal);
      if (verdicts.some((verdict) => !verdict.isAccepted && blamesRing(verdict.reason))) {
        await this.hasRightIndexes(inputsOf(stored.signed), hash);
      }
    }
    const foreign = pending.foreign();
    if (foreign.length > 0) pending.noteForeign((await nodes().transactionPlaces(foreign, signal)).unknown);
  }

  sweep(request: SweepRequest, observer?: SendObserver): Promise<SweepResult> {
    this.dependencies.pause.check();
    const { context } = this.dependencies;
    return sweep(request, context, this.buildPorts(), (signed) => this.recordAndSubmit(signed, observer));
  }

  estimateSweep(request: SweepRequest): Promise<SweepEstimate[]> {
    return estimateSweep(request, this.dependencies.context, this.ports());
  }

  private async recordAndSubmit(signed: SignedSend, observer: SendObserver | undefined): Promise<void> {
    const { pending, commit, event, pause } = this.dependencies;
    const { hash } = signed;
    // Sends may have been paused during the build, or since the previous transaction of a sweep.
    pause.check();
    const before = pending.get(hash);
    const isFirst = this.record(signed, observer);
    if (isFirst) this.firstSubmission = hash;
    const { nodes, submissionSignal } = this.dependencies;
    const node = new SubmissionNode(nodes, this.timedOut, submissionSignal);
    const outcome = await submitSend(signed, node).finally(() => (this.firstSubmission = undefined));
    switch (outcome.kind) {
      case 'accepted':
        return;
      case 'uncertain':
        observer?.uncertain?.(signed);
        throw walletError.daemonStillProcessing();
      case 'unsent':
        // A pending send may still be mined: the client must not treat it as unpaid.
        if (!isFirst) throw walletError.daemonStillProcessing();
        this.withdraw(signed, observer, () => {
          pending.undoAdd(hash, before);
          event({ kind: 'send-unsent', transaction: hash });
        });
        throw walletError.daemonOffline();
      case 'refused':
        if (isFirst) this.withdraw(signed, observer, () => pending.refuse(signed, outcome.reason ?? ''));
        if (blamesRing(outcome.reason) && (await this.hasRightIndexes(inputsOf(signed), signed.hash)) && isFirst) {
          commit(() => pending.countRingRefusal(signed));
        }
        if (!isFirst) throw walletError.daemonStillProcessing();
        throw outcome.hasVerdict ? nodeRefusal(outcome.reason) : walletError.daemonOffline();
    }
  }

  /** Records a send. @returns whether this is its first submission, or the first one after a refusal */
  private record(signed: SignedSend, observer: SendObserver | undefined): boolean {
    const { signal, ledger, pending, commit, db, event, changed } = this.dependencies;
    const { hash, fee } = signed;
    signal.throwIfAborted();
    if (ledger.hasSend(hash)) {
      commit(() => {
        db().checkInPlace();
        observer?.submitting?.(signed);
      });
      return false;
    }
    try {
      ledger.recordSend(signed.pending);
    } catch (error) {
      if (!(error instanceof LedgerFault)) throw error;
      // A reset removed the send from the ledger, and it may be mined.
      if (this.isPending(hash)) throw walletError.daemonStillProcessing();
      // A block applied during the build spent an input or contains the transaction.
      throw walletError.preparedTransactionExpired();
    }
    try {
      commit(() => {
        // A commit to a removed file succeeds, but the next start would not know the send and its idempotency key.
        db().checkInPlace();
        pending.add(signed);
        const amount = signed.pending.transfers.reduce((sum, transfer) => sum + transfer.amount, 0n);
        event({ kind: 'send', transaction: hash, amount, payload: { fee } });
        observer?.submitting?.(signed);
      });
    } catch (error) {
      ledger.forgetSend(hash);
      if (!(error instanceof WalletError && error.cause instanceof UncertainCommit)) throw error;
      // The next start may find the send in the database and submit it.
      observer?.uncertain?.(signed);
      throw walletError.daemonStillProcessing();
    } finally {
      changed();
    }
    return true;
  }

  /**
   * Unlocks the inputs of a send that no node has accepted.
   * @throws WalletError daemonStillProcessing when that cannot be stored: the send then stays pending and is resubmitted
   */
  private withdraw(signed: SignedSend, observer: SendObserver | undefined, store: () => void): void {
    const { pending, ledger, commit, changed } = this.dependencies;
    ledger.forgetSend(signed.hash);
    // Its input may be the removed copy of change that another send still expects.
    pending.restoreInLedger();
    try {
      commit(() => {
        store();
        observer?.rejected?.(signed);
      });
    } catch {
      observer?.uncertain?.(signed);
      throw walletError.daemonStillProcessing();
    } finally {
      changed();
    }
  }

  private isPending(hash: string): boolean {
    return this.dependencies.pending.get(hash)?.state === 'pending';
  }

  /** Whether a verified block has the transaction. An unverified block may be forged, so its transactions are still submitted. */
  private isMined(hash: string): boolean {
    const transaction = this.dependencies.ledger.confirmed(hash);
    return transaction !== undefined && transaction.unverifiedBlock === undefined;
  }

  /**
   * Prevents a double payment by a transaction that was built before another one was refused.
   * @throws WalletError refusedTransactionUnresolved when it shares no input with a contested send of the same addresses
   */
  private checkContested({ hash, pending: { inputs } }: SignedSend): void {
    const { context, pending } = this.dependencies;
    const state = pending.get(hash)?.state;
    if (state === 'pending' || state === 'refused' || state === 'givenUp') return;
    const owners = new Set(inputs.map(({ publicSpendKey }) => publicSpendKey));
    const keys = new Set(inputs.map(({ output }) => output.key));
    for (const other of context().contested) {
      const isOfOwners = other.inputs.some(({ publicSpendKey }) => owners.has(publicSpendKey));
      if (other.isReplaced || !isOfOwners || other.inputs.some(({ key }) => keys.has(key))) continue;
      throw walletError.refusedTransactionUnresolved(other.hash);
    }
  }

  /** Whether all inputs are unspent, or locked by the transaction itself, and no larger output with their key replaced one. */
  private hasItsInputs({ hash, pending }: SignedSend): boolean {
    const { subWallets, localHeight } = this.dependencies.context();
    const usable = new Map<string, bigint>();
    for (const { output } of unlocked(subWallets, localHeight, this.seconds())) usable.set(output.key, output.amount);
    for (const { locked } of subWallets) {
      for (const { key, amount, spendingTransactionHash } of locked) {
        if (spendingTransactionHash === hash) usable.set(key, amount);
      }
    }
    const { ledger } = this.dependencies;
    for (const [key, holder] of this.dependencies.pending.reservedInputs()) {
      const place = ledger.findOutput(key);
      if (holder === hash && place?.list === 'unspent') usable.set(key, place.output.amount);
    }
    return pending.inputs.every(({ output: { key, amount } }) => usable.get(key) === amount);
  }

  /**
   * Requests the global indexes of outputs again and corrects those that a node contradicts, starting with the serving node.
   * The node that reported a wrong index may confirm it, and probably also reported those of outputs at similar heights, so
   * these are corrected too.
   * @returns whether a node confirmed all indexes
   */
  private async hasRightIndexes(outputs: readonly WalletOutput[], transaction?: string): Promise<boolean> {
    const { nodes, ledger } = this.dependencies;
    const { serving, others } = nodes();
    const reports = await this.reportedIndexes([serving, ...others], outputs);
    const contradiction = reports.find(({ indexes }) => wrongOnes(outputs, indexes).length > 0);
    if (contradiction !== undefined) {
      const { node, indexes } = contradiction;
      const [height = 0] = wrongOnes(outputs, indexes).map(({ blockHeight }) => blockHeight);
      this.correctIndexes(outputs, indexes, transaction);
      const distance = ({ blockHeight }: WalletOutput): number => Math.abs(blockHeight - height);
      const unspent = ledger.content().subWallets.flatMap((subWallet) => subWallet.unspent);
      const nearest = unspent.sort((a, b) => distance(a) - distance(b)).slice(0, MAX_CORRECTED);
      const [report] = await this.reportedIndexes([node], nearest);
      if (report !== undefined) this.correctIndexes(nearest, report.indexes, transaction);
    }
    return reports.some(({ indexes }) => wrongOnes(outputs, indexes).length === 0);
  }

  private reportedIndexes(nodes: readonly NodeCalls[], outputs: readonly WalletOutput[]): Promise<IndexReport[]> {
    return requestIndexesAgain(nodes, outputs, this.dependencies.signal).catch(() => []);
  }

  private correctIndexes(
    outputs: readonly WalletOutput[],
    indexes: IndexesByTransaction,
    transaction: string | undefined,
  ): void {
    const { ledger, commit, event, changed } = this.dependencies;
    const wrong = wrongOnes(outputs, indexes);
    if (wrong.length === 0) return;
    ledger.setGlobalIndexes(indexes, true);
    commit(() => event({ kind: 'indexes-corrected', transaction, payload: { outputs: wrong.map(({ key }) => key) } }));
    changed();
  }

  private seconds(): number {
    return Math.floor(this.dependencies.now() / 1000);
  }

  private buildPorts(): SendPorts {
    return { ...this.ports(), onIndexConflict: async (outputs) => void (await this.hasRightIndexes(outputs)) };
  }

  private ports(): SendPorts {
    const { nodes, pow, signal, onRingFallback } = this.dependencies;
    return {
      node: new SubmissionNode(nodes, this.timedOut, signal),
      pow,
      transactionKeys: generateKeyPair,
      now: () => this.seconds(),
      signal,
      onRingFallback,
    };
  }
}

const wrongOnes = (outputs: readonly WalletOutput[], indexes: IndexesByTransaction): WalletOutput[] =>
  outputs.filter((output) => indexOf(indexes, output) !== output.globalIndex);

const inputsOf = ({ pending }: SignedSend): WalletOutput[] => pending.inputs.map(({ output }) => output);

/** Whether a node refused a transaction because of its ring members: wrong global indexes, false or locked decoys. */
function blamesRing(reason = ''): boolean {
  const { INPUT_INVALID_GLOBAL_INDEX, INPUT_INVALID_SIGNATURES, INPUT_SPEND_LOCKED_OUT } = REASONS;
  // A node skips ring members that do not exist, and then finds too many signatures.
  const { INPUT_INVALID_SIGNATURES_COUNT: MISSING_MEMBER } = REASONS;
  const reasons = [INPUT_INVALID_GLOBAL_INDEX, INPUT_INVALID_SIGNATURES, MISSING_MEMBER, INPUT_SPEND_LOCKED_OUT];
  return reasons.some(({ text }) => reason.includes(text));
}
