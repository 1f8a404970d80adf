import { type Plan, type SendFrame, settle, type Spending, TooLarge } from './assemble';
import type { Payment } from './check-request';
import { estimateSize, inputsThatFit, type OwnedInput } from './coin-selection';
import type { SendPorts } from './model';
import { piecesOf } from './outputs';
import { walletError } from '../errors';

/** Bytes of the work's field, which no estimate of a send counts. */
const WORK_FIELD = 9;
const OUTPUTS_OF_BATCH = 2;
/** Payment and change of all the coins of the network come apart into fewer. */
const MOST_PIECES = 90;

/** How many inputs one transaction of a sweep takes. */
export function batchCapacity({ terms }: Pick<SendFrame, 'terms'>, mixin: number): number {
  return inputsThatFit(terms.largestSize, OUTPUTS_OF_BATCH, mixin);
}

/** What a batch of so many inputs that pays about `amount` costs. */
function batchFee(frame: SendFrame, mixin: number, inputs: number, amount: bigint): bigint {
  return feeFor(frame, mixin, inputs, piecesOf(amount).length);
}

/** What a batch of so many inputs costs at most, into however many pieces its amounts come apart. */
export function dearestBatchFee(frame: SendFrame, mixin: number, inputs: number): bigint {
  return feeFor(frame, mixin, inputs, MOST_PIECES);
}

function feeFor({ fees, paymentId }: SendFrame, mixin: number, inputs: number, outputs: number): bigint {
  return fees.of(estimateSize({ inputs, outputs, mixin, hasPaymentId: paymentId !== '', data: 0 }) + WORK_FIELD);
}

/**
 * Pays what the inputs hold less the fee, or what is left to pay and the rest back as change: never more than is left.
 * @param left undefined when all of it goes
 */
function spendBatch(to: Payment['to'], sum: bigint, left: bigint | undefined) {
  return (fee: bigint): Spending | undefined => {
    const available = sum - fee;
    if (available <= 0n) return undefined;
    const amount = left === undefined || available < left ? available : left;
    return { payments: [{ to, amount }], change: available - amount };
  };
}

/**
 * One batch as a transaction. When it comes out too large, some inputs are left for the next one.
 * @throws TooFewDecoys; WalletError 11 when the fee eats it; 31 (index), 30, 56, 20, 32
 */
export async function planBatch(
  frame: SendFrame,
  mixin: number,
  batch: { readonly inputs: readonly OwnedInput[]; readonly to: Payment['to']; readonly left: bigint | undefined },
  ports: SendPorts,
): Promise<Plan> {
  for (let { inputs } = batch; inputs.length > 0;) {
    const sum = amountOf(inputs);
    const fee = batchFee(frame, mixin, inputs.length, sum);
    const spend = spendBatch(batch.to, sum, batch.left);
    try {
      const plan = await settle({ frame, mixin, inputs, fee, spend }, ports);
      if (plan === undefined) throw walletError.notEnoughBalance();
      return plan;
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      const excess = Math.ceil(((error.size - error.largest) * inputs.length) / error.size);
      inputs = inputs.slice(0, -Math.max(1, excess));
    }
  }
  throw walletError.tooManyInputsToFitInBlock();
}

export function amountOf(inputs: readonly OwnedInput[]): bigint {
  return inputs.reduce((sum, { output }) => sum + output.amount, 0n);
}
