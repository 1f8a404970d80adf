import {
  type Address,
  BinaryWriter,
  buildNonce,
  ExtraTag,
  fromHex,
  MAX_TRANSACTION_OUTPUTS,
  POW_NONCE_SIZE,
  splitIntoDenominations,
  toHex,
  type TransactionOutput,
} from '@wrkz/core-types';
import { derivePublicKey, encryptPaymentId, generateKeyDerivation, type KeyPair } from '@wrkz/crypto';
import { isShortPaymentId, type Payment } from './check-request';
import { walletError } from '../errors';

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
    if (error instanceof RangeError) throw walletError.outputDecomposition();
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
    if (pieces.length > MAX_TRANSACTION_OUTPUTS) throw walletError.outputDecomposition();
  }
  return pieces.sort((a, b) => (a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0));
}

/** What sender and receiver share in a transaction. @throws WalletError 15 when the view key is no point */
export function derivationFor({ viewPublic }: Address, transactionSecret: Buffer): Buffer {
  const derivation = generateKeyDerivation(viewPublic, transactionSecret);
  if (derivation === null) throw walletError.addressNotValid();
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
    if (key === null) throw walletError.addressNotValid();
    return { amount, key };
  });
}

/** What a wallet writes into extra. */
interface Contents {
  readonly keys: KeyPair;
  readonly paymentId: string;
  readonly data: Buffer;
  readonly fields: Buffer;
  /** Who can read a short payment id. */
  readonly receiver: Address;
  readonly hasWork: boolean;
}

/**
 * The extra of a send: transaction key, then a nonce when there is something to say, then fields as they were given, then
 * the field of the work, whose
 * last 8 bytes are left zero (docs/protocol/wallet.md#extra). The length of a nonce is a varint: from 128 bytes on
 * readers that take one byte for it misread, which wallets do not.
 */
export function extraOf({ keys, paymentId, data, fields, receiver, hasWork }: Contents): Buffer {
  const id = isShortPaymentId(paymentId) ? encrypted(paymentId, receiver, keys.secretKey) : paymentId;
  const nonce = buildNonce({ paymentId: id, data });
  const writer = new BinaryWriter(96).byte(ExtraTag.publicKey).bytes(keys.publicKey);
  if (nonce.length > 0) writer.byte(ExtraTag.nonce).varint(nonce.length).bytes(nonce);
  writer.bytes(fields);
  if (hasWork) writer.byte(ExtraTag.powNonce).bytes(Buffer.alloc(POW_NONCE_SIZE));
  return writer.toBuffer();
}

function encrypted(id: string, receiver: Address, transactionSecret: Buffer): string {
  const plain = fromHex(id) ?? Buffer.alloc(0);
  return encryptPaymentId(plain, derivationFor(receiver, transactionSecret)).toString('hex');
}
