import { daemonApi, integer } from '@wrkz/api';
import { acceptsBytes, FinishedBytes, FinishedJson } from '@wrkz/service-kit';
import type { z } from 'zod';
import type { RpcContext } from '../context';
import { guarded, route } from '../declare';
import { refuse } from '../errors';
import { RANDOM_OUTS_LIMITS } from '../queries/outputs';
import { joinHashes, type SyncRange } from '../queries/sync-blocks';

const { responseTooLarge, belowFloor, blockCountTooBig, busy, internal, invalidCheckpoint, invertedRange } =
  daemonApi.refusals;
const { noOutputIndexes, noOutputs, overloaded, rangeTooLong, tooManyAmounts, tooManyOuts, tooManyOutsInAll } =
  daemonApi.refusals;
const { txidNotHex, unknownEncoding } = daemonApi.refusals;

/** The `blockCount` of a request with 0. */
const DEFAULT_BLOCK_COUNT = 100;

/** Shared by `/getwalletsyncdata` and `/getrawblocks`. */
const syncRangeErrors = [invalidCheckpoint, blockCountTooBig, busy, overloaded, internal] as const;
const syncRangeInvalid = { blockHashCheckpoints: invalidCheckpoint } as const;
const syncRangeChecks = {
  blockCount: (requested: number, { context }: { readonly context: RpcContext }): void => {
    if (requested > context.limits.maxBlockCount) throw refuse(blockCountTooBig);
  },
} as const;

type RawBlocksBody = z.output<typeof daemonApi.rawBlocksRequest>;

function syncRangeOf(
  body: Pick<RawBlocksBody, 'blockHashCheckpoints' | 'startHeight' | 'startTimestamp' | 'blockCount'>,
  maxBlockCount: number,
): SyncRange {
  return {
    checkpoints: joinHashes(body.blockHashCheckpoints),
    startHeight: body.startHeight,
    startTimestamp: body.startTimestamp,
    blockCount: Math.min(maxBlockCount, body.blockCount === 0 ? DEFAULT_BLOCK_COUNT : body.blockCount),
  };
}

export const getWalletSyncData = route({
  method: 'POST',
  path: '/getwalletsyncdata',
  summary: 'The parts of blocks that a wallet scans for its outputs.',
  ...guarded('chain'),
  body: daemonApi.walletSyncDataRequest,
  response: daemonApi.walletSyncDataResponse,
  orBytes:
    'With `Accept: application/octet-stream`: blocks in columns, see docs/protocol/wallet-sync.md#binary-responses',
  errors: [...syncRangeErrors, unknownEncoding],
  invalid: { ...syncRangeInvalid, encoding: unknownEncoding },
  checks: syncRangeChecks,
  handle: async ({ queries, limits }, request) => {
    const { body, http } = request;
    const isBinary = acceptsBytes(http.request);
    const query = {
      ...syncRangeOf(body, limits.maxBlockCount),
      skipCoinbase: body.skipCoinbaseTransactions,
      skipKeyOffsets: body.skipInputKeyOffsets,
      skipEmpty: body.skipEmptyBlocks,
      endHeight: body.endHeight,
      encoding: isBinary ? ('binary' as const) : body.encoding,
    };
    const response = await queries.run('walletSyncData', query, request);
    return isBinary ? new FinishedBytes(response) : new FinishedJson(response);
  },
});

export const getRawBlocks = route({
  method: 'POST',
  path: '/getrawblocks',
  summary: 'Whole blocks with their transactions, in hex.',
  ...guarded('chain'),
  body: daemonApi.rawBlocksRequest,
  response: daemonApi.rawBlocksResponse,
  errors: syncRangeErrors,
  invalid: syncRangeInvalid,
  checks: syncRangeChecks,
  handle: async ({ queries, limits }, request) => {
    const { body } = request;
    const query = {
      ...syncRangeOf(body, limits.maxBlockCount),
      skipCoinbase: body.skipCoinbaseTransactions,
      globalIndexes: body.globalIndexes,
    };
    return new FinishedJson(await queries.run('rawBlocks', query, request));
  },
});

export const getRandomOuts = route({
  method: 'POST',
  path: '/getrandom_outs',
  summary: 'Decoys for a ring: random unlocked outputs of each amount.',
  ...guarded('chain'),
  body: daemonApi.randomOutsRequest,
  response: daemonApi.randomOutsResponse,
  errors: [tooManyOuts, tooManyAmounts, tooManyOutsInAll, noOutputs, responseTooLarge, overloaded, internal],
  checks: {
    amounts: (entries, { fields }) => checkRandomOuts(fields.outs_count ?? 0, entries.length),
  },
  handle: async ({ queries, now }, request) => {
    const { body } = request;
    const query = { amounts: body.amounts, count: body.outs_count, now: now() };
    return new FinishedJson(await queries.run('randomOuts', query, request));
  },
});

/** Checks the size of a request before its entries are parsed. */
function checkRandomOuts(count: number, amounts: number): void {
  const { count: maxCount, amounts: maxAmounts, total } = RANDOM_OUTS_LIMITS;
  if (count > maxCount) throw refuse(tooManyOuts, { maximum: String(maxCount) });
  if (amounts > maxAmounts) throw refuse(tooManyAmounts, { maximum: String(maxAmounts) });
  if (count * amounts > total) throw refuse(tooManyOutsInAll, { maximum: String(total) });
}

export const getOIndexes = route({
  method: 'POST',
  path: '/get_o_indexes',
  summary: 'Global indexes of the outputs of one transaction; /get_global_indexes_for_range does not reveal which one.',
  ...guarded('chain'),
  body: daemonApi.outputIndexesRequest,
  response: daemonApi.outputIndexesResponse,
  errors: [txidNotHex, noOutputIndexes, belowFloor, overloaded, internal],
  invalid: { txid: txidNotHex },
  handle: async ({ queries }, request) => {
    const hash = Buffer.from(request.body.txid, 'hex');
    return new FinishedJson(await queries.run('outputIndexes', { hash }, request));
  },
});

export const getGlobalIndexesForRange = route({
  method: 'POST',
  path: '/get_global_indexes_for_range',
  summary: 'Global indexes of all outputs in a range of blocks.',
  ...guarded('chain'),
  body: daemonApi.globalIndexesRequest,
  response: daemonApi.globalIndexesResponse,
  errors: [invertedRange, rangeTooLong, belowFloor, responseTooLarge, overloaded, internal],
  handle: async ({ queries, limits }, request) => {
    const { startHeight: start, endHeight: end } = request.body;
    if (end < start) throw refuse(invertedRange);
    if (end - start >= BigInt(limits.maxGlobalIndexRange)) throw refuse(rangeTooLong);
    // Decoded after the checks: numbers above 2^53 lose their last digits.
    const query = { start: integer.decode(start), end: integer.decode(end) };
    return new FinishedJson(await queries.run('globalIndexes', query, request));
  },
});
