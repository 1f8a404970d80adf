import type { ApiError } from '../errors';

/** How a refusal is written: `failed` as status and error, `wallet` as a wallet error's code and text. */
export interface DaemonRefusal extends ApiError {
  readonly kind: 'failed' | 'busy' | 'wallet' | 'empty';
}

const failed = (status: number, text: string, when: string): DaemonRefusal => ({ kind: 'failed', status, text, when });

/**
 * Everything that the daemon's HTTP routes refuse, in one place. Texts are the network's, word for word, because clients
 * match on them.
 */
export const refusals = {
  notJson: failed(
    400,
    '{quoted}Failed to parse request body as JSON',
    'The body is not JSON; what is not empty is quoted.',
  ),
  missing: failed(400, "Missing JSON parameter: '{name}'", 'A member that is needed was not sent.'),
  wrongType: failed(
    400,
    'JSON parameter is wrong type. Expected {expected}, got {got}',
    'A member is of another JSON type.',
  ),
  invalidCheckpoint: failed(400, 'blockHashCheckpoints contains invalid hash', 'A checkpoint is no hash.'),
  blockCountTooBig: failed(400, 'blockCount exceeds rpc-max-block-count', 'More blocks are asked for than allowed.'),
  unknownEncoding: failed(400, "encoding must be either 'hex' or 'base64'", 'The encoding is neither of the two.'),
  invertedRange: failed(400, 'endHeight must be >= startHeight', 'The range ends before it starts.'),
  rangeTooLong: failed(
    400,
    'Requested range exceeds rpc-max-global-index-range',
    'The range is longer than this node allows.',
  ),
  belowFloor: failed(
    400,
    'This node is a {mode} node and stores no {data} data below height {height}',
    'What is asked for lies below the height from which this node keeps it: a lite node has no transactions there, a ' +
      'pruned one no blocks.',
  ),
  transactionHashNotHex: failed(
    400,
    'Transaction hash specified is not a valid hex string!',
    'An entry is no transaction hash.',
  ),
  blockIdNotHex: failed(400, 'Block hash specified is not a valid hex string!', 'An entry is no block hash.'),
  noKnownBlock: failed(
    500,
    'Internal error: failed to queryblockslite',
    'None of the blocks stands on the main chain.',
  ),
  tailBlockNotHex: failed(400, 'tailBlockId specified is not a valid hex string!', 'The tail block is no hash.'),
  txidNotHex: failed(400, 'txid specified is not a valid hex string!', 'The id is no hash.'),
  noOutputIndexes: failed(
    500,
    'Internal error: Failed to getTransactionGlobalIndexes',
    'No transaction of the main chain has this id.',
  ),
  tooManyOuts: failed(400, 'outs_count exceeds the maximum of {maximum}', 'Too many outputs an amount.'),
  tooManyAmounts: failed(400, 'amounts has more than the maximum of {maximum} entries', 'Too many amounts.'),
  tooManyOutsInAll: failed(
    400,
    'amounts x outs_count exceeds the maximum of {maximum} outputs per request',
    'Too many outputs in all.',
  ),
  answerTooLarge: failed(
    400,
    'The answer would exceed the maximum of {maximum} bytes',
    'The answer would be larger than this node gives; a narrower question is needed.',
  ),
  noOutputs: {
    kind: 'wallet',
    status: 400,
    code: 27,
    text:
      'Failed to get any matching outputs for amount {amount} ({readable}). Further explanation here: ' +
      'https://gist.github.com/zpalmtree/80b3e80463225bcfb8f8432043cb594c\n' +
      'Note: If you are a public node operator, you can safely ignore this message. It is only relevant to the user sending the transaction.',
    when: 'An amount has no output that could be a decoy.',
  },
  wrongQuery: failed(400, '{name} must be {expected}', 'A parameter of the query cannot be read.'),
  unknownTopic: failed(400, "no topic is called '{topic}'; the topics are {topics}", 'A topic is none of these.'),
  unauthorized: failed(401, 'Unauthorized RPC request', 'The access token is missing or wrong.'),
  forbidden: failed(
    403,
    'You do not have permission to access this method. Please relaunch your daemon with --daemon-mode explorer to access explorer RPC methods.',
    'The permission mode of this node does not grant it.',
  ),
  miningOff: failed(
    403,
    'This node does not answer mining calls.',
    'The operator has switched mining calls off, as --public-node does.',
  ),
  foreignHost: failed(
    403,
    'Requests for this host are not answered. Please relaunch your daemon with --rpc-allowed-host to allow it.',
    'The listener is for this machine alone, and the request is addressed to a name that is not of it.',
  ),
  foreignOrigin: failed(
    403,
    'Pages of this origin are not answered. Please relaunch your daemon with --enable-cors to allow it.',
    'The listener is for this machine alone, and a page of another origin than that of --enable-cors asks.',
  ),
  notFound: { kind: 'empty', status: 404, text: '', when: 'There is no such path, or no such method.' },
  eventsGone: failed(
    410,
    'Events after {after} are not kept. What is kept begins after {keptAfter}, the newest is {latest}',
    'Events were lost to this caller: they are no longer kept, or the number is of another journal.',
  ),
  bodyTooLarge: failed(413, 'RPC request body too large.', 'The body is larger than this node takes.'),
  unsupportedEncoding: failed(415, 'Encoded request bodies are not accepted', 'The body is compressed.'),
  tooManyRequests: failed(429, 'Too many RPC requests, please retry later', 'The limit of a minute is used up.'),
  tooManyConnections: failed(
    429,
    'Too many concurrent RPC connections from this address',
    'The address has as many connections open as it may; this one is closed.',
  ),
  tooManyWaitHere: failed(
    429,
    'Too many callers of this address wait for events, please retry later',
    'The address has as many callers waiting for events as it may.',
  ),
  damaged: failed(
    503,
    '{message}',
    'The database is damaged: the data cannot be read, or the node has stopped following the chain.',
  ),
  internal: failed(500, 'Internal server error: {message}', 'The node failed inside.'),
  notSynced: failed(
    503,
    'Daemon must be synced to process this RPC method call, please retry when synced.',
    'The node is not synchronized yet.',
  ),
  busy: {
    kind: 'busy',
    status: 503,
    text: 'Chain is reorganizing, please retry shortly',
    when: 'The chain cannot be read now.',
  },
  tooManyWait: failed(
    503,
    'Too many callers wait for events, please retry later',
    'As many callers wait for events as may (--events-max-clients).',
  ),
  noJournal: failed(
    503,
    'The journal of events is not available, please retry later',
    'The journal cannot be read or written now; the log of the node tells why.',
  ),
  nodeAway: failed(
    503,
    'The node of this RPC server cannot be reached, please retry shortly',
    'A reader process (serve-rpc) reaches its node not at all, or is refused by it; Retry-After is 1.',
  ),
  nodeSilent: failed(
    503,
    'The node of this RPC server gives no answer, please retry shortly',
    'A reader process has passed the request on, and its node has not answered in time; Retry-After is 1.',
  ),
  readerOfReader: failed(
    503,
    'This is a reader itself and passes nothing on for others. Please relaunch them with --node-socket of the node.',
    'The request was passed on by a reader process to another one.',
  ),
  noConsole: failed(
    503,
    'The daemon console is not available yet, please retry in a moment',
    'The node starts or stops.',
  ),
  overloaded: failed(
    503,
    'RPC server is busy, please retry shortly',
    'More long answers wait than may, from this address or from all; Retry-After is 1.',
  ),
} as const satisfies Record<string, DaemonRefusal>;
