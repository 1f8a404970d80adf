import {
  type Address,
  MAX_TRANSACTION_OUTPUTS,
  splitIntoDenominations,
  toHex,
  type TransactionOutput,
} from '@wrkz/core-types';
import { derivePublicKey, generateKeyDerivation } from '@wrkz/crypto';
import type { Payment } from './check-request';
import { failures } from './failures';

/** One output to be, before its place is known. */
export interface Piece {
  readonly to: Address;
  readonly amount: bigint;
}

/** How many outputs an amount comes apart into. @throws WalletError 56 for an amount beyond all coins */
export function piecesOf(amount: bigint): bigint[] {
  try {
    return splitIntoDenominations(amount);
  } catch (error) {
    if (error instanceof RangeError) throw failures.tooManyOutputs();
    throw error;
  }
}

/**
 * The outputs of a transaction, ascending by amount: what stands together says nothing of who is paid and what is
 * change (docs/protocol/wallet.md#outputs).
 * @throws WalletError 56
 */
export function splitPayments(payments: readonly Payment[]): Piece[] {
  const pieces: Piece[] = [];
  for (const { to, amount } of payments) {
    pieces.push(...piecesOf(amount).map((part) => ({ to, amount: part })));
    if (pieces.length > MAX_TRANSACTION_OUTPUTS) throw failures.tooManyOutputs();
  }
  return pieces.sort((a, b) => (a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0));
}

/** What sender and receiver share in a transaction. @throws WalletError 15 when the view key is no point */
export function derivationFor({ viewPublic }: Address, transactionSecret: Buffer): Buffer {
  const derivation = generateKeyDerivation(viewPublic, transactionSecret);
  if (derivation === null) throw failures.addressNotValid();
  return derivation;
}

/** The one-time keys, by the places of the pieces. */
export function outputsOf(pieces: readonly Piece[], transactionSecret: Buffer): TransactionOutput[] {
  const derivations = new Map<string, Buffer>();
  return pieces.map(({ to, amount }, place) => {
    const id = toHex(to.viewPublic);
    const derivation = derivations.get(id) ?? derivationFor(to, transactionSecret);
    derivations.set(id, derivation);
    const key = derivePublicKey(derivation, place, to.spendPublic);
    if (key === null) throw failures.addressNotValid();
    return { amount, key };
  });
}
