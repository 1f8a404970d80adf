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

/** A new sub-wallet, and the value of the counter of deterministic sub-wallets after it was added. */
export interface NewSubWallet {
  readonly subWallet: SubWallet;
  readonly subWalletIndexCounter: number;
}

/** The fields of a wallet that new keys depend on. */
export type KeyRing = Pick<WalletContent, 'isViewWallet' | 'privateViewKey' | 'subWallets' | 'subWalletIndexCounter'>;

/**
 * Derives the next deterministic sub-wallet. An index is never used again, even if its sub-wallet was deleted. Indexes whose
 * key was already imported are skipped.
 * @throws WalletError illegalViewWalletOperation, walletIndexTooLarge; the reason of the signal
 */
export async function nextSubWallet(ring: KeyRing, start: ScanStart, signal?: AbortSignal): Promise<NewSubWallet> {
  for (let index = ring.subWalletIndexCounter + 1; ; index++) {
    const secret = await deterministicSecret(ring, BigInt(index), signal);
    const subWallet = subWalletOfSecret(ring, secret, index, start);
    if (!holds(ring, subWallet.publicSpendKey)) return { subWallet, subWalletIndexCounter: index };
  }
}

/**
 * Derives the deterministic sub-wallet of an index. Index 0 is the primary sub-wallet, so it always exists.
 * @throws WalletError illegalViewWalletOperation, walletIndexTooLarge, subwalletAlreadyExists; the reason of the signal
 */
export async function deterministicSubWallet(
  ring: KeyRing,
  index: bigint,
  start: ScanStart,
  signal?: AbortSignal,
): Promise<NewSubWallet> {
  const secret = await deterministicSecret(ring, index, signal);
  // As in the C++ wallets, only sub-wallets of `nextSubWallet` store their index.
  const subWallet = subWalletOfSecret(ring, secret, 0, start);
  const subWalletIndexCounter = Math.max(ring.subWalletIndexCounter, Number(index));
  return { subWallet: requireNew(ring, subWallet), subWalletIndexCounter };
}

/** @throws WalletError illegalViewWalletOperation, invalidPrivateKey, subwalletAlreadyExists */
export function importedSubWallet(ring: KeyRing, privateSpendKey: string, start: ScanStart): NewSubWallet {
  if (ring.isViewWallet) throw walletError.illegalViewWalletOperation();
  const subWallet = subWalletOfSecret(ring, parsePrivateKey(privateSpendKey), 0, start);
  return { subWallet: requireNew(ring, subWallet), subWalletIndexCounter: ring.subWalletIndexCounter };
}

/**
 * A further address of a view wallet.
 * @param publicSpendKey hex
 * @throws WalletError invalidPublicKey, illegalNonViewWalletOperation, subwalletAlreadyExists
 */
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
 * The sub-wallet of a plain address.
 * @throws WalletError addressNotInWallet; as `checkAddress`
 */
export function subWalletOf(ring: KeyRing, address: string): SubWallet {
  const publicSpendKey = checkAddress(address, { allowIntegrated: false }).spendPublic.toString('hex');
  const subWallet = ring.subWallets.find((subWallet) => subWallet.publicSpendKey === publicSpendKey);
  // The address of a foreign wallet may have the same spend key and another view key.
  if (subWallet?.address !== address) throw walletError.addressNotInWallet();
  return subWallet;
}

/** The sub-wallet of an address, if it may be deleted. @throws WalletError cannotDeletePrimaryAddress; as `subWalletOf` */
export function removableSubWallet(ring: KeyRing, address: string): SubWallet {
  const subWallet = subWalletOf(ring, address);
  if (subWallet.isPrimary) throw walletError.cannotDeletePrimaryAddress();
  return subWallet;
}

async function deterministicSecret(ring: KeyRing, index: bigint, signal?: AbortSignal): Promise<Buffer> {
  const primary = ring.subWallets.find(({ isPrimary }) => isPrimary)?.privateSpendKey;
  if (ring.isViewWallet || primary === undefined) throw walletError.illegalViewWalletOperation();
  // Deriving takes time proportional to the index: a 64-bit index would never end.
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

/** Nobody can spend from a point of small order, and everybody from the identity, the public key of the secret 0. */
function isUsablePoint(point: Buffer): boolean {
  const isIdentity = point[0] === 1 && point.subarray(1).every((byte) => byte === 0);
  return checkKey(point) && isPrimeOrder(point) && !isIdentity;
}

function requireNew(ring: KeyRing, subWallet: SubWallet): SubWallet {
  if (holds(ring, subWallet.publicSpendKey)) throw walletError.subwalletAlreadyExists();
  return subWallet;
}

function holds(ring: KeyRing, publicSpendKey: string): boolean {
  return ring.subWallets.some((subWallet) => subWallet.publicSpendKey === publicSpendKey);
}
