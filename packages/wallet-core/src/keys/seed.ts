import { viewKeyFromSpendKey } from '@wrkz/crypto';
import { decodeMnemonic, encodeMnemonic, MnemonicError } from '@wrkz/core-types';
import { walletError, walletErrorOfCode } from '../errors';
import { parsePrivateKey, requirePrivateKey } from './private-key';

/** The spend secret behind 25 words. @throws WalletError 34, 33, 35, 7, 52, in this order */
export function seedToSpendKey(words: string): Buffer {
  try {
    return requirePrivateKey(decodeMnemonic(words));
  } catch (error) {
    if (error instanceof MnemonicError) throw walletErrorOfCode(error.code, error.message);
    throw error;
  }
}

/**
 * The 25 words of a spend key, which tell a whole wallet only where the view key follows from it.
 * @param privateSpendKey undefined in a view wallet
 * @throws WalletError 39 in a view wallet, 41 where the view key is another
 */
export function seedOf(privateSpendKey: string | undefined, privateViewKey: string): string {
  if (privateSpendKey === undefined) throw walletError.illegalViewWalletOperation();
  const spendSecret = parsePrivateKey(privateSpendKey);
  if (viewKeyFromSpendKey(spendSecret).toString('hex') !== privateViewKey) throw walletError.keysNotDeterministic();
  return encodeMnemonic(spendSecret);
}
