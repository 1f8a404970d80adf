import { decodeMnemonic, encodeAddress, encodeMnemonic, fromHex, MnemonicError } from '@wrkz/core-types';
import { checkScalar, generateKeyPair, secretKeyToPublicKey, viewKeyFromSpendKey } from '@wrkz/crypto';
import { walletError, walletErrorOfCode } from '../errors';
import type { ScanStart, SubWallet, WalletContent } from '../ledger/model';
import { checkAddress } from './addresses';

/** A wallet with new keys from the randomness of the operating system. */
export function createdWallet(start: ScanStart): WalletContent {
  const { secretKey } = generateKeyPair();
  return walletOfSecrets(secretKey, viewKeyFromSpendKey(secretKey), start);
}

/** Keys are hex; the view key is checked first. @throws WalletError invalidPrivateKey */
export function walletFromKeys(privateViewKey: string, privateSpendKey: string, start: ScanStart): WalletContent {
  const viewSecret = parsePrivateKey(privateViewKey);
  return walletOfSecrets(parsePrivateKey(privateSpendKey), viewSecret, start);
}

/** @param words the 25 words of a seed. @throws WalletError as `seedToSpendKey` */
export function walletFromSeed(words: string, start: ScanStart): WalletContent {
  const spendSecret = seedToSpendKey(words);
  return walletOfSecrets(spendSecret, viewKeyFromSpendKey(spendSecret), start);
}

/**
 * A view wallet, which sees incoming payments and cannot spend. As in the C++ wallets, the key is not compared with the
 * address.
 * @throws WalletError invalidPrivateKey, then as `checkAddress`
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

/** A sub-wallet without outputs. */
export function emptySubWallet(
  keys: Pick<SubWallet, 'publicSpendKey' | 'privateSpendKey' | 'address' | 'isPrimary' | 'walletIndex'>,
  { timestamp, height }: ScanStart,
): SubWallet {
  const nothing = { unspent: [], locked: [], spent: [], unconfirmedIncoming: [] };
  return { ...keys, syncStartTimestamp: timestamp, syncStartHeight: height, ...nothing };
}

/**
 * The private spend key of a seed with 25 words. The first failing check of this order is thrown.
 * @throws WalletError mnemonicWrongLength, mnemonicInvalidWord, mnemonicInvalidChecksum, invalidMnemonic, invalidPrivateKey
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
 * The seed with 25 words. A seed restores only the spend key, so there is one only if the view key derives from it.
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
 * Parses a private key: 64 hex digits, below the group order and not 0, the secret that everybody knows.
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
