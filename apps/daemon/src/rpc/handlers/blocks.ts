import { daemonApi } from '@wrkz/api';
import type { BlockFacts } from '@wrkz/consensus';
import { fromHex, MAX_UINT64, parseBlock, type RawBlock, reportedBlockBytes } from '@wrkz/core-types';
import { FinishedJson } from '@wrkz/service-kit';
import type { z } from 'zod';
import type { RpcContext } from '../context';
import { GUARDED, guarded, method, route } from '../declare';
import { orRefuseBelowFloor, readOrBusy, refuse } from '../errors';
import type { QueryTable } from '../queries';
import type { BlockRangeQuery } from '../queries/query-blocks';
import { joinHashes } from '../queries/sync-blocks';

const {
  blockBelowFloor,
  blockHashInvalid,
  blockHashNotHex,
  blockUnknown,
  coreBusy,
  digestPending,
  hashHeightTooBig,
  heightTooBig,
} = daemonApi.rpcErrors;
const { belowFloor, blockIdNotHex, busy, internal, noKnownBlock, overloaded } = daemonApi.refusals;

export const getblockcount = method({
  name: 'getblockcount',
  summary: 'Number of blocks of the main chain.',
  labels: { mode: 'Default', source: 'chain' },
  result: daemonApi.blockCountResult,
  errors: [busy, internal],
  handle: ({ reader }) => ({ count: reader.tip().height + 1, status: 'OK' as const }),
});

type BlockHeader = z.output<typeof daemonApi.blockHeaderObject>;

/** The `block_header` of the header methods. `height` is an index, `depth` the distance to the tip. */
function blockHeader(raw: RawBlock, facts: BlockFacts, at: { topHeight: number; orphan: boolean }): BlockHeader {
  const { block } = parseBlock(raw.block);
  return {
    block_size: reportedBlockBytes(block, raw.transactions),
    depth: at.topHeight - facts.height,
    difficulty: facts.difficulty,
    hash: facts.hash.toString('hex'),
    height: facts.height,
    major_version: block.majorVersion,
    minor_version: block.minorVersion,
    nonce: block.nonce,
    num_txes: block.transactionHashes.length + 1,
    orphan_status: at.orphan,
    prev_hash: block.previousHash.toString('hex'),
    reward: block.coinbase.outputs.reduce((sum, output) => sum + output.amount, 0n),
    timestamp: block.timestamp,
  };
}

/** The header of the main-chain block at `height`; undefined above the tip. @throws JsonRpcError if the block is not stored */
function mainChainHeader({ reader }: RpcContext, height: number): BlockHeader | undefined {
  const facts = reader.facts(height);
  const raw = facts && orRefuseBelowFloor(blockBelowFloor, () => reader.rawBlock(height));
  return raw && blockHeader(raw, facts, { topHeight: reader.tip().height, orphan: false });
}

function alternativeHeader({ reader }: RpcContext, hash: Buffer): BlockHeader | undefined {
  const found = reader.alternative(hash);
  return found && blockHeader(found.raw, found.facts, { topHeight: reader.tip().height, orphan: true });
}

/** A header, computed once per commit: pools and explorers request the newest ones again and again. */
function cachedHeader({ reader }: RpcContext, name: string, read: () => BlockHeader | undefined) {
  return reader.cached(`header ${name}`, () => reader.snapshot(read));
}

export const getlastblockheader = method({
  name: 'getlastblockheader',
  summary: 'Header of the newest block.',
  labels: { mode: 'Default', source: 'chain' },
  result: daemonApi.blockHeaderResult,
  errors: [coreBusy, blockBelowFloor, internal],
  handle: (context) => {
    const { reader } = context;
    const busyError = (): Error => refuse(coreBusy);
    const read = (): BlockHeader | undefined => mainChainHeader(context, reader.tip().height);
    const header = readOrBusy(() => cachedHeader(context, 'of the tip', read), busyError);
    if (header === undefined) throw busyError();
    return { block_header: header, status: 'OK' as const };
  },
});

export const getblockheaderbyhash = method({
  name: 'getblockheaderbyhash',
  summary: 'Header of a block of the main chain or of a side branch.',
  labels: { mode: 'Default', source: 'chain' },
  params: daemonApi.blockHeaderByHashParams,
  result: daemonApi.blockHeaderResult,
  errors: [blockHashNotHex, blockUnknown, blockBelowFloor, internal],
  invalid: { hash: blockHashNotHex },
  handle: (context, params) => {
    const hash = Buffer.from(params.hash, 'hex');
    const header = cachedHeader(context, params.hash, () => {
      const height = context.reader.heightOf(hash);
      return height === undefined ? alternativeHeader(context, hash) : mainChainHeader(context, height);
    });
    if (header === undefined) throw refuse(blockUnknown);
    return { block_header: header, status: 'OK' as const };
  },
});

export const getblockheaderbyheight = method({
  name: 'getblockheaderbyheight',
  summary: 'Header of the main-chain block at a height.',
  labels: { mode: 'Default', source: 'chain' },
  params: daemonApi.blockHeaderByHeightParams,
  result: daemonApi.blockHeaderResult,
  errors: [heightTooBig, blockBelowFloor, internal],
  handle: (context, { height }) => {
    const header = cachedHeader(context, String(height), () => mainChainHeader(context, height));
    if (header === undefined) throw refuse(heightTooBig, { height: String(context.reader.tip().height) });
    return { block_header: header, status: 'OK' as const };
  },
});

export const getrulesdigest = method({
  name: 'getrulesdigest',
  summary: 'Digest of the consensus state at a height: nodes with equal digests accept the same next blocks.',
  labels: { mode: 'Default', source: 'chain' },
  params: daemonApi.rulesDigestParams,
  result: daemonApi.rulesDigestResult,
  errors: [heightTooBig, digestPending, overloaded, internal],
  handle: async ({ queries }, { height }, request) =>
    new FinishedJson(await queries.run('rulesDigest', { height }, request)),
});

export const fBlocksListJson = method({
  name: 'f_blocks_list_json',
  summary: 'The main-chain block at a height and up to 30 blocks below it, a summary of each.',
  labels: { mode: 'BlockExplorerEnabled', source: 'chain' },
  params: daemonApi.blocksListParams,
  result: daemonApi.blocksListResult,
  errors: [heightTooBig, blockBelowFloor, overloaded, internal],
  handle: async ({ queries }, { height }, request) =>
    new FinishedJson(await queries.run('blocksList', { height }, request)),
});

export const fBlockJson = method({
  name: 'f_block_json',
  summary: 'A main-chain block with its rewards, sizes and transactions.',
  labels: { mode: 'BlockExplorerEnabled', source: 'chain' },
  params: daemonApi.blockParams,
  result: daemonApi.blockResult,
  errors: [blockHashNotHex, blockHashInvalid, hashHeightTooBig, blockUnknown, blockBelowFloor, overloaded],
  handle: async ({ queries }, params, request) =>
    new FinishedJson(await queries.run('explorerBlock', parseHashOrCount(params.hash), request)),
});

const HASH_DIGITS = 64;

/** Parses a block hash, or the number of blocks up to the requested one. @throws JsonRpcError */
function parseHashOrCount(text: string): QueryTable['explorerBlock'] {
  if (text.length === HASH_DIGITS) {
    const hash = fromHex(text);
    if (hash === undefined) throw refuse(blockHashNotHex);
    return { hash };
  }
  const count = /^\d{1,20}$/.test(text) ? BigInt(text) : undefined;
  if (count === undefined || count > MAX_UINT64) throw refuse(blockHashInvalid);
  return { height: Math.min(Number(count) - 1, Number.MAX_SAFE_INTEGER) };
}

/** Shared by `/queryblockslite` and `/queryblocksdetailed`. */
const queryBlocksErrors = [blockIdNotHex, noKnownBlock, belowFloor, overloaded, internal] as const;
const queryBlocksInvalid = { blockIds: blockIdNotHex } as const;

function blockRangeOf(body: z.output<typeof daemonApi.queryBlocksLiteRequest>): BlockRangeQuery {
  return { blockIds: joinHashes(body.blockIds), timestamp: body.timestamp };
}

export const queryBlocksLite = route({
  method: 'POST',
  path: '/queryblockslite',
  summary: 'Blocks after the last known one: ids up to a day, then whole blocks without signatures.',
  ...guarded('chain'),
  body: daemonApi.queryBlocksLiteRequest,
  response: daemonApi.queryBlocksLiteResponse,
  errors: queryBlocksErrors,
  invalid: queryBlocksInvalid,
  handle: async ({ queries }, request) =>
    new FinishedJson(await queries.run('queryBlocksLite', blockRangeOf(request.body), request)),
});

/** Max blocks of a detailed response, and the default. */
const MAX_BLOCKS = 10_000;
/** The first block of a response is the one that the client has. */
const MIN_BLOCKS = 2;

export const queryBlocksDetailed = route({
  method: 'POST',
  path: '/queryblocksdetailed',
  summary: 'Blocks after the last known one: ids up to a day, then blocks with all details.',
  guards: GUARDED,
  labels: { mode: 'AllMethodsEnabled', source: 'chain' },
  body: daemonApi.queryBlocksDetailedRequest,
  response: daemonApi.queryBlocksDetailedResponse,
  errors: queryBlocksErrors,
  invalid: queryBlocksInvalid,
  handle: async ({ queries }, request) => {
    const { blockCount: requested } = request.body;
    const blockCount = requested === 0 ? MAX_BLOCKS : Math.min(MAX_BLOCKS, Math.max(MIN_BLOCKS, requested));
    const query = { ...blockRangeOf(request.body), blockCount };
    return new FinishedJson(await queries.run('queryBlocksDetailed', query, request));
  },
});
