import { isWalletError, missingGlobalIndex, WalletError, walletError } from '../errors';
import { checkPaymentId } from '../keys/addresses';
import type { Plan, SendFrame } from './assemble';
import { describePlan, inputsOf, type SendEstimate } from './build-send';
import { agreedPaymentId, payee, primaryOf } from './check-request';
import { contestedInputs, smallestFirstByDigits, type OwnedInput } from './coin-selection';
import type { SendPorts, SendContext } from './model';
import { rareAmounts, withSmallerRings } from './ring-fallback';
import { TooFewDecoys } from './rings';
import { finish } from './sign';
import type { SignedSend } from './model';
import { amountOf, batchCapacity, dearestBatchFee, planBatch } from './sweep-batches';
import { SendTerms } from './terms';

/** What is swept where to. */
export interface SweepRequest {
  readonly destination: string;
  /** Left out, or 0: everything. */
  readonly amount?: bigint | undefined;
  readonly paymentId?: string | undefined;
}

/** One transaction of a sweep, sent or not. */
export type SweepEntry =
  | { readonly success: true; readonly transactionHash: string; readonly fee: bigint; readonly mixin: number }
  | { readonly success: false; readonly errorCode: number; readonly errorMessage: string };

export interface SweepResult {
  readonly entries: readonly SweepEntry[];
  /** What was sent, or may have been, to the destination. */
  readonly paid: bigint;
  readonly fees: bigint;
  /** What of the amount asked for is still to pay; 0 when everything was asked for. */
  readonly unpaid: bigint;
  /** Unlocked outputs that no transaction of this sweep takes. */
  readonly left: { readonly outputs: number; readonly amount: bigint };
}

/** What one transaction of a sweep would cost. */
export type SweepEstimate = SendEstimate & { readonly amount: bigint };

/** What every transaction of a sweep goes through once it is planned. */
type Carry<R> = (plan: Plan) => Promise<R>;

/** No node, nobody knows what became of the last one, or its key may send no more: another attempt would fare no better. */
const isEnding = (error: WalletError): boolean =>
  isWalletError(
    error,
    'daemonOffline',
    'daemonStillProcessing',
    'keyLimitExceeded',
    'refusedTransactionUnresolved',
    'sendsPaused',
    'notSynchronized',
    'implausibleNodeHeight',
  );

/**
 * Sends everything, or an amount exactly, in as many transactions as it takes; each is recorded and relayed before the
 * next one (docs/protocol/wallet.md#sweeps). Refusals are entries. Outputs of amounts that have too few others are left, and
 * told of by an entry with 28.
 *
 * @param readView the wallet as it is now; asked before each transaction
 * @param dispatch records and relays, as `submitSend`
 */
export async function sweep(
  request: SweepRequest,
  readView: () => SendContext,
  ports: SendPorts,
  dispatch: (built: SignedSend) => Promise<void>,
): Promise<SweepResult> {
  const entries: SweepEntry[] = [];
  const run = new Sweep(request, readView, ports);
  const carry = async (plan: Plan): Promise<SweepEntry> => {
    const built = await finish(plan, ports);
    const requested = plan.frame.terms.defaultMixin;
    if (plan.mixin < requested) ports.onRingFallback?.({ requested, used: plan.mixin });
    await dispatch(built);
    return { success: true, transactionHash: built.hash, fee: built.fee, mixin: built.mixin };
  };
  try {
    for await (const entry of run.batches(carry)) {
      entries.push(entry instanceof WalletError ? failedEntry(entry) : entry);
    }
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    entries.push(failedEntry(error));
  }
  return { entries, ...run.sums() };
}

/** What a sweep would send, a row for each transaction. @throws WalletError when there would be none, or one fails */
export async function estimateSweep(
  request: SweepRequest,
  readView: () => SendContext,
  ports: SendPorts,
): Promise<SweepEstimate[]> {
  const rows: SweepEstimate[] = [];
  const carry = (plan: Plan) => Promise.resolve({ ...describePlan(plan), amount: plan.paid });
  for await (const row of new Sweep(request, readView, ports).batches(carry)) {
    if (row instanceof WalletError) throw row;
    rows.push(row);
  }
  return rows;
}

function failedEntry({ code, message }: WalletError): SweepEntry {
  return { success: false, errorCode: code, errorMessage: message };
}

class Sweep {
  #waiting: OwnedInput[] = [];
  #unpaid: bigint | undefined;
  #paid = 0n;
  #fees = 0n;
  #all: readonly OwnedInput[] = [];
  /** Why outputs of rare amounts were left aside. */
  #shortage: WalletError | undefined;
  readonly #gone = new Set<string>();

  constructor(
    private readonly request: SweepRequest,
    private readonly readView: () => SendContext,
    private readonly ports: SendPorts,
  ) {}

  /** Each batch's outcome, or its refusal. @throws WalletError when the sweep cannot begin */
  async *batches<R>(carry: Carry<R>): AsyncGenerator<R | WalletError> {
    const to = payee(this.request.destination);
    const paymentId = agreedPaymentId(this.request.paymentId ?? '', [to]);
    if (paymentId !== '') checkPaymentId(paymentId);
    this.#begin(this.#frame(paymentId));
    while (this.#waiting.length > 0 && this.#unpaid !== 0n) {
      this.ports.signal?.throwIfAborted();
      const frame = this.#frame(paymentId);
      const inputs = this.#nextInputs(frame);
      if (inputs.length === 0) break;
      try {
        const plan = await withSmallerRings(
          { mixin: frame.terms.defaultMixin, terms: frame.terms, ringFallback: true },
          (mixin) => planBatch(frame, mixin, { inputs, to, left: this.#unpaid }, this.ports),
        );
        this.#putBack(inputs, plan);
        yield await this.#carried(plan, carry);
      } catch (error) {
        const refusal = error instanceof TooFewDecoys ? await this.#leaveRare(frame, inputs, error) : refusalOf(error);
        if (refusal === undefined) continue;
        yield refusal;
        if (isEnding(refusal)) return;
      }
    }
    if (this.#shortage !== undefined && this.#unpaid !== 0n) yield this.#shortage;
  }

  sums(): Omit<SweepResult, 'entries'> {
    const left = this.#all.filter(({ output }) => !this.#gone.has(output.key));
    const unpaid = this.#unpaid ?? 0n;
    return {
      paid: this.#paid,
      fees: this.#fees,
      unpaid,
      left: { outputs: left.length, amount: amountOf(left) },
    };
  }

  /** Counted before its outcome is known to anybody: what may have been sent must not be sent again. */
  async #carried<R>(plan: Plan, carry: Carry<R>): Promise<R> {
    try {
      const outcome = await carry(plan);
      this.#count(plan);
      return outcome;
    } catch (error) {
      if (isWalletError(error, 'daemonStillProcessing')) this.#count(plan);
      throw error;
    }
  }

  #count({ paid, fee, rings }: Plan): void {
    this.#paid += paid;
    this.#fees += fee;
    if (this.#unpaid !== undefined) this.#unpaid -= paid;
    for (const { input } of rings) this.#gone.add(input.output.key);
  }

  #frame(paymentId: string): SendFrame {
    const view = this.readView();
    if (view.isViewWallet) throw walletError.illegalViewWalletOperation();
    const terms = new SendTerms(view.network, view.localHeight, view.networkHeight, view.appliedHeight);
    return {
      view,
      terms,
      fees: terms.fees({ kind: 'minimum' }),
      paymentId,
      data: Buffer.alloc(0),
      fields: Buffer.alloc(0),
      sources: view.subWallets,
      change: primaryOf(view.subWallets),
      unlockTime: terms.defaultUnlockTime,
    };
  }

  /** @throws WalletError 32, 11, 31: before anything is sent */
  #begin(frame: SendFrame): void {
    const mixin = frame.terms.defaultMixin;
    const capacity = batchCapacity(frame, mixin);
    if (capacity === 0) throw walletError.tooManyInputsToFitInBlock();
    this.#all = [...smallestFirstByDigits(inputsOf(frame, this.ports.now()))];
    this.#waiting = this.#all.filter(({ output }) => output.globalIndex !== undefined);
    const amount = this.request.amount ?? 0n;
    if (amount > 0n) this.#unpaid = amount;
    if (this.#waiting.length > 0 && (amount === 0n || this.#covers(frame, mixin, capacity, amount))) return;
    throw this.#waiting.length < this.#all.length ? missingGlobalIndex() : walletError.notEnoughBalance();
  }

  /** Whether the inputs hold an amount and what the batches cost that it takes. */
  #covers(frame: SendFrame, mixin: number, capacity: number, amount: bigint): boolean {
    const dearest = (inputs: number): bigint => (inputs === 0 ? 0n : dearestBatchFee(frame, mixin, inputs));
    const full = dearest(capacity);
    let sum = 0n;
    return this.#waiting.some(({ output }, i) => {
      sum += output.amount;
      const earlier = amount + BigInt(Math.floor((i + 1) / capacity)) * full;
      return sum >= earlier && sum >= earlier + dearest((i + 1) % capacity);
    });
  }

  /** Up to a full batch of what is still unspent; of an amount only until what is left of it is covered for certain. */
  #nextInputs(frame: SendFrame): OwnedInput[] {
    const mixin = frame.terms.defaultMixin;
    const capacity = batchCapacity(frame, mixin);
    const spendable = new Set<string>();
    for (const { output } of inputsOf(frame, this.ports.now())) spendable.add(output.key);
    this.#waiting = this.#waiting.filter(({ output }) => spendable.has(output.key));
    const inputs = contestedInputs(frame.view.contested, frame.sources, this.#waiting);
    this.#waiting = this.#waiting.filter((input) => !inputs.includes(input));
    let sum = amountOf(inputs);
    while (this.#waiting.length > 0 && inputs.length < capacity) {
      const input = this.#waiting.shift() as OwnedInput;
      inputs.push(input);
      sum += input.output.amount;
      if (this.#unpaid !== undefined && sum >= this.#unpaid + dearestBatchFee(frame, mixin, inputs.length)) break;
    }
    return inputs;
  }

  /**
   * Goes on without the amounts that have too few others.
   * @returns a refusal of the batch, where nothing tells which they are or the node is away
   */
  async #leaveRare(
    frame: SendFrame,
    inputs: readonly OwnedInput[],
    shortage: TooFewDecoys,
  ): Promise<WalletError | undefined> {
    const rare = await rareAmounts(shortage, frame.terms.mixin.min, this.ports.node).catch(refusalOf);
    if (rare instanceof WalletError) return rare;
    if (rare.length === 0) return shortage.failure;
    this.#shortage ??= shortage.failure;
    this.#waiting = [...inputs, ...this.#waiting].filter(({ output }) => !rare.includes(output.amount));
    const mixin = frame.terms.defaultMixin;
    const isFirst = this.#paid === 0n && this.#unpaid !== undefined;
    // An amount that the others do not cover is refused before anything leaves.
    if (isFirst && !this.#covers(frame, mixin, batchCapacity(frame, mixin), this.#unpaid ?? 0n)) this.#waiting = [];
    return undefined;
  }

  /** Inputs that a batch had no room for wait for the next one. */
  #putBack(inputs: readonly OwnedInput[], plan: Plan): void {
    const taken = new Set(plan.rings.map(({ input }) => input));
    this.#waiting.unshift(...inputs.filter((input) => !taken.has(input)));
  }
}

function refusalOf(error: unknown): WalletError {
  if (error instanceof WalletError) return error;
  throw error;
}
