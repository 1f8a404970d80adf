import type { KeyPair } from '@wrkz/crypto';
import type { CheckedSend, Payment } from './check-request';
import { makeRings, type Ring } from './decoys';
import { failures } from './failures';
import { type InputKeys, keysOfInputs } from './input-keys';
import { type Layout, layOut } from './layout';
import type { SpendPorts } from './ports';
import type { OwnedInput } from './spendable';

/** What a transaction needs to be known of before its payments are: a send or a batch of a sweep. */
export type SendFrame = Omit<CheckedSend, 'payments' | 'total' | 'mixin'>;

/** A transaction that is settled down to its size and fee, before work and signatures. */
export interface Plan extends Layout {
  readonly frame: SendFrame;
  readonly keys: KeyPair;
  readonly rings: readonly Ring[];
  readonly inputKeys: readonly InputKeys[];
  readonly fee: bigint;
  readonly mixin: number;
  /** What leaves to whom; without change. */
  readonly paid: bigint;
  /** What comes back to the wallet. */
  readonly change: bigint;
}

/** What the inputs are spent on at some fee. */
export interface Spending {
  readonly payments: readonly Payment[];
  readonly change: bigint;
}

interface Settlement {
  readonly frame: SendFrame;
  readonly mixin: number;
  readonly inputs: readonly OwnedInput[];
  /** Where the search for the fee begins. */
  readonly fee: bigint;
  /** undefined where a fee is more than the inputs can pay. */
  readonly spend: (fee: bigint) => Spending | undefined;
}

/** A finished layout is too large; how far tells how many inputs have to go. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';

  constructor(
    readonly size: number,
    readonly largest: number,
  ) {
    super('the transaction is too large');
  }
}

/**
 * Draws the rings of some inputs and lays the transaction out, raising the fee until it pays for the real size.
 * @returns undefined when the inputs do not pay for that
 * @throws TooFewDecoys; TooLarge; WalletError 31 (index), 30, 56, 20, 17 (fixed fee)
 */
export async function settle(settlement: Settlement, ports: SpendPorts): Promise<Plan | undefined> {
  const { frame, mixin, spend } = settlement;
  const { fees, terms } = frame;
  const inputs = [...settlement.inputs].sort((a, b) => (a.output.amount < b.output.amount ? -1 : 1));
  const rings = await makeRings(inputs, mixin, ports.node);
  const inputKeys = await keysOfInputs(inputs, frame.view.privateViewKey);
  const keys = ports.transactionKeys();
  for (let { fee } = settlement; ;) {
    const spending = spend(fee);
    if (spending === undefined) return undefined;
    const layout = layOut({ frame, keys, rings, inputKeys, fee, ...spending });
    if (fees.fixed !== undefined && fee < fees.least(layout.size)) throw failures.feeTooSmall();
    const needed = fees.of(layout.size);
    if (fee >= needed) {
      if (layout.size > terms.largestSize) throw new TooLarge(layout.size, terms.largestSize);
      const paid = spending.payments.reduce((sum, { amount }) => sum + amount, 0n);
      return { ...layout, frame, keys, rings, inputKeys, fee, mixin, paid, change: spending.change };
    }
    fee = needed;
  }
}
