import { addressErrorCodes, describeAmount, mnemonicErrorCodes } from '@wrkz/core-types';

/** The number of each error. Numbers and names up to 62 are those of the C++ wallets and never change. */
export const errorCodes = {
  success: 0,
  filenameNonExistent: 1,
  invalidWalletFilename: 2,
  notAWalletFile: 3,
  walletFileCorrupted: 4,
  wrongPassword: 5,
  unsupportedWalletFileFormatVersion: 6,
  invalidMnemonic: mnemonicErrorCodes.invalid,
  walletFileAlreadyExists: 8,
  willOverflow: 9,
  addressNotInWallet: 10,
  notEnoughBalance: 11,
  addressWrongLength: addressErrorCodes.wrongLength,
  addressWrongPrefix: addressErrorCodes.wrongPrefix,
  addressNotBase58: addressErrorCodes.notBase58,
  addressNotValid: addressErrorCodes.notValid,
  integratedAddressPaymentIdInvalid: addressErrorCodes.invalidPaymentId,
  feeTooSmall: 17,
  noDestinationsGiven: 18,
  amountIsZero: 19,
  failedToCreateRingSignature: 20,
  mixinTooSmall: 21,
  mixinTooBig: 22,
  paymentIdWrongLength: 23,
  paymentIdInvalid: 24,
  addressIsIntegrated: addressErrorCodes.integrated,
  conflictingPaymentIds: 26,
  cantGetFakeOutputs: 27,
  notEnoughFakeOutputs: 28,
  invalidGeneratedKeyimage: 29,
  daemonOffline: 30,
  daemonError: 31,
  tooManyInputsToFitInBlock: 32,
  mnemonicInvalidWord: mnemonicErrorCodes.invalidWord,
  mnemonicWrongLength: mnemonicErrorCodes.wrongLength,
  mnemonicInvalidChecksum: mnemonicErrorCodes.invalidChecksum,
  fullyOptimized: 36,
  fusionMixinTooLarge: 37,
  subwalletAlreadyExists: 38,
  illegalViewWalletOperation: 39,
  illegalNonViewWalletOperation: 40,
  keysNotDeterministic: 41,
  cannotDeletePrimaryAddress: 42,
  txPrivateKeyNotFound: 43,
  amountsNotPretty: 44,
  unexpectedFee: 45,
  negativeValueGiven: 46,
  invalidKeyFormat: 47,
  hashWrongLength: 48,
  hashInvalid: 49,
  nonIntegerGiven: 50,
  invalidPublicKey: 51,
  invalidPrivateKey: 52,
  invalidExtraData: 53,
  unknownError: 54,
  daemonStillProcessing: 55,
  outputDecomposition: 56,
  preparedTransactionExpired: 57,
  preparedTransactionNotFound: 58,
  amountUgly: 59,
  unlockTimeTooSmall: 60,
  shortPaymentIdNeedsSingleDestination: 61,
  liteNodeCannotRescanThatLow: 62,

  // Errors of this program only. The C++ wallets use numbers up to 62 and may add more.
  walletFileInUse: 1000,
  walletIndexTooLarge: 1001,
  idempotencyKeyReused: 1002,
  idempotencyKeyUnderWay: 1003,
  keyLimitExceeded: 1004,
  walletDatabaseForeign: 1005,
  transactionGivenUp: 1006,
  refusedTransactionUnresolved: 1007,
  sendsPaused: 1008,
  notSynchronized: 1009,
  implausibleNodeHeight: 1010,
  walletDatabaseDamaged: 1011,
  foreignNetwork: 1012,
} as const;

export type WalletErrorName = keyof typeof errorCodes;

/** The general text of each error, the same as in the C++ wallets (docs/protocol/wallet.md#error-codes). */
export const errorTexts: Readonly<Record<WalletErrorName, string>> = {
  success: 'The operation completed successfully.',
  filenameNonExistent:
    'The filename you are attempting to open does not exist, or the wallet does not have permission to open it.',
  invalidWalletFilename:
    'We could not open/save to the filename given. Possibly invalid characters, or permission issues.',
  notAWalletFile: 'This file is not a wallet file, or is not a wallet file type supported by this wallet version.',
  walletFileCorrupted: 'This wallet file appears to have gotten corrupted.',
  wrongPassword: 'The password given for this wallet is incorrect.',
  unsupportedWalletFileFormatVersion:
    'This wallet file appears to be from a newer or older version of the software, that we do not support.',
  invalidMnemonic: 'The mnemonic seed given is invalid.',
  walletFileAlreadyExists: 'The wallet file you are attempting to create already exists. Please delete it first.',
  willOverflow: 'This operation will cause integer overflow. Please decrease the amounts you are sending.',
  addressNotInWallet:
    'The address given does not exist in the wallet container, but is required to exist for this operation.',
  notEnoughBalance:
    'Not enough unlocked funds were found to cover this transaction in the subwallets specified (or all wallets, if not specified). (Sum of amounts + fee)',
  addressWrongLength: 'The address given is the wrong length. It should be 98 chars, 120 chars, or 186 chars.',
  addressWrongPrefix:
    'The address does not have the correct prefix corresponding to this coin - it appears to be an address for another cryptocurrency.',
  addressNotBase58: 'The address contains invalid characters, that are not in the base58 set.',
  addressNotValid: 'The address given is not valid. Possibly invalid checksum. Most likely a typo.',
  integratedAddressPaymentIdInvalid: 'The payment ID stored in the integrated address supplied is not valid.',
  feeTooSmall: 'The fee given for this transaction is below the minimum allowed network fee.',
  noDestinationsGiven: 'The destinations array (amounts/addresses) is empty.',
  amountIsZero: 'One of the destination parameters has an amount given of zero.',
  failedToCreateRingSignature: 'Failed to create ring signature - probably a programmer error, or a corrupted wallet.',
  mixinTooSmall: 'The mixin value given is lower than the minimum mixin allowed',
  mixinTooBig: 'The mixin value given is greater than the maximum mixin allowed',
  paymentIdWrongLength: 'The payment ID given is not 16 or 64 characters long.',
  paymentIdInvalid: 'The payment ID given is not a hex string (A-F0-9)',
  addressIsIntegrated:
    "The address given is an integrated address, but integrated addresses aren't valid for this parameter.",
  conflictingPaymentIds:
    'Conflicting payment IDs were given. This could mean an integrated address + payment ID were given, where they are not the same, or that multiple integrated addresses with different payment IDs were given.',
  cantGetFakeOutputs: 'Failed to get fake outputs from the daemon to obscure our transaction, and mixin is not zero.',
  notEnoughFakeOutputs:
    'We could not get enough fake outputs for this transaction to complete. If possible, try lowering the mixin value used, or decrease the amount you are sending.',
  invalidGeneratedKeyimage:
    'The key image we generated is invalid - probably a programmer error, or a corrupted wallet.',
  daemonOffline: 'We were not able to submit our request to the daemon. Ensure it is online and not frozen.',
  daemonError:
    'An error occured whilst the daemon processed the request. Possibly our software is outdated, the daemon is faulty, or there is a programmer error. Check your daemon logs for more info. (set_log 4)',
  tooManyInputsToFitInBlock:
    'The transaction is too large (in BYTES, not AMOUNT) to fit in a block. Either decrease the amount you are sending, perform fusion transactions, or decrease mixin (if possible).',
  mnemonicInvalidWord: 'The mnemonic seed given has a word that is not present in the english word list.',
  mnemonicWrongLength: 'The mnemonic seed given is the wrong length. It should be 25 words long.',
  mnemonicInvalidChecksum: 'The mnemonic seed given has an invalid checksum word.',
  fullyOptimized: 'Cannot send fusion transaction - wallet is already fully optimized.',
  fusionMixinTooLarge:
    'Cannot send fusion transacton - mixin is too large to meet input/output ratio requirements whilst remaining in size constraints.',
  subwalletAlreadyExists: 'A subwallet with the given key already exists.',
  illegalViewWalletOperation: 'This function cannot be called when using a view wallet.',
  illegalNonViewWalletOperation: 'This function can only be used when using a view wallet.',
  keysNotDeterministic:
    'You cannot get a mnemonic seed for this address, as the view key is derived in terms of the spend key.',
  cannotDeletePrimaryAddress: 'Each wallet has a primary address when created, this address cannot be removed.',
  txPrivateKeyNotFound:
    "Couldn't find the private key for this transaction. The transaction must exist, and have been sent by this program. Transaction private keys cannot be found upon rescanning/reimporting.",
  amountsNotPretty:
    "The created transaction isn't comprised of only 'Pretty' amounts. This will cause the outputs to be unmixable. Almost certainly a programmer error. Cancelling transaction.",
  unexpectedFee:
    'The fee of the created transaction is not the same as that which was specified (0 for fusion transactions). Almost certainly a programmer error. Cancelling transaction.',
  negativeValueGiven:
    'The input for this operation must be greater than or equal to zero, but a negative number was given.',
  invalidKeyFormat: 'The public/private key or hash given is not a 64 char hex string.',
  hashWrongLength: 'The hash given is not 64 characters long.',
  hashInvalid: 'The hash given is not a hex string (A-Za-z0-9)',
  nonIntegerGiven: 'The number given is a float, not an integer.',
  invalidPublicKey: 'The public key given is not a valid ed25519 public key.',
  invalidPrivateKey: 'The private key given is not a valid ed25519 private key.',
  invalidExtraData: 'The extra data given for the transaction could not be decoded.',
  unknownError: 'An unknown error occurred.',
  daemonStillProcessing:
    'The transaction was sent to the daemon, but the connection timed out before we could determine if the transaction succeeded. Wait a few minutes before retrying the transaction, as it may still succeed.',
  outputDecomposition:
    'The transaction contains more outputs than what is permitted by the number of inputs that have been supplied for the transaction. Please try to send your transaction again. If the problem persists, please reduce the number of destinations that you are trying to send to.',
  preparedTransactionExpired:
    'The prepared transaction contains inputs that have since been spent or are no longer available, probably due to sending another transaction in between preparing this transaction and sending it. The prepared transaction has been cancelled.',
  preparedTransactionNotFound:
    'The prepared transaction hash given does not exist, either because it never existed or because the wallet process was restarted and the previously prepared transactions were lost. Please re-prepare and re-send the transaction, ensuring you specify the correct transaction hash.',
  amountUgly:
    'The amount given does not have only a single significant digit. For example, 20000 or 100000 would be fine, but 20001 or 123456 would not.',
  unlockTimeTooSmall: 'Unlock time is too small',
  shortPaymentIdNeedsSingleDestination:
    'A short payment ID is encrypted so that only the receiver can read it, which means the transaction can only have one destination. Send to a single address, or use a long (64 character) payment ID instead.',
  liteNodeCannotRescanThatLow:
    'The daemon this wallet is connected to holds no block data at the height given. Connect a daemon holding the whole chain, or pass a higher scanHeight.',
  walletFileInUse: 'The wallet file is open in another program, or in this one under another name.',
  walletIndexTooLarge: 'The wallet index given is too large.',
  idempotencyKeyReused: 'This idempotency key was already used with another request.',
  idempotencyKeyUnderWay:
    'A request with this idempotency key is in progress, or its outcome is not known yet. Try again later.',
  keyLimitExceeded: 'This key may not send that much today.',
  walletDatabaseForeign:
    'The wallet database beside the container belongs to another wallet. Move it away, or put the right one in its place.',
  transactionGivenUp: 'The transaction of this idempotency key was given up. Send again with another key.',
  refusedTransactionUnresolved:
    'An earlier transaction of these addresses was refused or given up and may still be mined. Wait for the next block, ' +
    'then try again.',
  sendsPaused: 'Sends are paused.',
  notSynchronized:
    'The wallet is not synchronized: it is more than 20 blocks behind its node, or an old file is still converting. ' +
    'Wait until it has caught up.',
  implausibleNodeHeight: 'The node claims a height that the chain cannot have reached.',
  walletDatabaseDamaged:
    'The wallet database is damaged or outdated. Restore a backup, or resume sends to continue without the lost data.',
  foreignNetwork:
    'The node serves another network than the wallet. Connect another node, or choose its network with --network.',
};

const KILOBYTE = 1024;

const kilobytes = (bytes: number): string => `${(bytes / KILOBYTE).toFixed(2)} KB`;

export interface LostByRescan {
  /** The node has no block data below this height. */
  readonly liteStartHeight: number;
  readonly scanHeight: number;
  /** Number of transactions of the wallet below `liteStartHeight`. */
  readonly lost: number;
}

/** Error texts that include details. */
export const detailedTexts = {
  /** @param reason text of the operating system */
  invalidWalletFilename: (reason: string): string => `Could not create file at path given. Error: ${reason}`,
  addressNotInWallet: (address: string): string =>
    `The address given (${address}) does not exist in the wallet container, but it is required to exist for this operation.`,
  addressWrongLength: (length: number): string =>
    `The address given is the wrong length. It should be 98 chars, 120 chars, or 186 chars, but it is ${length} chars.`,
  mixinTooSmall: (mixin: bigint, min: number): string =>
    `The mixin value given (${mixin}) is lower than the minimum mixin allowed (${min})`,
  mixinTooBig: (mixin: bigint, max: number): string =>
    `The mixin value given (${mixin}) is greater than the maximum mixin allowed (${max})`,
  addressIsIntegrated: (address: string): string =>
    `The address given (${address}) is an integrated address, but integrated addresses aren't valid for this parameter.`,
  /** @param found undefined if the response of the node does not have the amount */
  notEnoughFakeOutputs: (amount: bigint, requested: number, found: number | undefined): string => {
    const some = found === undefined ? 'any matching outputs' : 'enough matching outputs';
    const counts = found === undefined ? '' : ` Requested outputs: ${requested}, found outputs: ${found}.`;
    return `Failed to get ${some} for amount ${amount} (${describeAmount(amount)}).${counts}`;
  },
  daemonError: (reason: string): string => reason,
  /** Sizes in bytes. */
  tooManyInputsToFitInBlock: (size: number, max: number): string =>
    `Transaction is too large: (${kilobytes(size)}). Max allowed size is ${kilobytes(max)}. ` +
    'Decrease the amount you are sending, or perform some fusion transactions.',
  /** @param word in lower case */
  mnemonicInvalidWord: (word: string): string =>
    `The mnemonic seed given has a word that is not present in the english word list (${word}).`,
  mnemonicWrongLength: (words: number): string =>
    'The mnemonic seed given is the wrong length. It should be 25 words long, ' +
    `but it is ${words} ${words === 1 ? 'word' : 'words'} long.`,
  liteNodeCannotRescanThatLow: ({ liteStartHeight, scanHeight, lost }: LostByRescan): string =>
    `The daemon this wallet is connected to holds no block data below height ${liteStartHeight}. ` +
    `Rescanning from ${scanHeight} would start at ${liteStartHeight} instead, losing ${lost} transaction(s) this wallet ` +
    'already holds from below that height. Connect a daemon holding the whole chain, or pass a scanHeight of at least ' +
    `${liteStartHeight}.`,
  walletIndexTooLarge: (index: bigint, max: number): string =>
    `The wallet index given (${index}) is too large. The highest one is ${max}.`,
  transactionGivenUp: (hash: string, reason: string): string =>
    `Transaction ${hash} was given up: ${reason}. Send again with another key.`,
  refusedTransactionUnresolved: (hash: string): string =>
    `Transaction ${hash} of these addresses was refused or given up and may still be mined. Wait for the next block, ` +
    'then try again.',
  sendsPaused: (reason: string): string => `Sends are paused: ${reason}. They go on when the operator resumes them.`,
  implausibleNodeHeight: (claimed: number, plausible: number): string =>
    `The node claims height ${claimed}, but the chain cannot be above ${plausible} yet. Connect another node.`,
  walletDatabaseDamaged: (reason: string): string =>
    `The wallet database is damaged or outdated: ${reason}. Restore a backup, or resume sends to continue without the lost data.`,
} satisfies { readonly [Name in WalletErrorName]?: (...details: never[]) => string };
