/* The frame and the paths of a container (docs/protocol/wallet.md#container). */

/** The first bytes of every container. */
export const FILE_MARKER = Buffer.from('If I pull that off, will you die?\nIt would be extremely painful.');
/** The first bytes of the plaintext, by which a wrong password is recognised. */
export const CONTENT_MARKER = Buffer.from("You're a big guy.\nFor you.");
/** Bytes of the salt, which is also the initialisation vector. */
export const SALT_SIZE = 16;
export const CONTAINER_HEADER_SIZE = FILE_MARKER.length + SALT_SIZE;
export const CIPHER = 'aes-128-cbc';
export const KEY_SIZE = 16;
/** PBKDF2 iterations. */
export const ROUNDS = 500_000;

/** @param start the first {@link CONTAINER_HEADER_SIZE} bytes of a file */
export function isContainer(start: Uint8Array): boolean {
  return FILE_MARKER.equals(start.subarray(0, FILE_MARKER.length));
}

export const FORMAT_VERSION = 0n;

/** The text of an absent key, key image or secret. */
export const NO_KEY = '0'.repeat(64);

/**
 * The paths of `WalletContent.unknownFields`. The path of a list element has its identity instead of its index, so that unknown
 * fields follow an output that is spent and a transaction that is mined.
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
