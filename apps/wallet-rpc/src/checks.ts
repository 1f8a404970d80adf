import { isPaymentId } from '@wrkz/core-types';
import { mapInSlices } from '@wrkz/service-kit';
import { checkAddress, type CheckedAddress, type SubWallet, type WalletSnapshot } from '@wrkz/wallet-core';
import { applicationError, type WalletRpcErrorName } from './errors';

/** A hash or a key in lower case; undefined unless it is 64 hex digits. */
export function hex64(text: string): string | undefined {
  return /^[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : undefined;
}

/** @throws wrongHash */
export function requireHash(text: string): string {
  const hash = hex64(text);
  if (hash === undefined) throw applicationError('wrongHash');
  return hash;
}

/** Validates a payment id; '' means none. @returns lower case @throws wrongPaymentId */
export function requirePaymentId(text: string): string {
  if (text !== '' && !isPaymentId(text)) throw applicationError('wrongPaymentId');
  return text.toLowerCase();
}

/** @throws badAddress unless this is a plain address of this network */
export function requirePlain(address: string): void {
  checkAddress(address, { allowIntegrated: false });
}

/**
 * Decodes addresses, each distinct one once, and yields to the event loop.
 * @throws badAddress; wrongPaymentId if an integrated payment id is not hex
 */
export function checkedAddresses(addresses: readonly string[], allowIntegrated: boolean): Promise<CheckedAddress[]> {
  const known = new Map<string, CheckedAddress>();
  return mapInSlices(addresses, (address) => {
    const checked = known.get(address) ?? checkAddress(address, { allowIntegrated });
    known.set(address, checked);
    return checked;
  });
}

/** The sub-wallet of an address. @throws badAddress if invalid; the error `missing` if the container does not have it */
export function requireSubWallet(snapshot: WalletSnapshot, address: string, missing: WalletRpcErrorName): SubWallet {
  requirePlain(address);
  const found = snapshot.subWallets.find((subWallet) => subWallet.address === address);
  if (found === undefined) throw applicationError(missing);
  return found;
}
