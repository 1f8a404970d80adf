import type { ApiError } from '../errors';

export { errorMessage } from '../errors';

/** `kind` is the shape of the body: `failed` and `busy` have status and error, `wallet` has code and text of a wallet error. */
export interface DaemonRefusal extends ApiError {
  readonly kind: 'failed' | 'busy' | 'wallet' | 'empty';
}

const failed = (status: number, text: string, when: string): DaemonRefusal => ({ kind: 'failed', status, text, when });

/** All errors of the daemon's HTTP routes. The texts are those of the C++ daemon, because clients match on them. */
export const refusals = {
  notJson: failed(
    400,
    '{quoted}Failed to parse request body as JSON',
    'The body is not JSON. A body that is not empty is quoted.',
  ),
  missing: failed(400, "Missing JSON parameter: '{name}'", 'A required field is missing.'),
  wrongType: failed(
    400,
    'JSON parameter is wrong type. Expected {expected}, got {got}',
    'A field has the wrong JSON type.',
  ),
  invalidCheckpoint: failed(400, 'blockHashCheckpoints contains invalid hash', 'A checkpoint is not a hash.'),
  blockCountTooBig: failed(400, 'blockCount exceeds rpc-max-block-count', 'blockCount exceeds --rpc-max-block-count.'),
  unknownEncoding: failed(400, "encoding must be either 'hex' or 'base64'", 'The encoding is unknown.'),
  invertedRange: failed(400, 'endHeight must be >= startHeight', 'The range ends before it starts.'),
  rangeTooLong: failed(
    400,
    'Requested range exceeds rpc-max-global-index-range',
    'The range exceeds --rpc-max-global-index-range.',
  ),
  belowFloor: failed(
    400,
    'This node is a {mode} node and stores no {data} data below height {height}',
    'The block is below the first height this node stores: a lite node has no transactions there, a pruned node no blocks.',
  ),
  transactionHashNotHex: failed(
    400,
    'Transaction hash specified is not a valid hex string!',
    'An entry is not a transaction hash.',
  ),
  blockIdNotHex: failed(400, 'Block hash specified is not a valid hex string!', 'An entry is not a block hash.'),
  noKnownBlock: failed(500, 'Internal error: failed to queryblockslite', 'None of the blocks is on the main chain.'),
  tailBlockNotHex: failed(400, 'tailBlockId specified is not a valid hex string!', 'tailBlockId is not a hash.'),
  txidNotHex: failed(400, 'txid specified is not a valid hex string!', 'txid is not a hash.'),
  noOutputIndexes: failed(
    500,
    'Internal error: Failed to getTransactionGlobalIndexes',
    'No main-chain transaction has this hash.',
  ),
  tooManyOuts: failed(400, 'outs_count exceeds the maximum of {maximum}', 'Too many outputs for each amount.'),
  tooManyAmounts: failed(400, 'amounts has more than the maximum of {maximum} entries', 'Too many amounts.'),
  tooManyOutsInAll: failed(
    400,
    'amounts x outs_count exceeds the maximum of {maximum} outputs per request',
    'Too many outputs in total.',
  ),
  responseTooLarge: failed(
    400,
    'The answer would exceed the maximum of {maximum} bytes',
    'The response would be too large. Request a smaller range.',
  ),
  noOutputs: {
    kind: 'wallet',
    status: 400,
    code: 27,
    text:
      'Failed to get any matching outputs for amount {amount} ({readable}). Further explanation here: ' +
      'https://gist.github.com/zpalmtree/80b3e80463225bcfb8f8432043cb594c\n' +
      'Note: If you are a public node operator, you can safely ignore this message. It is only relevant to the user sending the transaction.',
    when: 'An amount has no output that can be a decoy.',
  },
  invalidId: failed(
    400,
    'JSON-RPC id must be a string of at most 256 characters, a number, a boolean or null',
    'The id is an object, an array or a long string.',
  ),
  wrongQuery: failed(400, '{name} must be {expected}', 'A query parameter is invalid.'),
  unknownTopic: failed(400, "no topic is called '{topic}'; the topics are {topics}", 'A topic is unknown.'),
  unauthorized: failed(401, 'Unauthorized RPC request', 'The access token is missing or wrong.'),
  forbidden: failed(
    403,
    'You do not have permission to access this method. Please relaunch your daemon with --daemon-mode explorer to access explorer RPC methods.',
    'The daemon mode does not allow this method.',
  ),
  miningOff: failed(
    403,
    'This node does not answer mining calls.',
    'Mining methods are disabled, for example by --public-node.',
  ),
  foreignHost: failed(
    403,
    'Requests for this host are not answered. Please relaunch your daemon with --rpc-allowed-host to allow it.',
    'The port is bound to loopback, and the Host header names another host.',
  ),
  foreignOrigin: failed(
    403,
    'Pages of this origin are not answered. Please relaunch your daemon with --enable-cors to allow it.',
    'The port is bound to loopback, and the Origin is not the one of --enable-cors.',
  ),
  notFound: { kind: 'empty', status: 404, text: '', when: 'Unknown path or HTTP method.' },
  eventsGone: failed(
    410,
    'Events after {after} are not kept. What is kept begins after {keptAfter}, the newest is {latest}',
    'The client missed events: they were deleted, or the number is of another journal.',
  ),
  bodyTooLarge: failed(413, 'RPC request body too large.', 'The body exceeds the maximum size.'),
  unsupportedEncoding: failed(415, 'Encoded request bodies are not accepted', 'The body has a content encoding.'),
  tooManyRequests: failed(
    429,
    'Too many RPC requests, please retry later',
    'The client address exceeded --rpc-max-rpm requests in this minute, or the reader time that goes with it. See Retry-After.',
  ),
  tooManyConnections: failed(
    429,
    'Too many concurrent RPC connections from this address',
    'The client address has too many open connections. This one is closed.',
  ),
  tooManyWaitHere: failed(
    429,
    'Too many callers of this address wait for events, please retry later',
    'The client address has too many waiting event requests.',
  ),
  damaged: failed(
    503,
    '{message}',
    'The database is damaged: the data is unreadable, or the node stopped following the chain.',
  ),
  internal: failed(500, 'Internal server error: {message}', 'Internal error.'),
  notSynced: failed(
    503,
    'Daemon must be synced to process this RPC method call, please retry when synced.',
    'The node is not synchronized.',
  ),
  busy: {
    kind: 'busy',
    status: 503,
    text: 'Chain is reorganizing, please retry shortly',
    when: 'The chain is being reorganised.',
  },
  tooManyWait: failed(
    503,
    'Too many callers wait for events, please retry later',
    '--events-max-clients event requests are waiting.',
  ),
  noJournal: failed(
    503,
    'The journal of events is not available, please retry later',
    'The event journal cannot be read or written. See the log of the node.',
  ),
  nodeAway: failed(
    503,
    'The node of this RPC server cannot be reached, please retry shortly',
    'A reader process (serve-rpc) cannot connect to its node. Retry-After is 1.',
  ),
  nodeSilent: failed(
    503,
    'The node of this RPC server does not respond, please retry shortly',
    'A reader process forwarded the request, and its node timed out. Retry-After is 1.',
  ),
  readerOfReader: failed(
    503,
    'This is a reader itself and passes nothing on for others. Please relaunch them with --node-socket of the node.',
    'A reader process forwarded the request to another reader process.',
  ),
  noConsole: failed(
    503,
    'The daemon console is not available yet, please retry in a moment',
    'The node is starting or stopping.',
  ),
  overloaded: failed(
    503,
    'RPC server is busy, please retry shortly',
    'Too many long requests are queued, for this address or in total. Retry-After is 1.',
  ),
} as const satisfies Record<string, DaemonRefusal>;

/** A JSON-RPC error. The HTTP status is 200 by default. */
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

/** All errors of the daemon's JSON-RPC methods. Codes and texts are those of the C++ daemon. */
export const rpcErrors = {
  blockHashNotHex: rpcError(-1, 'Block hash specified is not a valid hex!', 'The hash is not 64 hex digits.'),
  blockHashInvalid: rpcError(
    -1,
    'Block hash specified is not valid!',
    'hash is neither 64 hex digits nor a 64-bit number in decimal digits.',
  ),
  transactionUnknown: rpcError(
    -1,
    'Block hash specified does not exist!',
    'No main-chain transaction has this hash. The text of the C++ daemon has "Block", too.',
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
    'The request does not have exactly one block.',
  ),
  countOutOfRange: rpcError(-1, 'count must be between 1 and {maximum}', 'count is out of range.'),
  notSeconds: rpcError(-1, 'timestamp and spacing are Unix seconds', 'timestamp or spacing is out of range.'),
  heightTooBig: rpcError(
    -2,
    'Requested block header for a height that is higher than the current blockchain height! Current height: {height}',
    'The height is above the top block.',
  ),
  hashHeightTooBig: rpcError(
    -2,
    'Requested hash for a height that is higher than the current blockchain height! Current height: {height}',
    'The height sent as hash is 0 or above the top block.',
  ),
  reserveTooBig: rpcError(-3, 'Too big reserved size, maximum allowed is 255', 'More than 255 bytes.'),
  extraNonceTooBig: rpcError(-3, 'Too big extra nonce, maximum allowed is 255 bytes', 'More than 255 bytes.'),
  extraNonceNotHex: rpcError(-3, 'Given extra nonce is not hex!', 'The extra nonce is not hex.'),
  wrongAddress: rpcError(
    -4,
    '{message}',
    'The address is not a standard address of this network. The text is the error of the wallets.',
  ),
  digestPending: rpcError(
    -5,
    'The rules digest of this height is not calculated yet: the node has stored those up to height {height}',
    'The digest is not calculated yet. The node calculates it while no blocks arrive.',
  ),
  blockUnknown: rpcError(-5, 'Block hash specified does not exist!', 'No block has this hash.'),
  blockBelowFloor: rpcError(
    -5,
    'This node is a {mode} node and stores no {data} data below height {height}',
    'The block is below the first height this node stores.',
  ),
  templateFailed: rpcError(-5, 'Failed to create block template: {message}', 'The template cannot be built.'),
  generateFailed: rpcError(-5, 'Failed to generate blocks: {message}', 'Mining failed.'),
  blobNotHex: rpcError(-6, 'Submitted block blob is not hex!', 'The block is not hex.'),
  blockNotAccepted: rpcError(-7, 'Block not accepted', 'The block is invalid.'),
  coreBusy: rpcError(-9, 'Chain is reorganizing, please retry shortly', 'The chain is being reorganised.', 503),
} as const satisfies Record<string, RpcError>;
