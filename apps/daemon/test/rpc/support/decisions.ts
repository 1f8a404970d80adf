/** A response of ours that differs from the recorded one; `body` has the compared fields. */
export interface Decision {
  readonly status: number;
  readonly body?: object;
  readonly why: string;
}

function failed(error: string): object {
  return { status: 'Failed', error };
}

function typeText(expected: string, got: string): string {
  return `JSON parameter is wrong type. Expected ${expected}, got ${got}`;
}

function lengthText(length: number): string {
  return `The address given is the wrong length. It should be 98 chars, 120 chars, or 186 chars, but it is ${length} chars.`;
}

const FORBIDDEN = failed(
  'You do not have permission to access this method. Please relaunch your daemon with --daemon-mode explorer to access explorer RPC methods.',
);
const SERVED = { result: { status: 'OK' } };
const MISSING_RESERVE = failed("Missing JSON parameter: 'reserve_size'");

const notServed = (ids: readonly number[], why: string): [number, Decision][] =>
  ids.map((id) => [id, { status: 403, why, body: FORBIDDEN }]);
const served = (ids: readonly number[], why: string): [number, Decision][] =>
  ids.map((id) => [id, { status: 200, why, body: SERVED }]);
const rpcError = (ids: readonly number[], code: number, message: string, why: string): [number, Decision][] =>
  ids.map((id) => [id, { status: 200, why, body: { error: { code, message } } }]);

const FALLS_BACK = 'no known checkpoint: falls back to startHeight';
const EMPTY_BLOCKS = 'empty blocks go only with skipEmptyBlocks';
const LENGTHS = 'an address has one of three lengths';
const CRASHED = 'the reference crashed';
const FAILED_INSIDE = 'the reference failed inside';
const TWO_MODES = 'two modes: standard mines, explorer does everything';
const DIGITS_ONLY = 'a height as text is digits and nothing else';
const NO_FEE = 'a node of this suite charges nothing';

/**
 * The rows of `chain-a-rpc.jsonl` by number to which ours responds differently from the node of July 2025: like one of 2026,
 * or with a proper error where that one crashed or read uninitialized data (docs/differences.md).
 */
export const decisions: ReadonlyMap<number, Decision> = new Map<number, Decision>([
  [16, { status: 200, why: '/getinfo is an alias', body: { status: 'OK', height: 721 } }],
  [17, { status: 200, why: '/getheight is an alias', body: { height: 721, network_height: 721, status: 'OK' } }],
  [31, { status: 200, why: 'the body of a GET is read', body: { jsonrpc: '2.0', result: { count: 721 } } }],
  [108, { status: 200, why: 'reserve_size may be left out', body: { result: { reserved_offset: 0, height: 721 } } }],
  [111, { status: 200, why: LENGTHS, body: { error: { code: -4, message: lengthText(0) } } }],
  [112, { status: 200, why: LENGTHS, body: { error: { code: -4, message: lengthText(97) } } }],
  [117, { status: 200, why: LENGTHS, body: { error: { code: -4, message: lengthText(99) } } }],
  ...served([143, 144, 145, 149], FAILED_INSIDE),
  ...rpcError([153, 154, 162], -1, 'Block hash specified is not valid!', DIGITS_ONLY),
  ...rpcError(
    [163],
    -2,
    'Requested hash for a height that is higher than the current blockchain height! Current height: 720',
    'the height was cut to 32 bits',
  ),
  ...rpcError([157], -5, 'Block hash specified does not exist!', 'an unknown block is not an internal error'),
  ...rpcError(
    [197, 419],
    -1,
    'Block hash specified does not exist!',
    'an unknown transaction is not an internal error',
  ),
  [231, { status: 200, why: FALLS_BACK, body: { status: 'OK', synced: false } }],
  [234, { status: 400, why: 'checkpoint not hex', body: failed('blockHashCheckpoints contains invalid hash') }],
  [244, { status: 200, why: EMPTY_BLOCKS, body: { synced: false } }],
  [245, { status: 200, why: EMPTY_BLOCKS, body: { synced: false } }],
  [247, { status: 200, why: EMPTY_BLOCKS, body: { synced: false } }],
  [272, { status: 200, why: FALLS_BACK, body: { status: 'OK', synced: false } }],
  [275, { status: 400, why: 'checkpoint not hex', body: failed('blockHashCheckpoints contains invalid hash') }],
  [303, { status: 200, why: 'more than 100 blocks may be asked for', body: { synced: false } }],
  [310, { status: 200, why: 'an empty range', body: { indexes: [], status: 'OK' } }],
  [311, { status: 400, why: 'an inverted range', body: failed('endHeight must be >= startHeight') }],
  [342, { status: 200, why: 'fewer outputs are answered', body: { status: 'OK' } }],
  [343, { status: 400, why: 'cap', body: failed('outs_count exceeds the maximum of 100') }],
  [345, { status: 400, why: 'cap', body: failed('outs_count exceeds the maximum of 100') }],
  [346, { status: 400, why: 'cap', body: failed('outs_count exceeds the maximum of 100') }],
  ...served([425, 471], TWO_MODES),
  ...rpcError([426, 472], -7, 'Block not accepted', TWO_MODES),
  ...notServed([427, 428, 429, 430, 431, 439], 'the text names the option of today'),
  [440, { status: 400, why: TWO_MODES, body: MISSING_RESERVE }],
  ...notServed([450, 451, 452, 453, 454, 462], TWO_MODES),
  [477, { status: 200, why: TWO_MODES, body: { startHeight: 720, status: 'OK' } }],
  [486, { status: 400, why: TWO_MODES, body: MISSING_RESERVE }],
  [423, { status: 200, why: NO_FEE, body: { address: '', amount: 0, status: 'OK' } }],
  [446, { status: 200, why: NO_FEE, body: { address: '', amount: 0, status: 'OK' } }],
  [469, { status: 200, why: NO_FEE, body: { address: '', amount: 0, status: 'OK' } }],
  [492, { status: 200, why: NO_FEE, body: { address: '', amount: 0, status: 'OK' } }],
  [515, { status: 400, why: CRASHED, body: failed("Missing JSON parameter: 'method'") }],
  [516, { status: 400, why: CRASHED, body: failed("Missing JSON parameter: 'method'") }],
  [519, { status: 400, why: CRASHED, body: failed(typeText('String', 'Number')) }],
  [520, { status: 400, why: CRASHED, body: failed(typeText('String', 'Null')) }],
  [521, { status: 400, why: CRASHED, body: failed(typeText('String', 'Array')) }],
  [524, { status: 400, why: FAILED_INSIDE, body: failed(typeText('String', 'Number')) }],
  [525, { status: 400, why: FAILED_INSIDE, body: failed(typeText('String', 'Null')) }],
  [526, { status: 400, why: 'garbage amount', body: failed(typeText('uint64_t', 'String')) }],
  [527, { status: 400, why: 'garbage amount', body: failed(typeText('uint64_t', 'Number')) }],
  [528, { status: 400, why: 'garbage amount', body: failed(typeText('uint64_t', 'Number')) }],
  ...served([535, 536, 537, 538], FAILED_INSIDE),
  [541, { status: 400, why: 'the reference hung', body: failed('Requested range exceeds rpc-max-global-index-range') }],
]);

/** Fields that depend on the network. They differ from those of July 2025 at every position. */
export const OTHER_MEMBERS = /^(upgrade_heights(\[\d+\])?|supported_height|network_height|last_known_block_index)$/;

/** Lists whose order is arbitrary in both programs, besides those marked in the recordings. */
export const ARBITRARY_ORDER: ReadonlyMap<number, readonly string[]> = new Map([[385, ['deletedTxsIds']]]);
