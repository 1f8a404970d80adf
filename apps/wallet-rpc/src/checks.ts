import { isPaymentId } from '@wrkz/core-types';
import { EventLoopYielder } from '@wrkz/service-kit';
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

/** Checks a list of any length and yields to the event loop. @throws badAddress */
export async function requireAllPlain(addresses: readonly string[]): Promise<void> {
  await allChecked(addresses, false);
}

/** Decodes plain or integrated destinations. @throws badAddress; wrongPaymentId if an integrated payment id is not hex */
export function checkedPayees(addresses: readonly string[]): Promise<readonly CheckedAddress[]> {
  return allChecked(addresses, true);
}

/** Decodes each distinct address once. */
async function allChecked(addresses: readonly string[], allowIntegrated: boolean): Promise<CheckedAddress[]> {
  const yielder = new EventLoopYielder();
  const known = new Map<string, CheckedAddress>();
  const checked: CheckedAddress[] = [];
  for (const address of addresses) {
    await yielder.yieldIfDue();
    const one = known.get(address) ?? checkAddress(address, { allowIntegrated });
    known.set(address, one);
    checked.push(one);
  }
  return checked;
}

/** The sub-wallet of an address. @throws badAddress if invalid; the error `missing` if the container does not have it */
export function requireSubWallet(snapshot: WalletSnapshot, address: string, missing: WalletRpcErrorName): SubWallet {
  requirePlain(address);
  const found = snapshot.subWallets.find((subWallet) => subWallet.address === address);
  if (found === undefined) throw applicationError(missing);
  return found;
}
