import { checkScalar } from '@wrkz/crypto';
import { fromHex } from '@wrkz/core-types';
import { walletError } from '../errors';

/**
 * A secret key from its hex: below the group order and not zero, whose public key everybody can spend from.
 * @throws WalletError 52
 */
export function parsePrivateKey(hex: string): Buffer {
  const key = fromHex(hex, 32);
  if (key === undefined) throw walletError.invalidPrivateKey();
  return requirePrivateKey(key);
}

/** @throws WalletError 52 */
export function requirePrivateKey(key: Buffer): Buffer {
  if (!checkScalar(key) || key.every((byte) => byte === 0)) throw walletError.invalidPrivateKey();
  return key;
}
