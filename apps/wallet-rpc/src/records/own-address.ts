import { checkAddress, type SubWallet, type WalletSnapshot } from '@wrkz/wallet-core';
import { applicationRefusal, type WalletRpcErrorName } from '../refusals';

/** @throws JsonRpcError 7 for what is no plain address of this network */
export function requirePlain(address: string): void {
  checkAddress(address, { allowIntegrated: false });
}

/** The sub-wallet of an address. @throws JsonRpcError 7 for what is none; the named one when it is not of this container */
export function subWalletOfAddress(snapshot: WalletSnapshot, address: string, missing: WalletRpcErrorName): SubWallet {
  requirePlain(address);
  const found = snapshot.subWallets.find((subWallet) => subWallet.address === address);
  if (found === undefined) throw applicationRefusal(missing);
  return found;
}
