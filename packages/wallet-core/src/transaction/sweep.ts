import type { Address } from '@wrkz/core-types';
import { isWalletError, missingGlobalIndex, WalletError, walletError } from '../errors';
import { checkPaymentId, checkReceiver, commonPaymentId } from '../keys/addresses';
import { assemble, type Distribution, type Plan, TooLarge } from './assemble';
import { describePlan, type SendEstimate, spendableInputs } from './build-send';
import { primaryOf, type SendSettings, termsOf } from './check-request';
import {
  contestedInputs,
  estimateSize,
  indexedInputs,
  inputsThatFit,
  type OwnedInput,
  smallestFirstByDigits,
  sumOf,
} from './coin-selection';
import type { SendContext, SendPorts, SignedSend } from './model';
import { denominationsOf } from './outputs';
import { findRareAmounts, TooFewDecoys, withRingFallback } from './rings';
import { signPlan } from './sign';

export interface SweepRequest {
  readonly destination: string;
  /** Atomic units; omitted or 0 for everything. */
  readonly amount?: bigint | undefined;
  readonly paymentId?: string | undefined;
}

export type SweepEntry =
  | { readonly success: true; readonly transactionHash: string; readonly fee: bigint; readonly mixin: number }
  | { readonly success: false; readonly errorCode: number; readonly errorMessage: string };

export interface SweepResult {
  readonly entries: readonly SweepEntry[];
  /** Amount paid to the destination by transactions that were sent or may have been sent. */
  readonly paid: bigint;
  readonly fees: bigint;
  /** The part of the requested amount that is not paid; 0 when everything was requested. */
  readonly unpaid: bigint;
  /** Unlocked outputs that no transaction of this sweep spends. */
  readonly left: { readonly outputs: number; readonly amount: bigint };
}

/** Size, cost and paid amount of one transaction of a sweep. */
export type SweepEstimate = SendEstimate & { readonly amount: bigint };

/** Errors after which the next batch would fail too, or could pay twice. */
const isFinal = (error: WalletError): boolean =>
  isWalletError(
    error,
    'daemonOffline',
    'daemonStillProcessing',
    'invalidWalletFilename',
    'keyLimitExceeded',
    'refusedTransactionUnresolved',
    'sendsPaused',
    'notSynchronized',
    'implausibleNodeHeight',
  );

/**
 * Sends everything, or an exact amount, in as many transactions as necessary (docs/protocol/wallet.md#sweeps). Each is
 * recorded and submitted before the next one is built. Errors are returned as entries. Outputs whose amounts have too few
 * decoys are not spent; an entry with notEnoughFakeOutputs reports them.
 * @param readContext returns the current state of the wallet; called before each transaction
 * @param dispatch records and submits a transaction
 */
export async function sweep(
  request: SweepRequest,
  readContext: () => SendContext,
  ports: SendPorts,
  dispatch: (send: SignedSend) => Promise<void>,
): Promise<SweepResult> {
  const entries: SweepEntry[] = [];
  const run = new Sweep(request, readContext, ports);
  const sendPlan = async (plan: Plan): Promise<void> => {
    const send = await signPlan(plan, ports);
    await dispatch(send);
    entries.push({ success: true, transactionHash: send.hash, fee: send.fee, mixin: send.mixin });
  };
  const addFailure = ({ code, message }: WalletError): void => {
    entries.push({ success: false, errorCode: code, errorMessage: message });
  };
  await run.batches(sendPlan, addFailure).catch((error: unknown) => addFailure(walletErrorOf(error)));
  return { entries, ...run.sums() };
}

/** One entry per transaction that a sweep would send. @throws WalletError when the sweep or a transaction is not possible */
export async function estimateSweep(
  request: SweepRequest,
  readContext: () => SendContext,
  ports: SendPorts,
): Promise<SweepEstimate[]> {
  const rows: SweepEstimate[] = [];
  const addRow = (plan: Plan): void => void rows.push({ ...describePlan(plan), amount: plan.paid });
  await new Sweep(request, readContext, ports).batches(addRow, (error) => {
    throw error;
  });
  return rows;
}

class Sweep {
  /** Inputs of the next batches, in the order of the coin selection. */
  private queue: OwnedInput[] = [];
  private unpaid: bigint | undefined;
  private paid = 0n;
  private fees = 0n;
  private all: readonly OwnedInput[] = [];
  /** The error for outputs whose amounts have too few decoys. */
  private shortage: WalletError | undefined;
  /** One-time keys of inputs in transactions that were sent or may have been sent. */
  private readonly spent = new Set<string>();

  constructor(
    private readonly request: SweepRequest,
    private readonly readContext: () => SendContext,
    private readonly ports: SendPorts,
  ) {}

  /**
   * Plans and processes one batch after another.
   * @param onFailure called with the error of a batch
   * @throws WalletError when the sweep cannot begin; the errors of `onFailure`
   */
  async batches(process: (plan: Plan) => Promise<void> | void, onFailure: (error: WalletError) => void): Promise<void> {
    const to = checkReceiver(this.request.destination);
    const paymentId = commonPaymentId(this.request.paymentId ?? '', [to]);
    if (paymentId !== '') checkPaymentId(paymentId);
    await this.begin(this.settings(paymentId));
    while (this.queue.length > 0 && this.unpaid !== 0n) {
      this.ports.signal?.throwIfAborted();
      const settings = this.settings(paymentId);
      const { inputs, required } = this.nextInputs(settings);
      if (inputs.length === 0) break;
      try {
        const plan = await withRingFallback(settings, (mixin) =>
          planBatch(settings, mixin, { inputs, required, to, unpaid: this.unpaid }, this.ports),
        );
        this.putBack(inputs, plan);
        await this.process(plan, process);
      } catch (error) {
        const failure =
          error instanceof TooFewDecoys ? await this.skipRare(settings, inputs, error) : walletErrorOf(error);
        if (failure === undefined) continue;
        onFailure(failure);
        if (isFinal(failure)) return;
      }
    }
    if (this.shortage !== undefined && this.unpaid !== 0n) onFailure(this.shortage);
  }

  sums(): Omit<SweepResult, 'entries'> {
    const left = this.all.filter(({ output }) => !this.spent.has(output.key));
    return {
      paid: this.paid,
      fees: this.fees,
      unpaid: this.unpaid ?? 0n,
      left: { outputs: left.length, amount: sumOf(left) },
    };
  }

  /** Processes a plan. Its amount counts as paid even if the submission is uncertain, so that it is not paid twice. */
  private async process(plan: Plan, process: (plan: Plan) => Promise<void> | void): Promise<void> {
    try {
      await process(plan);
      this.count(plan);
    } catch (error) {
      if (isWalletError(error, 'daemonStillProcessing')) this.count(plan);
      throw error;
    }
  }

  private count({ paid, fee, rings }: Plan): void {
    this.paid += paid;
    this.fees += fee;
    if (this.unpaid !== undefined) this.unpaid -= paid;
    for (const { input } of rings) this.spent.add(input.output.key);
  }

  private settings(paymentId: string): SendSettings {
    const context = this.readContext();
    const terms = termsOf(context);
    const { subWallets } = context;
    const empty = Buffer.alloc(0);
    return {
      ...{ context, terms, paymentId, data: empty, fields: empty, sources: subWallets },
      ...{ fees: terms.fees({ kind: 'minimum' }), change: primaryOf(subWallets), unlockTime: terms.defaultUnlockTime },
      ...{ mixin: terms.defaultMixin, ringFallback: true },
    };
  }

  /** @throws WalletError tooManyInputsToFitInBlock, notEnoughBalance, daemonError (no global index) */
  private async begin(settings: SendSettings): Promise<void> {
    if (batchCapacity(settings) === 0) throw walletError.tooManyInputsToFitInBlock();
    this.all = [...smallestFirstByDigits(spendableInputs(settings, this.ports.now()))];
    this.queue = await indexedInputs(this.all, this.ports);
    const { amount = 0n } = this.request;
    if (amount > 0n) this.unpaid = amount;
    if (this.queue.length > 0 && (amount === 0n || this.covers(settings, amount))) return;
    throw this.queue.length < this.all.length ? missingGlobalIndex() : walletError.notEnoughBalance();
  }

  /** Whether the queued inputs cover an amount and the max fees of its batches. */
  private covers(settings: SendSettings, amount: bigint): boolean {
    const capacity = batchCapacity(settings);
    const maxFee = (inputs: number): bigint => (inputs === 0 ? 0n : maxBatchFee(settings, inputs));
    const fullBatchFee = maxFee(capacity);
    let sum = 0n;
    return this.queue.some(({ output }, i) => {
      sum += output.amount;
      const needed = amount + BigInt(Math.floor((i + 1) / capacity)) * fullBatchFee;
      return sum >= needed && sum >= needed + maxFee((i + 1) % capacity);
    });
  }

  /**
   * Takes inputs from the queue: a full batch, or fewer if they cover the unpaid amount and the max fee.
   * @returns the batch must spend the first `required` inputs, because they belong to contested transactions
   */
  private nextInputs(settings: SendSettings): { inputs: OwnedInput[]; required: number } {
    const capacity = batchCapacity(settings);
    const spendable = new Set<string>();
    for (const { output } of spendableInputs(settings, this.ports.now())) spendable.add(output.key);
    this.queue = this.queue.filter(({ output }) => spendable.has(output.key));
    const inputs = contestedInputs(settings.context.contested, settings.sources, this.queue);
    const required = inputs.length;
    this.queue = this.queue.filter((input) => !inputs.includes(input));
    let sum = sumOf(inputs);
    while (this.queue.length > 0 && inputs.length < capacity) {
      const input = this.queue.shift() as OwnedInput;
      inputs.push(input);
      sum += input.output.amount;
      if (this.unpaid !== undefined && sum >= this.unpaid + maxBatchFee(settings, inputs.length)) break;
    }
    return { inputs, required };
  }

  /**
   * Removes outputs whose amounts have too few decoys from the queue.
   * @returns the error of the batch if the amounts cannot be determined
   */
  private async skipRare(
    settings: SendSettings,
    inputs: readonly OwnedInput[],
    shortage: TooFewDecoys,
  ): Promise<WalletError | undefined> {
    const rare = await findRareAmounts(shortage, settings.terms.mixin.min, this.ports.node).catch(walletErrorOf);
    if (rare instanceof WalletError) return rare;
    if (rare.length === 0) return shortage.failure;
    this.shortage ??= shortage.failure;
    this.queue = [...inputs, ...this.queue].filter(({ output }) => !rare.includes(output.amount));
    // If the other outputs do not cover the requested amount, nothing is sent.
    if (this.paid === 0n && this.unpaid !== undefined && !this.covers(settings, this.unpaid)) this.queue = [];
    return undefined;
  }

  /** Puts inputs that did not fit into the batch back into the queue. */
  private putBack(inputs: readonly OwnedInput[], plan: Plan): void {
    const taken = new Set(plan.rings.map(({ input }) => input));
    this.queue.unshift(...inputs.filter((input) => !taken.has(input)));
  }
}

function walletErrorOf(error: unknown): WalletError {
  if (error instanceof WalletError) return error;
  throw error;
}

/** Bytes of the proof-of-work field, which `estimateSize` does not include. */
const POW_FIELD = 9;
const OUTPUTS_OF_BATCH = 2;
/** Upper bound for the denominations of payment and change, even for the whole money supply. */
const MAX_DENOMINATIONS = 90;

/** The max number of inputs per transaction of a sweep. */
function batchCapacity({ terms }: SendSettings): number {
  return inputsThatFit(terms.maxSize, OUTPUTS_OF_BATCH, terms.defaultMixin);
}

function maxBatchFee(settings: SendSettings, inputs: number): bigint {
  return feeFor(settings, settings.terms.defaultMixin, inputs, MAX_DENOMINATIONS);
}

function feeFor({ fees, paymentId }: SendSettings, mixin: number, inputs: number, outputs: number): bigint {
  return fees.forSize(estimateSize({ inputs, outputs, mixin, hasPaymentId: paymentId !== '', data: 0 }) + POW_FIELD);
}

interface Batch {
  readonly inputs: readonly OwnedInput[];
  /** Number of first inputs that must be spent. */
  readonly required: number;
  readonly to: Address;
  /** Amount that is still to be paid; undefined if the batch pays everything. */
  readonly unpaid: bigint | undefined;
}

/** Pays the sum of the inputs minus the fee, at most the unpaid amount. The remainder is change. */
function distributeBatch({ to, unpaid }: Batch, sum: bigint, fee: bigint): Distribution | undefined {
  const available = sum - fee;
  if (available <= 0n) return undefined;
  const amount = unpaid === undefined || available < unpaid ? available : unpaid;
  return { payments: [{ to, amount }], change: available - amount };
}

/**
 * Plans the transaction of one batch. If it is too large, it spends fewer inputs.
 * @throws TooFewDecoys; WalletError notEnoughBalance when the fee exceeds the inputs, tooManyInputsToFitInBlock, and those
 * of `assemble`
 */
async function planBatch(settings: SendSettings, mixin: number, batch: Batch, ports: SendPorts): Promise<Plan> {
  for (let { inputs } = batch; inputs.length > 0 && inputs.length >= batch.required;) {
    const sum = sumOf(inputs);
    const fee = feeFor(settings, mixin, inputs.length, denominationsOf(sum).length);
    const distribute = (fee: bigint): Distribution | undefined => distributeBatch(batch, sum, fee);
    try {
      const plan = await assemble({ settings, mixin, inputs, fee, distribute }, ports);
      if (plan === undefined) throw walletError.notEnoughBalance();
      return plan;
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      const excess = Math.ceil(((error.size - error.maxSize) * inputs.length) / error.size);
      inputs = inputs.slice(0, -Math.max(1, excess));
    }
  }
  throw walletError.tooManyInputsToFitInBlock();
}
