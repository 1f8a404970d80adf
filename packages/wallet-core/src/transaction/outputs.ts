import {
  type Address,
  BinaryWriter,
  buildNonce,
  ExtraTag,
  MAX_TRANSACTION_OUTPUTS,
  POW_NONCE_SIZE,
  splitIntoDenominations,
  toHex,
  type TransactionOutput,
} from '@wrkz/core-types';
import { derivePublicKey, encryptPaymentId, generateKeyDerivation, type KeyPair } from '@wrkz/crypto';
import { isShortPaymentId } from '../keys/addresses';
import { walletError } from '../errors';

/** An amount for a receiver. A payment becomes one output per denomination. */
export interface Payment {
  readonly to: Address;
  readonly amount: bigint;
}

/** @throws WalletError outputDecomposition for an amount above the money supply */
export function denominationsOf(amount: bigint): bigint[] {
  try {
    return splitIntoDenominations(amount);
  } catch (error) {
    if (error instanceof RangeError) throw walletError.outputDecomposition();
    throw error;
  }
}

/**
 * Splits payments into denominations, ascending by amount, so that the order does not reveal which outputs are change
 * (docs/protocol/wallet.md#outputs).
 * @throws WalletError outputDecomposition
 */
export function splitPayments(payments: readonly Payment[]): Payment[] {
  const parts: Payment[] = [];
  for (const { to, amount } of payments) {
    parts.push(...denominationsOf(amount).map((part) => ({ to, amount: part })));
    if (parts.length > MAX_TRANSACTION_OUTPUTS) throw walletError.outputDecomposition();
  }
  return parts.sort((a, b) => (a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0));
}

/** The shared secret of sender and receiver. @throws WalletError addressNotValid when the view key is not a point */
function derivationFor({ viewPublic }: Address, transactionSecret: Buffer): Buffer {
  const derivation = generateKeyDerivation(viewPublic, transactionSecret);
  if (derivation === null) throw walletError.addressNotValid();
  return derivation;
}

/** The outputs with their one-time keys, in the order of the parts. */
export function outputsOf(parts: readonly Payment[], transactionSecret: Buffer): TransactionOutput[] {
  const derivations = new Map<string, Buffer>();
  return parts.map(({ to, amount }, index) => {
    const id = toHex(to.viewPublic);
    const derivation = derivations.get(id) ?? derivationFor(to, transactionSecret);
    derivations.set(id, derivation);
    const key = derivePublicKey(derivation, index, to.spendPublic);
    if (key === null) throw walletError.addressNotValid();
    return { amount, key };
  });
}

interface ExtraContents {
  readonly keys: KeyPair;
  /** Checked hex, or ''. */
  readonly paymentId: string;
  /** Arbitrary data for the nonce field. */
  readonly data: Buffer;
  /** Complete fields, appended unchanged. */
  readonly fields: Buffer;
  /** The address for which a short payment id is encrypted. */
  readonly receiver: Address;
  readonly hasPow: boolean;
}

/**
 * The extra of a send: transaction key, nonce if there is a payment id or data, further fields, and the proof-of-work field
 * with 8 zero bytes at the end (docs/protocol/wallet.md#extra).
 */
export function extraOf({ keys, paymentId, data, fields, receiver, hasPow }: ExtraContents): Buffer {
  const id = isShortPaymentId(paymentId) ? encrypted(paymentId, receiver, keys.secretKey) : paymentId;
  const nonce = buildNonce({ paymentId: id, data });
  const writer = new BinaryWriter(96).byte(ExtraTag.publicKey).bytes(keys.publicKey);
  if (nonce.length > 0) writer.byte(ExtraTag.nonce).varint(nonce.length).bytes(nonce);
  writer.bytes(fields);
  if (hasPow) writer.byte(ExtraTag.powNonce).bytes(Buffer.alloc(POW_NONCE_SIZE));
  return writer.toBuffer();
}

function encrypted(id: string, receiver: Address, transactionSecret: Buffer): string {
  return encryptPaymentId(Buffer.from(id, 'hex'), derivationFor(receiver, transactionSecret)).toString('hex');
}
