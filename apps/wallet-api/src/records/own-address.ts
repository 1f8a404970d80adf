import { checkAddress, type SubWallet, subWalletOf, walletError, type WalletSnapshot } from '@wrkz/wallet-core';

/** The sub-wallet of an address. @throws WalletError 15, 10 */
export const subWalletAt = ({ content }: WalletSnapshot, address: string): SubWallet => subWalletOf(content, address);

/** The same for a balance, whose refusal names the address. @throws WalletError 10 */
export function subWalletOfBalance({ subWallets }: WalletSnapshot, address: string): SubWallet {
  const found = subWallets.find((one) => one.address === address);
  if (found === undefined) {
    checkAddress(address, { allowIntegrated: false });
    throw walletError.addressNotInWallet(address);
  }
  return found;
}

/** The spend key that a listing is cut down to: of any plain address, also one that is not ours. @throws WalletError 15 */
export function listedKey({ subWallets }: WalletSnapshot, address: string): string {
  const found = subWallets.find((one) => one.address === address);
  if (found !== undefined) return found.publicSpendKey;
  checkAddress(address, { allowIntegrated: false });
  return '';
}
