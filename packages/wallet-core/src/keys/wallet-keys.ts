import { decodeMnemonic, encodeAddress, encodeMnemonic, fromHex, MnemonicError } from '@wrkz/core-types';
import {
  checkScalar,
  deterministicSubWalletKeysAsync,
  generateKeyPair,
  MAX_SUB_WALLET_INDEX,
  secretKeyToPublicKey,
  viewKeyFromSpendKey,
} from '@wrkz/crypto';
import { walletError, walletErrorOfCode } from '../errors';
import type { ScanStart, SubWallet, WalletContent } from '../ledger/model';
import { checkAddress, isUsablePoint } from './addresses';

/** The start of a scan at a height. */
export const scanFrom = (height: number): ScanStart => ({ height, timestamp: 0 });

/** A wallet with new keys from the operating system's random generator. */
export function createdWallet(start: ScanStart): WalletContent {
  const { secretKey } = generateKeyPair();
  return walletOfSecrets(secretKey, viewKeyFromSpendKey(secretKey), start);
}

/** A wallet with the given keys in hex. The view key is checked first. @throws WalletError invalidPrivateKey */
export function walletFromKeys(privateViewKey: string, privateSpendKey: string, start: ScanStart): WalletContent {
  const viewSecret = parsePrivateKey(privateViewKey);
  return walletOfSecrets(parsePrivateKey(privateSpendKey), viewSecret, start);
}

/** A wallet restored from a seed. @param words 25 words @throws WalletError as `seedToSpendKey` */
export function walletFromSeed(words: string, start: ScanStart): WalletContent {
  const spendSecret = seedToSpendKey(words);
  return walletOfSecrets(spendSecret, viewKeyFromSpendKey(spendSecret), start);
}

/**
 * A view wallet, which detects incoming payments and cannot spend. As in the C++ wallets, the key is not compared with the
 * address.
 * @throws WalletError invalidPrivateKey, and those of `checkAddress`
 */
export function walletFromViewKey(privateViewKey: string, address: string, start: ScanStart): WalletContent {
  const viewSecret = parsePrivateKey(privateViewKey);
  const { spendPublic } = checkAddress(address, { allowIntegrated: false });
  const primary = { publicSpendKey: spendPublic.toString('hex'), privateSpendKey: undefined, address };
  return content(viewSecret, primary, start);
}

function walletOfSecrets(spendSecret: Buffer, viewSecret: Buffer, start: ScanStart): WalletContent {
  const spendPublic = secretKeyToPublicKey(spendSecret);
  const primary = {
    publicSpendKey: spendPublic.toString('hex'),
    privateSpendKey: spendSecret.toString('hex'),
    address: encodeAddress({ spendPublic, viewPublic: secretKeyToPublicKey(viewSecret) }),
  };
  return content(viewSecret, primary, start);
}

function content(
  viewSecret: Buffer,
  keys: Pick<SubWallet, 'publicSpendKey' | 'privateSpendKey' | 'address'>,
  { timestamp, height }: ScanStart,
): WalletContent {
  return {
    privateViewKey: viewSecret.toString('hex'),
    isViewWallet: keys.privateSpendKey === undefined,
    subWallets: [emptySubWallet({ ...keys, isPrimary: true, walletIndex: 0 }, { timestamp, height })],
    subWalletIndexCounter: 0,
    transactions: [],
    unconfirmed: [],
    transactionKeys: [],
    progress: { height: 0, recentHashes: [], checkpointHashes: [] },
    startTimestamp: timestamp,
    startHeight: height,
    unknownFields: new Map(),
  };
}

export function emptySubWallet(
  keys: Pick<SubWallet, 'publicSpendKey' | 'privateSpendKey' | 'address' | 'isPrimary' | 'walletIndex'>,
  { timestamp, height }: ScanStart,
): SubWallet {
  const nothing = { unspent: [], locked: [], spent: [], unconfirmedIncoming: [] };
  return { ...keys, syncStartTimestamp: timestamp, syncStartHeight: height, ...nothing };
}

/**
 * The private spend key of a seed with 25 words.
 * @throws WalletError in the order of the checks: mnemonicWrongLength, mnemonicInvalidWord, mnemonicInvalidChecksum,
 * invalidMnemonic, invalidPrivateKey
 */
function seedToSpendKey(words: string): Buffer {
  try {
    return requirePrivateKey(decodeMnemonic(words));
  } catch (error) {
    if (error instanceof MnemonicError) throw walletErrorOfCode(error.code, error.message);
    throw error;
  }
}

/**
 * The seed with 25 words. A seed restores only the spend key, so it exists only if the view key is derived from that.
 * @param privateSpendKey undefined in a view wallet
 * @throws WalletError illegalViewWalletOperation, keysNotDeterministic
 */
export function seedOf(privateSpendKey: string | undefined, privateViewKey: string): string {
  if (privateSpendKey === undefined) throw walletError.illegalViewWalletOperation();
  const spendSecret = parsePrivateKey(privateSpendKey);
  if (viewKeyFromSpendKey(spendSecret).toString('hex') !== privateViewKey) throw walletError.keysNotDeterministic();
  return encodeMnemonic(spendSecret);
}

/**
 * Parses a private key: 64 hex digits, below the group order and not 0.
 * @throws WalletError invalidPrivateKey
 */
export function parsePrivateKey(hex: string): Buffer {
  const key = fromHex(hex, 32);
  if (key === undefined) throw walletError.invalidPrivateKey();
  return requirePrivateKey(key);
}

/** @throws WalletError invalidPrivateKey */
function requirePrivateKey(key: Buffer): Buffer {
  if (!checkScalar(key) || key.every((byte) => byte === 0)) throw walletError.invalidPrivateKey();
  return key;
}

/** A new sub-wallet, and the new value of the counter of deterministic sub-wallets. */
export interface NewSubWallet {
  readonly subWallet: SubWallet;
  readonly subWalletIndexCounter: number;
}

/** The fields of a wallet that are needed to create sub-wallets. */
export type KeyRing = Pick<WalletContent, 'isViewWallet' | 'privateViewKey' | 'subWallets' | 'subWalletIndexCounter'>;

/**
 * Derives the next deterministic sub-wallet. Indexes of deleted sub-wallets are not reused. Indexes whose key was already
 * imported are skipped.
 * @throws WalletError illegalViewWalletOperation, walletIndexTooLarge; the signal's reason
 */
export async function nextSubWallet(ring: KeyRing, start: ScanStart, signal?: AbortSignal): Promise<NewSubWallet> {
  for (let index = ring.subWalletIndexCounter + 1; ; index++) {
    const secret = await deterministicSecret(ring, BigInt(index), signal);
    const subWallet = subWalletOfSecret(ring, secret, index, start);
    if (!holds(ring, subWallet.publicSpendKey)) return { subWallet, subWalletIndexCounter: index };
  }
}

/**
 * Derives the deterministic sub-wallet of an index. Index 0 is the primary sub-wallet, which always exists.
 * @throws WalletError illegalViewWalletOperation, walletIndexTooLarge, subwalletAlreadyExists; the signal's reason
 */
export async function deterministicSubWallet(
  ring: KeyRing,
  index: bigint,
  start: ScanStart,
  signal?: AbortSignal,
): Promise<NewSubWallet> {
  const secret = await deterministicSecret(ring, index, signal);
  // As in the C++ wallets, only sub-wallets created by `nextSubWallet` store their index.
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
 * @throws WalletError addressNotInWallet, and those of `checkAddress`
 */
export function subWalletOf(ring: KeyRing, address: string): SubWallet {
  const publicSpendKey = checkAddress(address, { allowIntegrated: false }).spendPublic.toString('hex');
  const subWallet = ring.subWallets.find((subWallet) => subWallet.publicSpendKey === publicSpendKey);
  // An address of another wallet may combine this spend key with another view key.
  if (subWallet?.address !== address) throw walletError.addressNotInWallet();
  return subWallet;
}

/** The sub-wallet to delete. @throws WalletError cannotDeletePrimaryAddress, and those of `subWalletOf` */
export function removableSubWallet(ring: KeyRing, address: string): SubWallet {
  const subWallet = subWalletOf(ring, address);
  if (subWallet.isPrimary) throw walletError.cannotDeletePrimaryAddress();
  return subWallet;
}

async function deterministicSecret(ring: KeyRing, index: bigint, signal?: AbortSignal): Promise<Buffer> {
  const primary = ring.subWallets.find(({ isPrimary }) => isPrimary)?.privateSpendKey;
  if (ring.isViewWallet || primary === undefined) throw walletError.illegalViewWalletOperation();
  // The derivation takes time proportional to the index, so a 64-bit index would never finish.
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

function requireNew(ring: KeyRing, subWallet: SubWallet): SubWallet {
  if (holds(ring, subWallet.publicSpendKey)) throw walletError.subwalletAlreadyExists();
  return subWallet;
}

function holds(ring: KeyRing, publicSpendKey: string): boolean {
  return ring.subWallets.some((subWallet) => subWallet.publicSpendKey === publicSpendKey);
}
