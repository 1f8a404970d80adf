import { isPaymentId, parseExtra, type ParsedTransaction, type WalletExtra } from '@wrkz/core-types';
import { derivePublicKey, encryptPaymentId, generateKeyDerivation } from '@wrkz/crypto';
import type { Owner } from './support';

/** The outputs of a transaction for an owner, found like by a receiving wallet. */
export function receivedBy(who: Owner, { transaction }: ParsedTransaction): { amount: bigint; place: number }[] {
  const { publicKey } = parseExtra(transaction.extra);
  const derivation = publicKey && generateKeyDerivation(publicKey, who.viewSecret);
  if (!derivation) return [];
  return transaction.outputs.flatMap(({ amount, key }, place) =>
    derivePublicKey(derivation, place, who.spendPublic)?.equals(key) ? [{ amount, place }] : [],
  );
}

/** The payment id as decrypted by its receiver. */
export function decryptedId({ paymentId, publicKey }: WalletExtra, who: Owner): string {
  if (paymentId.length !== 16 || !isPaymentId(paymentId)) return paymentId;
  return encryptPaymentId(Buffer.from(paymentId, 'hex'), generateKeyDerivation(publicKey, who.viewSecret)!).toString(
    'hex',
  );
}
