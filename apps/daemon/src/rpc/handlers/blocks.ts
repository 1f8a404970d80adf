import { daemonApi } from '@wrkz/api';
import type { BlockFacts } from '@wrkz/consensus';
import { fromHex, MAX_UINT64, parseBlock, type RawBlock, reportedBlockBytes } from '@wrkz/core-types';
import { FinishedJson } from '@wrkz/service-kit';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { RpcContext } from '../context';
import { GUARDED, method, route } from '../declare';
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

type StoredHeader = Omit<BlockHeader, 'depth' | 'orphan_status'>;

/** Headers by block hash: pools and explorers request the newest blocks again and again. */
const recentHeaders = new LRUCache<string, StoredHeader>({ max: 1_000 });

/**
 * The `block_header` of the header methods. `height` is an index, `depth` the distance to the tip.
 * @param read reads the block; undefined if it is not stored
 */
function blockHeader(
  facts: BlockFacts,
  read: () => RawBlock | undefined,
  { topHeight, orphan }: { readonly topHeight: number; readonly orphan: boolean },
): BlockHeader | undefined {
  const key = facts.hash.toString('latin1');
  let stored = recentHeaders.get(key);
  if (stored === undefined) {
    const raw = read();
    if (raw === undefined) return undefined;
    stored = storedHeader(raw, facts);
    recentHeaders.set(key, stored);
  }
  return { ...stored, depth: topHeight - facts.height, orphan_status: orphan };
}

function storedHeader(raw: RawBlock, facts: BlockFacts): StoredHeader {
  const { block } = parseBlock(raw.block);
  return {
    block_size: reportedBlockBytes(block, raw.transactions),
    difficulty: facts.difficulty,
    hash: facts.hash.toString('hex'),
    height: facts.height,
    major_version: block.majorVersion,
    minor_version: block.minorVersion,
    nonce: block.nonce,
    num_txes: block.transactionHashes.length + 1,
    prev_hash: block.previousHash.toString('hex'),
    reward: block.coinbase.outputs.reduce((sum, output) => sum + output.amount, 0n),
    timestamp: block.timestamp,
  };
}

/** The header of the main-chain block at `height`; undefined above the tip. @throws JsonRpcError if the block is not stored */
function mainChainHeader({ reader }: RpcContext, height: number): BlockHeader | undefined {
  return reader.snapshot(() => {
    const facts = reader.facts(height);
    const read = (): RawBlock | undefined => orRefuseBelowFloor(blockBelowFloor, () => reader.rawBlock(height));
    // The response must not depend on what was requested before a block was pruned.
    if (height < reader.floors().bodies) read();
    return facts && blockHeader(facts, read, { topHeight: reader.tip().height, orphan: false });
  });
}

function alternativeHeader({ reader }: RpcContext, hash: Buffer): BlockHeader | undefined {
  const found = reader.alternative(hash);
  return found && blockHeader(found.facts, () => found.raw, { topHeight: reader.tip().height, orphan: true });
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
    const header = readOrBusy(() => reader.snapshot(() => mainChainHeader(context, reader.tip().height)), busyError);
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
    return context.reader.snapshot(() => {
      const height = context.reader.heightOf(hash);
      const header = height === undefined ? alternativeHeader(context, hash) : mainChainHeader(context, height);
      if (header === undefined) throw refuse(blockUnknown);
      return { block_header: header, status: 'OK' as const };
    });
  },
});

export const getblockheaderbyheight = method({
  name: 'getblockheaderbyheight',
  summary: 'Header of the main-chain block at a height.',
  labels: { mode: 'Default', source: 'chain' },
  params: daemonApi.blockHeaderByHeightParams,
  result: daemonApi.blockHeaderResult,
  errors: [heightTooBig, blockBelowFloor, internal],
  handle: (context, { height }) =>
    context.reader.snapshot(() => {
      const tip = context.reader.tip().height;
      const header = height <= tip ? mainChainHeader(context, height) : undefined;
      if (header === undefined) throw refuse(heightTooBig, { height: String(tip) });
      return { block_header: header, status: 'OK' as const };
    }),
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

/** What `/queryblockslite` and `/queryblocksdetailed` have in common. */
const queryBlocksErrors = [blockIdNotHex, noKnownBlock, belowFloor, overloaded, internal] as const;
const queryBlocksInvalid = { blockIds: blockIdNotHex } as const;

function blockRangeOf(body: z.output<typeof daemonApi.queryBlocksLiteRequest>): BlockRangeQuery {
  return { blockIds: joinHashes(body.blockIds), timestamp: body.timestamp };
}

export const queryBlocksLite = route({
  method: 'POST',
  path: '/queryblockslite',
  summary: 'Blocks after the last known one: ids up to a day, then whole blocks without signatures.',
  guards: GUARDED,
  labels: { mode: 'Default', source: 'chain' },
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
