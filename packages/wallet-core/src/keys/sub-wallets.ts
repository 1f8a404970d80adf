import {
  checkKey,
  deterministicSubWalletKeysAsync,
  isPrimeOrder,
  MAX_SUB_WALLET_INDEX,
  secretKeyToPublicKey,
} from '@wrkz/crypto';
import { encodeAddress, fromHex } from '@wrkz/core-types';
import { walletError } from '../errors';
import type { ScanStart, SubWallet, WalletContent } from '../ledger/model';
import { checkAddress } from './addresses';
import { emptySubWallet, parsePrivateKey } from './wallet-keys';

/** A sub-wallet that may be added, and what the counter of deterministic ones becomes with it. */
export interface NewSubWallet {
  readonly subWallet: SubWallet;
  readonly subWalletIndexCounter: number;
}

/** What is asked of a wallet here. */
export type KeyRing = Pick<WalletContent, 'isViewWallet' | 'privateViewKey' | 'subWallets' | 'subWalletIndexCounter'>;

/**
 * The next deterministic one. The counter is never used twice, also not after a delete. An index whose key is in the
 * container already, since it was imported by its key, is passed over.
 * @throws WalletError 39 in a view wallet, 1001 beyond the highest index; the signal's reason
 */
export async function nextSubWallet(ring: KeyRing, start: ScanStart, signal?: AbortSignal): Promise<NewSubWallet> {
  for (let index = ring.subWalletIndexCounter + 1; ; index++) {
    const secret = await deterministicSecret(ring, BigInt(index), signal);
    const subWallet = subWalletOfSecret(ring, secret, index, start);
    if (!holds(ring, subWallet.publicSpendKey)) return { subWallet, subWalletIndexCounter: index };
  }
}

/**
 * The one of an index; 0 is the primary one, so refused as held already.
 * @throws WalletError 39 in a view wallet, 1001 beyond the highest index, 38 when its key is there; the signal's reason
 */
export async function deterministicSubWallet(
  ring: KeyRing,
  index: bigint,
  start: ScanStart,
  signal?: AbortSignal,
): Promise<NewSubWallet> {
  const secret = await deterministicSecret(ring, index, signal);
  // The index is kept of addresses alone that were created, as files of the reference have it.
  const subWallet = subWalletOfSecret(ring, secret, 0, start);
  const subWalletIndexCounter = Math.max(ring.subWalletIndexCounter, Number(index));
  return { subWallet: requireNew(ring, subWallet), subWalletIndexCounter };
}

/** @throws WalletError 39 in a view wallet, 52 for the key, 38 when it is there */
export function importedSubWallet(ring: KeyRing, privateSpendKey: string, start: ScanStart): NewSubWallet {
  if (ring.isViewWallet) throw walletError.illegalViewWalletOperation();
  const subWallet = subWalletOfSecret(ring, parsePrivateKey(privateSpendKey), 0, start);
  return { subWallet: requireNew(ring, subWallet), subWalletIndexCounter: ring.subWalletIndexCounter };
}

/** One more address to watch. @throws WalletError 51 for the key, 40 in a wallet that can spend, 38 when it is there */
export function viewSubWallet(ring: KeyRing, publicSpendKey: string, start: ScanStart): NewSubWallet {
  const spendPublic = fromHex(publicSpendKey, 32);
  if (spendPublic === undefined || !isUsablePoint(spendPublic)) throw walletError.invalidPublicKey();
  if (!ring.isViewWallet) throw walletError.illegalNonViewWalletOperation();
  const keys = { publicSpendKey: spendPublic.toString('hex'), privateSpendKey: undefined };
  const address = addressOf(ring, spendPublic);
  const subWallet = emptySubWallet({ ...keys, address, isPrimary: false, walletIndex: 0 }, start);
  return { subWallet: requireNew(ring, subWallet), subWalletIndexCounter: ring.subWalletIndexCounter };
}

/**
 * The sub-wallet of an address.
 * @throws WalletError 15 for what is no address or an integrated one, 10 for one that is not held
 */
export function subWalletOf(ring: KeyRing, address: string): SubWallet {
  const publicSpendKey = checkAddress(address, { allowIntegrated: false }).spendPublic.toString('hex');
  const subWallet = ring.subWallets.find((one) => one.publicSpendKey === publicSpendKey);
  // Another view key makes another address of the same spend key.
  if (subWallet?.address !== address) throw walletError.addressNotInWallet();
  return subWallet;
}

/** @throws WalletError 10 for an address that is not held, 42 for the primary one */
export function removableSubWallet(ring: KeyRing, address: string): SubWallet {
  const subWallet = subWalletOf(ring, address);
  if (subWallet.isPrimary) throw walletError.cannotDeletePrimaryAddress();
  return subWallet;
}

async function deterministicSecret(ring: KeyRing, index: bigint, signal?: AbortSignal): Promise<Buffer> {
  const primary = ring.subWallets.find(({ isPrimary }) => isPrimary)?.privateSpendKey;
  if (ring.isViewWallet || primary === undefined) throw walletError.illegalViewWalletOperation();
  // The time grows with the index: one of 64 bits would never end.
  if (index > BigInt(MAX_SUB_WALLET_INDEX)) throw walletError.walletIndexTooLarge(index, MAX_SUB_WALLET_INDEX);
  return (await deterministicSubWalletKeysAsync(parsePrivateKey(primary), Number(index), signal)).secretKey;
}

function subWalletOfSecret(ring: KeyRing, secret: Buffer, walletIndex: number, start: ScanStart): SubWallet {
  const spendPublic = secretKeyToPublicKey(secret);
  const keys = { publicSpendKey: spendPublic.toString('hex'), privateSpendKey: secret.toString('hex') };
  const address = addressOf(ring, spendPublic);
  return emptySubWallet({ ...keys, address, isPrimary: false, walletIndex }, start);
}

function addressOf(ring: KeyRing, spendPublic: Buffer): string {
  const viewPublic = secretKeyToPublicKey(parsePrivateKey(ring.privateViewKey));
  return encodeAddress({ spendPublic, viewPublic });
}

/** A point of a small order has no secret, and the identity is the public key of zero, which everybody knows. */
function isUsablePoint(point: Buffer): boolean {
  const isIdentity = point[0] === 1 && point.subarray(1).every((byte) => byte === 0);
  return checkKey(point) && isPrimeOrder(point) && !isIdentity;
}

function requireNew(ring: KeyRing, subWallet: SubWallet): SubWallet {
  if (holds(ring, subWallet.publicSpendKey)) throw walletError.subwalletAlreadyExists();
  return subWallet;
}

function holds(ring: KeyRing, publicSpendKey: string): boolean {
  return ring.subWallets.some((one) => one.publicSpendKey === publicSpendKey);
}
