import { type AddressError, describeAmount } from '@wrkz/core-types';

/** A refusal with its code, name and text as every wallet of the network tells them (docs/protocol/wallet.md#error-codes). */
export class WalletError extends Error {
  constructor(
    readonly code: number,
    override readonly name: string,
    message: string,
  ) {
    super(message);
  }
}

const make =
  (code: number, name: string, text: string): (() => WalletError) =>
  () =>
    new WalletError(code, name, text);

const notInWallet = (address: string): string =>
  `The address given (${address}) does not exist in the wallet container, but it is required to exist for this operation.`;

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(2)} KB`;

const ADDRESS_NAMES = {
  12: 'ADDRESS_WRONG_LENGTH',
  13: 'ADDRESS_WRONG_PREFIX',
  14: 'ADDRESS_NOT_BASE58',
  15: 'ADDRESS_NOT_VALID',
  16: 'INTEGRATED_ADDRESS_PAYMENT_ID_INVALID',
  25: 'ADDRESS_IS_INTEGRATED',
} as const;

/** The refusals that building and sending a transaction can give, each made in one place. */
export const failures = {
  willOverflow: make(
    9,
    'WILL_OVERFLOW',
    'This operation will cause integer overflow. Please decrease the amounts you are sending.',
  ),
  addressNotInWallet: (address: string) => new WalletError(10, 'ADDRESS_NOT_IN_WALLET', notInWallet(address)),
  notEnoughBalance: make(
    11,
    'NOT_ENOUGH_BALANCE',
    'Not enough unlocked funds were found to cover this transaction in the subwallets specified (or all wallets, if not specified). (Sum of amounts + fee)',
  ),
  address: ({ code, message }: AddressError) => new WalletError(code, ADDRESS_NAMES[code], message),
  addressNotValid: make(
    15,
    'ADDRESS_NOT_VALID',
    'The address given is not valid. Possibly invalid checksum. Most likely a typo.',
  ),
  feeTooSmall: make(
    17,
    'FEE_TOO_SMALL',
    'The fee given for this transaction is below the minimum allowed network fee.',
  ),
  noDestinations: make(18, 'NO_DESTINATIONS_GIVEN', 'The destinations array (amounts/addresses) is empty.'),
  amountIsZero: make(19, 'AMOUNT_IS_ZERO', 'One of the destination parameters has an amount given of zero.'),
  ringSignature: make(
    20,
    'FAILED_TO_CREATE_RING_SIGNATURE',
    'Failed to create ring signature - probably a programmer error, or a corrupted wallet.',
  ),
  mixinTooSmall: (mixin: number | bigint, least: number) =>
    new WalletError(
      21,
      'MIXIN_TOO_SMALL',
      `The mixin value given (${mixin}) is lower than the minimum mixin allowed (${least})`,
    ),
  mixinTooBig: (mixin: number | bigint, most: number) =>
    new WalletError(
      22,
      'MIXIN_TOO_BIG',
      `The mixin value given (${mixin}) is greater than the maximum mixin allowed (${most})`,
    ),
  paymentIdLength: make(23, 'PAYMENT_ID_WRONG_LENGTH', 'The payment ID given is not 16 or 64 characters long.'),
  paymentIdInvalid: make(24, 'PAYMENT_ID_INVALID', 'The payment ID given is not a hex string (A-F0-9)'),
  conflictingPaymentIds: make(
    26,
    'CONFLICTING_PAYMENT_IDS',
    'Conflicting payment IDs were given. This could mean an integrated address + payment ID were given, where they are not the same, or that multiple integrated addresses with different payment IDs were given.',
  ),
  notEnoughFakeOutputs: (amount: bigint, requested: number, found: number) =>
    new WalletError(
      28,
      'NOT_ENOUGH_FAKE_OUTPUTS',
      `Failed to get enough matching outputs for amount ${amount} (${describeAmount(amount)}). Requested outputs: ${requested}, found outputs: ${found}.`,
    ),
  noFakeOutputs: (amount: bigint) =>
    new WalletError(
      28,
      'NOT_ENOUGH_FAKE_OUTPUTS',
      `Failed to get any matching outputs for amount ${amount} (${describeAmount(amount)}).`,
    ),
  tooFewFakeOutputs: make(
    28,
    'NOT_ENOUGH_FAKE_OUTPUTS',
    'We could not get enough fake outputs for this transaction to complete. If possible, try lowering the mixin value used, or decrease the amount you are sending.',
  ),
  nodeOffline: make(
    30,
    'DAEMON_OFFLINE',
    'We were not able to submit our request to the daemon. Ensure it is online and not frozen.',
  ),
  nodeError: (text: string | undefined) =>
    new WalletError(
      31,
      'DAEMON_ERROR',
      text !== undefined && text !== ''
        ? text
        : 'An error occured whilst the daemon processed the request. Possibly our software is outdated, the daemon is faulty, or there is a programmer error. Check your daemon logs for more info. (set_log 4)',
    ),
  missingGlobalIndex: make(
    31,
    'DAEMON_ERROR',
    'Missing global output index for one or more wallet outputs. Let sync continue on a full node and retry.',
  ),
  transactionTooLarge: (size: number, largest: number) =>
    new WalletError(
      32,
      'TOO_MANY_INPUTS_TO_FIT_IN_BLOCK',
      `Transaction is too large: (${kilobytes(size)}). Max allowed size is ${kilobytes(largest)}. Decrease the amount you are sending, or perform some fusion transactions.`,
    ),
  batchTooLarge: make(
    32,
    'TOO_MANY_INPUTS_TO_FIT_IN_BLOCK',
    'The transaction is too large (in BYTES, not AMOUNT) to fit in a block. Either decrease the amount you are sending, perform fusion transactions, or decrease mixin (if possible).',
  ),
  viewWallet: make(39, 'ILLEGAL_VIEW_WALLET_OPERATION', 'This function cannot be called when using a view wallet.'),
  amountsNotPretty: make(
    44,
    'AMOUNTS_NOT_PRETTY',
    "The created transaction isn't comprised of only 'Pretty' amounts. This will cause the outputs to be unmixable. Almost certainly a programmer error. Cancelling transaction.",
  ),
  unexpectedFee: make(
    45,
    'UNEXPECTED_FEE',
    'The fee of the created transaction is not the same as that which was specified (0 for fusion transactions). Almost certainly a programmer error. Cancelling transaction.',
  ),
  invalidExtra: make(53, 'INVALID_EXTRA_DATA', 'The extra data given for the transaction could not be decoded.'),
  unknown: make(54, 'UNKNOWN_ERROR', 'An unknown error occurred.'),
  stillProcessing: make(
    55,
    'DAEMON_STILL_PROCESSING',
    'The transaction was sent to the daemon, but the connection timed out before we could determine if the transaction succeeded. Wait a few minutes before retrying the transaction, as it may still succeed.',
  ),
  tooManyOutputs: make(
    56,
    'OUTPUT_DECOMPOSITION',
    'The transaction contains more outputs than what is permitted by the number of inputs that have been supplied for the transaction. Please try to send your transaction again. If the problem persists, please reduce the number of destinations that you are trying to send to.',
  ),
  preparedExpired: make(
    57,
    'PREPARED_TRANSACTION_EXPIRED',
    'The prepared transaction contains inputs that have since been spent or are no longer available, probably due to sending another transaction in between preparing this transaction and sending it. The prepared transaction has been cancelled.',
  ),
  preparedNotFound: make(
    58,
    'PREPARED_TRANSACTION_NOT_FOUND',
    'The prepared transaction hash given does not exist, either because it never existed or because the wallet process was restarted and the previously prepared transactions were lost. Please re-prepare and re-send the transaction, ensuring you specify the correct transaction hash.',
  ),
  unlockTimeTooSmall: make(60, 'UNLOCK_TIME_TOO_SMALL', 'Unlock time is too small'),
  shortPaymentIdNeedsOne: make(
    61,
    'SHORT_PAYMENT_ID_NEEDS_SINGLE_DESTINATION',
    'A short payment ID is encrypted so that only the receiver can read it, which means the transaction can only have one destination. Send to a single address, or use a long (64 character) payment ID instead.',
  ),
} as const;
