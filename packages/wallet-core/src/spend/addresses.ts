import { type Address, AddressError, decodeAddress, toHex } from '@wrkz/core-types';
import { isPrimeOrder } from '@wrkz/crypto';
import type { SubWallet } from '../ledger/model';
import { failures } from './failures';

const IDENTITY = Buffer.concat([Buffer.of(1), Buffer.alloc(31)]);

/**
 * An address that is paid, integrated or not. Keys that are points and nobody's (the identity, or outside the group that
 * secrets live in) are refused as well: what is sent there is spent by everybody or by nobody.
 * @throws WalletError 12 to 16
 */
export function payee(text: string): Address {
  const address = decode(text, true);
  if ([address.spendPublic, address.viewPublic].some((key) => key.equals(IDENTITY) || !isPrimeOrder(key))) {
    throw failures.addressNotValid();
  }
  return address;
}

/** A plain address of some wallet. @throws WalletError 12, 13, 25, 15 */
export function plainAddress(text: string): Address {
  return decode(text, false);
}

/** The sub-wallet of an address. @throws WalletError 10 */
export function ownSubWallet(text: string, subWallets: readonly SubWallet[]): SubWallet {
  const own = subWallets.find(({ address }) => address === text);
  if (own === undefined) throw failures.addressNotInWallet(text);
  return own;
}

/** Whose an address is, as a key of maps. */
export function spendKeyOf({ spendPublic }: Address): string {
  return toHex(spendPublic);
}

function decode(text: string, allowIntegrated: boolean): Address {
  try {
    return decodeAddress(text, { allowIntegrated });
  } catch (error) {
    if (error instanceof AddressError) throw failures.address(error);
    throw error;
  }
}
