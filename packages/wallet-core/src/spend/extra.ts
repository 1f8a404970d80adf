import { type Address, BinaryWriter, buildNonce, ExtraTag, fromHex, POW_NONCE_SIZE } from '@wrkz/core-types';
import { encryptPaymentId, type KeyPair } from '@wrkz/crypto';
import { derivationFor } from './outputs';
import { isShortPaymentId } from './payment-ids';

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
