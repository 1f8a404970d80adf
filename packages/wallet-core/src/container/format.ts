/* The frame of a container (docs/protocol/wallet.md#container). */

/** What every container begins with. */
export const FILE_MARKER = Buffer.from('If I pull that off, will you die?\nIt would be extremely painful.');
/** What stands before the JSON, encrypted with it: it tells the right password. */
export const CONTENT_MARKER = Buffer.from("You're a big guy.\nFor you.");
/** Bytes of the salt, which is the initialisation vector as well. */
export const SALT_SIZE = 16;
export const CONTAINER_HEADER_SIZE = FILE_MARKER.length + SALT_SIZE;
export const CIPHER = 'aes-128-cbc';
export const KEY_SIZE = 16;
export const ROUNDS = 500_000;

/** Whether a file is a container, by its first bytes: {@link CONTAINER_HEADER_SIZE} of them are enough. */
export function isContainer(start: Uint8Array): boolean {
  return FILE_MARKER.equals(start.subarray(0, FILE_MARKER.length));
}

/* The members of a container, by the object that holds them, sorted as they are written (docs/protocol/wallet.md#container). */

export const FORMAT_VERSION = 0n;

export const ROOT = ['subWallets', 'walletFileFormatVersion', 'walletSynchronizer'] as const;

export const SUB_WALLETS = [
  'isViewWallet',
  'lockedTransactions',
  'privateViewKey',
  'publicSpendKeys',
  'subWallet',
  'subWalletIndexCounter',
  'transactions',
  'txPrivateKeys',
] as const;

/** `retiredKeys` is ours: keys of outputs that have left `spentInputs`. */
export const SUB_WALLET = [
  'address',
  'isPrimaryAddress',
  'lockedInputs',
  'privateSpendKey',
  'publicSpendKey',
  'retiredKeys',
  'spentInputs',
  'syncStartHeight',
  'syncStartTimestamp',
  'unconfirmedIncomingAmounts',
  'unspentInputs',
  'walletIndex',
] as const;

/**
 * `spendingTransactionHash` and `verified` are ours: the reference does not know which send took a locked output, and believes
 * what a node reports.
 */
export const INPUT = [
  'amount',
  'blockHeight',
  'globalOutputIndex',
  'key',
  'keyImage',
  'parentTransactionHash',
  'privateEphemeral',
  'spendHeight',
  'spendingTransactionHash',
  'transactionIndex',
  'transactionPublicKey',
  'unlockTime',
  'verified',
] as const;

export const UNCONFIRMED_AMOUNT = ['amount', 'key', 'parentTransactionHash'] as const;

/** `unverifiedBlock` is ours. */
export const TRANSACTION = [
  'blockHeight',
  'fee',
  'hash',
  'isCoinbaseTransaction',
  'paymentID',
  'timestamp',
  'transfers',
  'unlockTime',
  'unverifiedBlock',
] as const;

export const TRANSFER = ['amount', 'publicKey'] as const;

export const TRANSACTION_KEY = ['transactionHash', 'txPrivateKey'] as const;

export const SYNCHRONIZER = [
  'privateViewKey',
  'startHeight',
  'startTimestamp',
  'transactionSynchronizerStatus',
] as const;

export const SYNCHRONIZER_STATUS = ['blockHashCheckpoints', 'lastKnownBlockHashes', 'lastKnownBlockHeight'] as const;

/** What a key, a key image or a secret is written as that is not there. */
export const NO_KEY = '0'.repeat(64);

/**
 * Under which path the unknown members of an object are kept. An element of a list is named by what it is, not by its place,
 * so that they follow an output that was spent and a transaction that was mined.
 */
export const pathOf = {
  root: '',
  subWallets: 'subWallets',
  synchronizer: 'walletSynchronizer',
  synchronizerStatus: 'walletSynchronizer.transactionSynchronizerStatus',
  subWallet: (publicSpendKey: string): string => `subWallet ${publicSpendKey}`,
  output: (parentTransactionHash: string, outputIndex: number): string =>
    `output ${parentTransactionHash} ${outputIndex}`,
  unconfirmedAmount: (key: string): string => `unconfirmedAmount ${key}`,
  transaction: (hash: string): string => `transaction ${hash}`,
  transfer: (hash: string, publicSpendKey: string): string => `transfer ${hash} ${publicSpendKey}`,
  transactionKey: (hash: string): string => `transactionKey ${hash}`,
} as const;
