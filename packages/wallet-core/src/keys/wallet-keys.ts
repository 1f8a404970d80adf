import { decodeMnemonic, encodeAddress, encodeMnemonic, fromHex, MnemonicError } from '@wrkz/core-types';
import { checkScalar, generateKeyPair, secretKeyToPublicKey, viewKeyFromSpendKey } from '@wrkz/crypto';
import { walletError, walletErrorOfCode } from '../errors';
import type { ScanStart, SubWallet, WalletContent } from '../ledger/model';
import { checkAddress } from './addresses';

/** A wallet with keys of its own, from the randomness of the operating system. */
export function createdWallet(start: ScanStart): WalletContent {
  const { secretKey } = generateKeyPair();
  return walletOfSecrets(secretKey, viewKeyFromSpendKey(secretKey), start);
}

/** @param privateViewKey hex, as the other one. @throws WalletError 52, of the view key before the spend key */
export function walletFromKeys(privateViewKey: string, privateSpendKey: string, start: ScanStart): WalletContent {
  const viewSecret = parsePrivateKey(privateViewKey);
  return walletOfSecrets(parsePrivateKey(privateSpendKey), viewSecret, start);
}

/** @throws WalletError 34, 33, 35, 7, 52 */
export function walletFromSeed(words: string, start: ScanStart): WalletContent {
  const spendSecret = seedToSpendKey(words);
  return walletOfSecrets(spendSecret, viewKeyFromSpendKey(spendSecret), start);
}

/**
 * A wallet that sees what comes in and can spend nothing. As in the reference, the key is not compared with the address.
 * @throws WalletError 52, then 12, 13, 25, 15 of the address
 */
export function walletFromViewKey(privateViewKey: string, address: string, start: ScanStart): WalletContent {
  const viewSecret = parsePrivateKey(privateViewKey);
  const { spendPublic } = checkAddress(address, { allowIntegrated: false });
  const primary = { publicSpendKey: spendPublic.toString('hex'), privateSpendKey: undefined, address };
  return content(viewSecret, primary, start);
}

/** Whether the view key of a view wallet is that of its address. */
export function isViewKeyOf(privateViewKey: string, address: string): boolean {
  const { viewPublic } = checkAddress(address, { allowIntegrated: false });
  return secretKeyToPublicKey(parsePrivateKey(privateViewKey)).equals(viewPublic);
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
    unknownMembers: new Map(),
  };
}

/** A sub-wallet that holds nothing yet. */
export function emptySubWallet(
  keys: Pick<SubWallet, 'publicSpendKey' | 'privateSpendKey' | 'address' | 'isPrimary' | 'walletIndex'>,
  { timestamp, height }: ScanStart,
): SubWallet {
  const nothing = { unspent: [], locked: [], spent: [], unconfirmedIncoming: [] };
  return { ...keys, syncStartTimestamp: timestamp, syncStartHeight: height, ...nothing };
}

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
