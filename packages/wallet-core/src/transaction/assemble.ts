import { REASONS } from '@wrkz/consensus';
import {
  encodeTransactionPrefix,
  MAX_EXTRA_SIZE,
  type TransactionInput,
  type TransactionPrefix,
} from '@wrkz/core-types';
import type { KeyPair } from '@wrkz/crypto';
import { type CheckedSend, type Payment, plainAddress } from './check-request';
import { countUnlocked, type OwnedInput } from './coin-selection';
import type { SendPorts } from './model';
import { extraOf, outputsOf, type Piece, splitPayments } from './outputs';
import { makeRings, offsetsOf, type Ring } from './rings';
import { type InputKeys, keysOfInputs } from './input-keys';
import { nodeRefusal, walletError } from '../errors';

/** What a transaction needs to be known of before its payments are: a send or a batch of a sweep. */
export type SendFrame = Omit<CheckedSend, 'payments' | 'total' | 'mixin' | 'ringFallback'>;

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
export async function settle(settlement: Settlement, ports: SendPorts): Promise<Plan | undefined> {
  const { frame, mixin, spend } = settlement;
  const { fees, terms } = frame;
  const inputs = [...settlement.inputs].sort((a, b) => (a.output.amount < b.output.amount ? -1 : 1));
  const rings = await makeRings(inputs, mixin, {
    node: ports.node,
    ringOf: frame.view.ringOf,
    ownOutputs: (amount) => countUnlocked(frame.view, amount, ports.now()),
  });
  const inputKeys = await keysOfInputs(inputs, frame.view.privateViewKey);
  const keys = ports.transactionKeys();
  for (let { fee } = settlement; ;) {
    const spending = spend(fee);
    if (spending === undefined) return undefined;
    const layout = layOut({ frame, keys, rings, inputKeys, fee, ...spending });
    if (fees.fixed !== undefined && fee < fees.least(layout.size)) throw walletError.feeTooSmall();
    const needed = fees.of(layout.size);
    if (fee >= needed) {
      if (layout.size > terms.largestSize) throw new TooLarge(layout.size, terms.largestSize);
      const paid = spending.payments.reduce((sum, { amount }) => sum + amount, 0n);
      return { ...layout, frame, keys, rings, inputKeys, fee, mixin, paid, change: spending.change };
    }
    fee = needed;
  }
}

const SIGNATURE_SIZE = 64;

/** A transaction whose every byte has its place: only the nonce of the work and the signatures are not there yet. */
export interface Layout {
  readonly prefix: TransactionPrefix;
  readonly pieces: readonly Piece[];
  readonly hasWork: boolean;
  /** Serialized bytes, signatures included. */
  readonly size: number;
}

interface Materials {
  readonly frame: Pick<CheckedSend, 'change' | 'data' | 'fields' | 'paymentId' | 'terms' | 'unlockTime'>;
  readonly keys: KeyPair;
  readonly rings: readonly Ring[];
  readonly inputKeys: readonly InputKeys[];
  readonly payments: readonly Payment[];
  readonly change: bigint;
  readonly fee: bigint;
}

/** @throws WalletError 56; 31 for an extra that no pool takes */
export function layOut({ frame, keys, rings, inputKeys, payments, change, fee }: Materials): Layout {
  const pieces = splitPayments(withChange(payments, change, frame.change.address));
  const hasWork = !frame.terms.isFreeOfWork(fee);
  const { paymentId, data, fields } = frame;
  const extra = extraOf({ keys, paymentId, data, fields, receiver: (payments[0] as Payment).to, hasWork });
  if (extra.length >= MAX_EXTRA_SIZE) throw nodeRefusal(REASONS.EXTRA_TOO_LARGE.text);
  const inputs = rings.map((ring, i): TransactionInput => ({
    type: 'key',
    amount: ring.input.output.amount,
    keyOffsets: offsetsOf(ring),
    keyImage: (inputKeys[i] as InputKeys).keyImage,
  }));
  const outputs = outputsOf(pieces, keys.secretKey);
  const prefix: TransactionPrefix = { version: 1, unlockTime: frame.unlockTime, inputs, outputs, extra };
  const signatures = rings.reduce((sum, { members }) => sum + members.length * SIGNATURE_SIZE, 0);
  return { prefix, pieces, hasWork, size: encodeTransactionPrefix(prefix).length + signatures };
}

/** The payments, and last what comes back. */
export function withChange(payments: readonly Payment[], change: bigint, address: string): readonly Payment[] {
  return change === 0n ? payments : [...payments, { to: plainAddress(address), amount: change }];
}
