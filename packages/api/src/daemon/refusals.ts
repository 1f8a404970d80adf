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
  transactionHashNotHex: failed(
    400,
    'Transaction hash specified is not a valid hex string!',
    'An entry is no transaction hash.',
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
  unauthorized: failed(401, 'Unauthorized RPC request', 'The access token is missing or wrong.'),
  forbidden: failed(
    403,
    'You do not have permission to access this method. Please relaunch your daemon with --daemon-mode explorer to access explorer RPC methods.',
    'The permission mode of this node does not grant it.',
  ),
  notFound: { kind: 'empty', status: 404, text: '', when: 'There is no such path, or no such method.' },
  bodyTooLarge: failed(413, 'RPC request body too large.', 'The body is larger than this node takes.'),
  unsupportedEncoding: failed(415, 'Encoded request bodies are not accepted', 'The body is compressed.'),
  tooManyRequests: failed(429, 'Too many RPC requests, please retry later', 'The limit of a minute is used up.'),
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
