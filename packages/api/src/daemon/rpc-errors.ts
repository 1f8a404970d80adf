import type { ApiError } from '../errors';

/** An error in the JSON-RPC envelope; HTTP status 200 unless it says otherwise. */
export interface RpcError extends ApiError {
  readonly kind: 'json-rpc';
  readonly code: number;
}

const rpcError = (code: number, text: string, when: string, status = 200): RpcError => ({
  kind: 'json-rpc',
  status,
  code,
  text,
  when,
});

/** Everything that the daemon's JSON-RPC methods answer as an error object; the codes are the network's. */
export const rpcErrors = {
  blockHashNotHex: rpcError(-1, 'Block hash specified is not a valid hex!', 'The hash is not 64 hex digits.'),
  blockHashInvalid: rpcError(
    -1,
    'Block hash specified is not valid!',
    'What was sent is neither 64 hex digits nor a number of 64 bits in decimal digits.',
  ),
  transactionUnknown: rpcError(
    -1,
    'Block hash specified does not exist!',
    'No transaction of the main chain has this hash; the text is as old as the method.',
  ),
  shortPaymentId: rpcError(
    -1,
    'Short payment IDs are encrypted to their receiver and cannot be looked up. Only the sender and the receiver can read one.',
    'The payment id has 16 characters.',
  ),
  paymentIdNotHex: rpcError(
    -1,
    'Payment ID specified is not 64 valid hex characters!',
    'The payment id is not 64 hex digits.',
  ),
  notOneBlob: rpcError(
    -1,
    'You must submit one and only one block blob! (Found {count})',
    'Not exactly one block was sent.',
  ),
  countOutOfRange: rpcError(-1, 'count must be between 1 and {maximum}', 'The number of blocks is out of range.'),
  notSeconds: rpcError(-1, 'timestamp and spacing are Unix seconds', 'A time is out of range.'),
  heightTooBig: rpcError(
    -2,
    'Requested block header for a height that is higher than the current blockchain height! Current height: {height}',
    'The height lies above the tip.',
  ),
  hashHeightTooBig: rpcError(
    -2,
    'Requested hash for a height that is higher than the current blockchain height! Current height: {height}',
    'The height that was sent in place of a hash is 0 or lies above the tip.',
  ),
  reserveTooBig: rpcError(
    -3,
    'Too big reserved size, maximum allowed is 255',
    'More bytes than one length byte can say.',
  ),
  extraNonceTooBig: rpcError(
    -3,
    'Too big extra nonce, maximum allowed is 255 bytes',
    'More bytes than one length byte can say.',
  ),
  extraNonceNotHex: rpcError(-3, 'Given extra nonce is not hex!', 'The extra nonce is not hex.'),
  wrongAddress: rpcError(-4, '{message}', "The address is not a plain one of this coin; the text is the wallets' own."),
  blockUnknown: rpcError(-5, 'Block hash specified does not exist!', 'No block has this hash.'),
  blockBelowFloor: rpcError(
    -5,
    'This node is a {mode} node and stores no {data} data below height {height}',
    'The block lies below the height from which this node keeps blocks.',
  ),
  templateFailed: rpcError(-5, 'Failed to create block template: {message}', 'No template could be made.'),
  generateFailed: rpcError(-5, 'Failed to generate blocks: {message}', 'Mining failed.'),
  blobNotHex: rpcError(-6, 'Submitted block blob is not hex!', 'The block is not hex.'),
  blockNotAccepted: rpcError(-7, 'Block not accepted', 'The block breaks a rule.'),
  coreBusy: rpcError(-9, 'Chain is reorganizing, please retry shortly', 'The chain cannot be read now.', 503),
} as const satisfies Record<string, RpcError>;
