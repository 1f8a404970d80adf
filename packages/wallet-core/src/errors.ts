import type { AddressError } from '@wrkz/core-types';
import * as say from './error-texts';

/** The wallet was closed before what was asked of it could be done. */
export class WalletClosed extends Error {
  override readonly name = 'WalletClosed';

  constructor() {
    super('the wallet is closed');
  }
}

/** A refusal of the wallet: number, name and text as every wallet program of the network tells them (`errors.ts`). */
export class WalletError extends Error {
  constructor(
    /** Stable; what clients look at. */
    readonly code: number,
    /** The name that stands beside the number in the published table. */
    override readonly name: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A row of the table: what it says when nothing more is known, and what it says of the case at hand. */
export interface WalletErrorRow<Parameters extends readonly unknown[] = readonly never[]> {
  readonly code: number;
  readonly name: string;
  readonly text: string;
  readonly say?: (...parameters: Parameters) => string;
}

export function errorRow(code: number, name: string, text: string): WalletErrorRow<[]>;
export function errorRow<Parameters extends readonly unknown[]>(
  code: number,
  name: string,
  text: string,
  say: (...parameters: Parameters) => string,
): WalletErrorRow<Parameters>;
export function errorRow<Parameters extends readonly unknown[]>(
  code: number,
  name: string,
  text: string,
  say?: (...parameters: Parameters) => string,
): WalletErrorRow<Parameters> {
  return say === undefined ? { code, name, text } : { code, name, text, say };
}

/** Makes the error of a row; without parameters it bears the text that always holds. */
export type WalletErrorMaker<Row> =
  Row extends WalletErrorRow<infer Parameters> ? (...parameters: Parameters | []) => WalletError : never;

export function errorMaker<Parameters extends readonly unknown[]>(
  row: WalletErrorRow<Parameters>,
): (...parameters: Parameters | []) => WalletError {
  return (...parameters) => {
    const { code, name, text, say } = row;
    const known = say !== undefined && parameters.length > 0;
    return new WalletError(code, name, known ? say(...(parameters as Parameters)) : text);
  };
}

/**
 * Every refusal of a wallet (docs/protocol/wallet.md#error-codes). Numbers and names are the reference's and never change;
 * where a text names what it speaks of, the general one is what is said when that is not known.
 */
export const walletErrorRows = {
  success: errorRow(0, 'SUCCESS', 'The operation completed successfully.'),
  filenameNonExistent: errorRow(
    1,
    'FILENAME_NON_EXISTENT',
    'The filename you are attempting to open does not exist, or the wallet does not have permission to open it.',
  ),
  invalidWalletFilename: errorRow(
    2,
    'INVALID_WALLET_FILENAME',
    'We could not open/save to the filename given. Possibly invalid characters, or permission issues.',
    say.exportFailed,
  ),
  notAWalletFile: errorRow(
    3,
    'NOT_A_WALLET_FILE',
    'This file is not a wallet file, or is not a wallet file type supported by this wallet version.',
  ),
  walletFileCorrupted: errorRow(4, 'WALLET_FILE_CORRUPTED', 'This wallet file appears to have gotten corrupted.'),
  wrongPassword: errorRow(5, 'WRONG_PASSWORD', 'The password given for this wallet is incorrect.'),
  unsupportedWalletFileFormatVersion: errorRow(
    6,
    'UNSUPPORTED_WALLET_FILE_FORMAT_VERSION',
    'This wallet file appears to be from a newer or older version of the software, that we do not support.',
  ),
  invalidMnemonic: errorRow(7, 'INVALID_MNEMONIC', 'The mnemonic seed given is invalid.'),
  walletFileAlreadyExists: errorRow(
    8,
    'WALLET_FILE_ALREADY_EXISTS',
    'The wallet file you are attempting to create already exists. Please delete it first.',
  ),
  willOverflow: errorRow(
    9,
    'WILL_OVERFLOW',
    'This operation will cause integer overflow. Please decrease the amounts you are sending.',
  ),
  addressNotInWallet: errorRow(
    10,
    'ADDRESS_NOT_IN_WALLET',
    'The address given does not exist in the wallet container, but is required to exist for this operation.',
    say.addressNotInWallet,
  ),
  notEnoughBalance: errorRow(
    11,
    'NOT_ENOUGH_BALANCE',
    'Not enough unlocked funds were found to cover this transaction in the subwallets specified (or all wallets, if not specified). (Sum of amounts + fee)',
  ),
  addressWrongLength: errorRow(
    12,
    'ADDRESS_WRONG_LENGTH',
    'The address given is the wrong length. It should be 98 chars, 120 chars, or 186 chars.',
    say.addressWrongLength,
  ),
  addressWrongPrefix: errorRow(
    13,
    'ADDRESS_WRONG_PREFIX',
    'The address does not have the correct prefix corresponding to this coin - it appears to be an address for another cryptocurrency.',
  ),
  addressNotBase58: errorRow(
    14,
    'ADDRESS_NOT_BASE58',
    'The address contains invalid characters, that are not in the base58 set.',
  ),
  addressNotValid: errorRow(
    15,
    'ADDRESS_NOT_VALID',
    'The address given is not valid. Possibly invalid checksum. Most likely a typo.',
  ),
  integratedAddressPaymentIdInvalid: errorRow(
    16,
    'INTEGRATED_ADDRESS_PAYMENT_ID_INVALID',
    'The payment ID stored in the integrated address supplied is not valid.',
  ),
  feeTooSmall: errorRow(
    17,
    'FEE_TOO_SMALL',
    'The fee given for this transaction is below the minimum allowed network fee.',
  ),
  noDestinationsGiven: errorRow(18, 'NO_DESTINATIONS_GIVEN', 'The destinations array (amounts/addresses) is empty.'),
  amountIsZero: errorRow(19, 'AMOUNT_IS_ZERO', 'One of the destination parameters has an amount given of zero.'),
  failedToCreateRingSignature: errorRow(
    20,
    'FAILED_TO_CREATE_RING_SIGNATURE',
    'Failed to create ring signature - probably a programmer error, or a corrupted wallet.',
  ),
  mixinTooSmall: errorRow(
    21,
    'MIXIN_TOO_SMALL',
    'The mixin value given is lower than the minimum mixin allowed',
    say.mixinTooSmall,
  ),
  mixinTooBig: errorRow(
    22,
    'MIXIN_TOO_BIG',
    'The mixin value given is greater than the maximum mixin allowed',
    say.mixinTooBig,
  ),
  paymentIdWrongLength: errorRow(
    23,
    'PAYMENT_ID_WRONG_LENGTH',
    'The payment ID given is not 16 or 64 characters long.',
  ),
  paymentIdInvalid: errorRow(24, 'PAYMENT_ID_INVALID', 'The payment ID given is not a hex string (A-F0-9)'),
  addressIsIntegrated: errorRow(
    25,
    'ADDRESS_IS_INTEGRATED',
    "The address given is an integrated address, but integrated addresses aren't valid for this parameter.",
    say.addressIsIntegrated,
  ),
  conflictingPaymentIds: errorRow(
    26,
    'CONFLICTING_PAYMENT_IDS',
    'Conflicting payment IDs were given. This could mean an integrated address + payment ID were given, where they are not the same, or that multiple integrated addresses with different payment IDs were given.',
  ),
  cantGetFakeOutputs: errorRow(
    27,
    'CANT_GET_FAKE_OUTPUTS',
    'Failed to get fake outputs from the daemon to obscure our transaction, and mixin is not zero.',
  ),
  notEnoughFakeOutputs: errorRow(
    28,
    'NOT_ENOUGH_FAKE_OUTPUTS',
    'We could not get enough fake outputs for this transaction to complete. If possible, try lowering the mixin value used, or decrease the amount you are sending.',
    say.notEnoughFakeOutputs,
  ),
  invalidGeneratedKeyimage: errorRow(
    29,
    'INVALID_GENERATED_KEYIMAGE',
    'The key image we generated is invalid - probably a programmer error, or a corrupted wallet.',
  ),
  daemonOffline: errorRow(
    30,
    'DAEMON_OFFLINE',
    'We were not able to submit our request to the daemon. Ensure it is online and not frozen.',
  ),
  daemonError: errorRow(
    31,
    'DAEMON_ERROR',
    'An error occured whilst the daemon processed the request. Possibly our software is outdated, the daemon is faulty, or there is a programmer error. Check your daemon logs for more info. (set_log 4)',
    (words: string) => words,
  ),
  tooManyInputsToFitInBlock: errorRow(
    32,
    'TOO_MANY_INPUTS_TO_FIT_IN_BLOCK',
    'The transaction is too large (in BYTES, not AMOUNT) to fit in a block. Either decrease the amount you are sending, perform fusion transactions, or decrease mixin (if possible).',
    say.tooLarge,
  ),
  mnemonicInvalidWord: errorRow(
    33,
    'MNEMONIC_INVALID_WORD',
    'The mnemonic seed given has a word that is not present in the english word list.',
    say.mnemonicInvalidWord,
  ),
  mnemonicWrongLength: errorRow(
    34,
    'MNEMONIC_WRONG_LENGTH',
    'The mnemonic seed given is the wrong length. It should be 25 words long.',
    say.mnemonicWrongLength,
  ),
  mnemonicInvalidChecksum: errorRow(
    35,
    'MNEMONIC_INVALID_CHECKSUM',
    'The mnemonic seed given has an invalid checksum word.',
  ),
  fullyOptimized: errorRow(
    36,
    'FULLY_OPTIMIZED',
    'Cannot send fusion transaction - wallet is already fully optimized.',
  ),
  fusionMixinTooLarge: errorRow(
    37,
    'FUSION_MIXIN_TOO_LARGE',
    'Cannot send fusion transacton - mixin is too large to meet input/output ratio requirements whilst remaining in size constraints.',
  ),
  subwalletAlreadyExists: errorRow(38, 'SUBWALLET_ALREADY_EXISTS', 'A subwallet with the given key already exists.'),
  illegalViewWalletOperation: errorRow(
    39,
    'ILLEGAL_VIEW_WALLET_OPERATION',
    'This function cannot be called when using a view wallet.',
  ),
  illegalNonViewWalletOperation: errorRow(
    40,
    'ILLEGAL_NON_VIEW_WALLET_OPERATION',
    'This function can only be used when using a view wallet.',
  ),
  keysNotDeterministic: errorRow(
    41,
    'KEYS_NOT_DETERMINISTIC',
    'You cannot get a mnemonic seed for this address, as the view key is derived in terms of the spend key.',
  ),
  cannotDeletePrimaryAddress: errorRow(
    42,
    'CANNOT_DELETE_PRIMARY_ADDRESS',
    'Each wallet has a primary address when created, this address cannot be removed.',
  ),
  txPrivateKeyNotFound: errorRow(
    43,
    'TX_PRIVATE_KEY_NOT_FOUND',
    "Couldn't find the private key for this transaction. The transaction must exist, and have been sent by this program. Transaction private keys cannot be found upon rescanning/reimporting.",
  ),
  amountsNotPretty: errorRow(
    44,
    'AMOUNTS_NOT_PRETTY',
    "The created transaction isn't comprised of only 'Pretty' amounts. This will cause the outputs to be unmixable. Almost certainly a programmer error. Cancelling transaction.",
  ),
  unexpectedFee: errorRow(
    45,
    'UNEXPECTED_FEE',
    'The fee of the created transaction is not the same as that which was specified (0 for fusion transactions). Almost certainly a programmer error. Cancelling transaction.',
  ),
  negativeValueGiven: errorRow(
    46,
    'NEGATIVE_VALUE_GIVEN',
    'The input for this operation must be greater than or equal to zero, but a negative number was given.',
  ),
  invalidKeyFormat: errorRow(
    47,
    'INVALID_KEY_FORMAT',
    'The public/private key or hash given is not a 64 char hex string.',
  ),
  hashWrongLength: errorRow(48, 'HASH_WRONG_LENGTH', 'The hash given is not 64 characters long.'),
  hashInvalid: errorRow(49, 'HASH_INVALID', 'The hash given is not a hex string (A-Za-z0-9)'),
  nonIntegerGiven: errorRow(50, 'NON_INTEGER_GIVEN', 'The number given is a float, not an integer.'),
  invalidPublicKey: errorRow(51, 'INVALID_PUBLIC_KEY', 'The public key given is not a valid ed25519 public key.'),
  invalidPrivateKey: errorRow(52, 'INVALID_PRIVATE_KEY', 'The private key given is not a valid ed25519 private key.'),
  invalidExtraData: errorRow(
    53,
    'INVALID_EXTRA_DATA',
    'The extra data given for the transaction could not be decoded.',
  ),
  unknownError: errorRow(54, 'UNKNOWN_ERROR', 'An unknown error occurred.'),
  daemonStillProcessing: errorRow(
    55,
    'DAEMON_STILL_PROCESSING',
    'The transaction was sent to the daemon, but the connection timed out before we could determine if the transaction succeeded. Wait a few minutes before retrying the transaction, as it may still succeed.',
  ),
  outputDecomposition: errorRow(
    56,
    'OUTPUT_DECOMPOSITION',
    'The transaction contains more outputs than what is permitted by the number of inputs that have been supplied for the transaction. Please try to send your transaction again. If the problem persists, please reduce the number of destinations that you are trying to send to.',
  ),
  preparedTransactionExpired: errorRow(
    57,
    'PREPARED_TRANSACTION_EXPIRED',
    'The prepared transaction contains inputs that have since been spent or are no longer available, probably due to sending another transaction in between preparing this transaction and sending it. The prepared transaction has been cancelled.',
  ),
  preparedTransactionNotFound: errorRow(
    58,
    'PREPARED_TRANSACTION_NOT_FOUND',
    'The prepared transaction hash given does not exist, either because it never existed or because the wallet process was restarted and the previously prepared transactions were lost. Please re-prepare and re-send the transaction, ensuring you specify the correct transaction hash.',
  ),
  amountUgly: errorRow(
    59,
    'AMOUNT_UGLY',
    'The amount given does not have only a single significant digit. For example, 20000 or 100000 would be fine, but 20001 or 123456 would not.',
  ),
  unlockTimeTooSmall: errorRow(60, 'UNLOCK_TIME_TOO_SMALL', 'Unlock time is too small'),
  shortPaymentIdNeedsSingleDestination: errorRow(
    61,
    'SHORT_PAYMENT_ID_NEEDS_SINGLE_DESTINATION',
    'A short payment ID is encrypted so that only the receiver can read it, which means the transaction can only have one destination. Send to a single address, or use a long (64 character) payment ID instead.',
  ),
  liteNodeCannotRescanThatLow: errorRow(
    62,
    'LITE_NODE_CANNOT_RESCAN_THAT_LOW',
    'The daemon this wallet is connected to holds no block data at the height given. Connect a daemon holding the whole chain, or pass a higher scanHeight.',
    say.liteNodeCannotRescan,
  ),

  // What the reference has no number for. Its own end at 62, and it may add some.
  walletFileInUse: errorRow(
    1000,
    'WALLET_FILE_IN_USE',
    'The wallet file is open in another program, or in this one under another name.',
  ),
  walletIndexTooLarge: errorRow(
    1001,
    'WALLET_INDEX_TOO_LARGE',
    'The wallet index given is too large.',
    (index: bigint, most: number) => `The wallet index given (${index}) is too large. The highest one is ${most}.`,
  ),
  idempotencyKeyReused: errorRow(
    1002,
    'IDEMPOTENCY_KEY_REUSED',
    'This idempotency key was already used with another request.',
  ),
  idempotencyKeyUnderWay: errorRow(
    1003,
    'IDEMPOTENCY_KEY_UNDER_WAY',
    'A request with this idempotency key is in progress, or its outcome is not known yet. Try again later.',
  ),
  keyLimitExceeded: errorRow(1004, 'KEY_LIMIT_EXCEEDED', 'This key may not send that much today.'),
  walletDatabaseForeign: errorRow(
    1005,
    'WALLET_DATABASE_FOREIGN',
    'The wallet database beside the container belongs to another wallet. Move it away, or put the right one in its place.',
  ),
  transactionGivenUp: errorRow(
    1006,
    'TRANSACTION_GIVEN_UP',
    'The transaction of this idempotency key was given up. Send again with another key.',
    (hash: string, reason: string) => `Transaction ${hash} was given up: ${reason}. Send again with another key.`,
  ),
  refusedTransactionUnresolved: errorRow(
    1007,
    'REFUSED_TRANSACTION_UNRESOLVED',
    'An earlier transaction of these addresses was refused and may still be mined. Wait for the next block, then try again.',
    (hash: string) =>
      `Transaction ${hash} of these addresses was refused and may still be mined. Wait until a block has the one that ` +
      'replaces it, then try again.',
  ),
  sendsPaused: errorRow(
    1008,
    'SENDS_PAUSED',
    'Sends are paused.',
    (reason: string) => `Sends are paused: ${reason}. They go on when the operator resumes them.`,
  ),
  notSynchronized: errorRow(
    1009,
    'NOT_SYNCHRONIZED',
    'The wallet is not synchronized: it is more than 20 blocks behind its node. Wait until it has caught up.',
  ),
  implausibleNodeHeight: errorRow(
    1010,
    'IMPLAUSIBLE_NODE_HEIGHT',
    'The node claims a height that the chain cannot have reached.',
    (claimed: number, plausible: number) =>
      `The node claims height ${claimed}, but the chain cannot be above ${plausible} yet. Connect another node.`,
  ),
  walletDatabaseDamaged: errorRow(
    1011,
    'WALLET_DATABASE_DAMAGED',
    'The wallet database is damaged. Restore a backup, or resume sends to begin a new one.',
    (reason: string) =>
      `The wallet database is damaged: ${reason}. Restore a backup, or resume sends to begin a new database.`,
  ),
  foreignNetwork: errorRow(1012, 'FOREIGN_NETWORK', 'The node serves another network than the wallet.'),
} as const;

type WalletErrors = {
  readonly [Name in keyof typeof walletErrorRows]: WalletErrorMaker<(typeof walletErrorRows)[Name]>;
};

/** A maker for each row: `walletError.notEnoughBalance()`, `walletError.mixinTooSmall(0n, 1)`. */
export const walletError = Object.fromEntries(
  Object.entries(walletErrorRows).map(([name, row]) => [name, errorMaker(row as WalletErrorRow<never[]>)]),
) as WalletErrors;

const rowOfCode: ReadonlyMap<number, WalletErrorRow<never[]>> = new Map(
  Object.values(walletErrorRows).map((row) => [row.code, row as WalletErrorRow<never[]>]),
);

/** The error of a code, with a text of its own where something more is known. */
export function walletErrorOfCode(code: number, text?: string, options?: ErrorOptions): WalletError {
  const row = rowOfCode.get(code) ?? walletErrorRows.unknownError;
  return new WalletError(row.code, row.name, text ?? row.text, options);
}

/** Whether an error is the wallet's refusal of one of these names. */
export function isWalletError(
  error: unknown,
  ...names: readonly (keyof typeof walletErrorRows)[]
): error is WalletError {
  return error instanceof WalletError && names.some((name) => walletErrorRows[name].code === error.code);
}

/** The refusal of an address that cannot be decoded: codes 12 to 16 are shared with the address codec. */
export const addressError = ({ code, message }: AddressError): WalletError => walletErrorOfCode(code, message);

/** A refusal by a node. @param reason the node's text; the general text is used when it is empty */
export const nodeRefusal = (reason = ''): WalletError =>
  reason === '' ? walletError.daemonError() : walletError.daemonError(reason);

/** An own output cannot be spent because no node has reported its global index yet. */
export const missingGlobalIndex = (): WalletError =>
  walletError.daemonError(
    'Missing global output index for one or more wallet outputs. Let sync continue on a full node and retry.',
  );
