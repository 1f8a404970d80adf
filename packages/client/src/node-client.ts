import { daemonApi } from '@wrkz/api';
import { untilAborted } from '@wrkz/service-kit/base';
import type { z } from 'zod';
import type { NodeAddress } from './address';
import { type RawChainBlock, readPackedRawBlocks } from './packed-raw-blocks';
import { parseResponse, requireSuccess } from './response';
import { NodeFailure, sanitizedText } from './failure';
import { anyNodeInfo, headerEnvelope, nodePool, nodeBlocks, sendTransactionResponse } from './schemas';
import { readBinaryResponse } from './packed-block';
import { MAX_SYNC_BYTES, readSyncResponse } from './sync-response';
import type { SyncResponse, SyncInput, SyncOutput, SyncRequest, SyncTip } from './sync-model';
import { openTipStream, type TipStream } from './tip-stream';
import { type NodeResponse, NodeTransport, type TransportOptions } from './transport';

/** State of a node and the network as reported by the node (docs/protocol/wallet-sync.md#the-node). */
export interface NodeInfo {
  /** Index of the node's tip. */
  readonly localHeight: number;
  /** Index of the network's tip, as known to the node. */
  readonly networkHeight: number;
  readonly peerCount: number;
  readonly difficulty: bigint;
  /** 0 for a node with the whole chain. */
  readonly liteStartHeight: number;
  readonly syncFeatures: readonly string[];
  readonly isCompressed: boolean;
  /** A branch with more work than the node's chain that the node refuses because the fork is too deep. */
  readonly heavierBranch?: SyncTip | undefined;
}

/** Global indexes of the outputs of each transaction, by its hash in lower case. */
export type IndexesByTransaction = ReadonlyMap<string, readonly number[]>;

export interface RandomOut {
  readonly globalIndex: number;
  readonly key: string;
}

export interface RandomOuts {
  readonly amount: bigint;
  readonly outs: readonly RandomOut[];
}

/** Result of submitting a transaction to a node. */
export type SendVerdict =
  { readonly isAccepted: true } | { readonly isAccepted: false; readonly reason: string | undefined };

export interface TransactionPlaces {
  readonly inBlock: readonly string[];
  readonly inPool: readonly string[];
  readonly unknown: readonly string[];
}

/** Parses a sync response, on this thread or on another one. */
export type ReadSyncBody = (body: Buffer) => SyncResponse | Promise<SyncResponse>;

/** Node requests of wallets, implemented by a single node and by a list of nodes. Each may fail with NodeFailure. */
export type NodeCalls = Pick<
  NodeClient,
  | 'info'
  | 'walletSyncData'
  | 'globalIndexes'
  | 'transactionPlaces'
  | 'randomOuts'
  | 'sendTransaction'
  | 'mainBlock'
  | 'rawBlocks'
  | 'poolChanges'
  | 'tipStream'
>;

/** A transaction of the pool, without its signatures. */
export interface NodePoolTransaction {
  readonly hash: string;
  readonly extra: Buffer;
  readonly unlockTime: bigint;
  readonly inputs: readonly SyncInput[];
  readonly outputs: readonly SyncOutput[];
}

export interface NodePoolChanges {
  readonly added: readonly NodePoolTransaction[];
  readonly deleted: readonly string[];
}

interface KnownBlock {
  readonly height: number;
  /** 64 hex characters. */
  readonly hash: string;
}

/** Blocks that identify the network of a chain. All networks have the same genesis block. */
export interface ChainIdentity {
  readonly genesisHash: string;
  /** Blocks of this network, ascending. */
  readonly knownBlocks: readonly KnownBlock[];
  /** Blocks that only other networks have. */
  readonly foreignBlocks: readonly KnownBlock[];
}

export interface NodeClientOptions extends TransportOptions {
  /** Expected chain. Nodes with another chain fail with `foreignChain`. */
  readonly chain?: ChainIdentity | undefined;
}

const KIB = 1024;
/** Max response size in bytes after decompression, by route. */
const BOUNDS = {
  '/info': 64 * KIB,
  '/json_rpc': 64 * KIB,
  '/sendrawtransaction': 64 * KIB,
  '/get_transactions_status': 512 * KIB,
  '/get_global_indexes_for_range': 2048 * KIB,
  '/getrandom_outs': 2048 * KIB,
  '/getrawblocks': 32 * 1024 * KIB,
  '/get_pool_changes_lite': 16 * 1024 * KIB,
  '/getwalletsyncdata': MAX_SYNC_BYTES,
};

type NodeRoute = keyof typeof BOUNDS;

/** Client of one node. Checks the network of its chain before the first request and after each failed connection. */
export class NodeClient {
  private readonly transport: NodeTransport;
  private chain: Promise<void> | undefined;

  /** @throws RangeError when the address is invalid */
  constructor(
    readonly address: NodeAddress,
    private readonly options: NodeClientOptions = {},
  ) {
    this.transport = new NodeTransport(address, options);
  }

  /** The address for display. */
  get displayName(): string {
    return this.transport.endpoint.name;
  }

  async info(signal?: AbortSignal): Promise<NodeInfo> {
    const given = await this.read('/info', undefined, anyNodeInfo, signal);
    return {
      localHeight: Math.max(0, given.height - 1),
      networkHeight: Math.max(0, given.network_height - 1),
      peerCount: given.incoming_connections_count + given.outgoing_connections_count,
      difficulty: given.difficulty,
      liteStartHeight: given.lite_start_height ?? 0,
      syncFeatures: given.sync_features ?? [],
      isCompressed: given.compression === 'gzip',
      heavierBranch: given.heavier_branch ?? undefined,
    };
  }

  async walletSyncData(
    request: SyncRequest,
    signal?: AbortSignal,
    read: ReadSyncBody = (body) => readBinaryResponse(body) ?? readSyncResponse(body),
  ): Promise<SyncResponse> {
    await this.requireChain(signal);
    const response = await this.send('/getwalletsyncdata', syncBody(request), signal);
    requireSuccess(response);
    return read(response.body);
  }

  /** Global indexes of the transactions in blocks [start, end). */
  async globalIndexes(start: number, end: number, signal?: AbortSignal): Promise<IndexesByTransaction> {
    const body = { startHeight: start, endHeight: end };
    const schema = daemonApi.globalIndexesResponse;
    const { indexes } = await this.read('/get_global_indexes_for_range', body, schema, signal);
    return new Map(indexes.map(({ key, value }) => [key.toLowerCase(), value]));
  }

  async transactionPlaces(hashes: readonly string[], signal?: AbortSignal): Promise<TransactionPlaces> {
    const body = { transactionHashes: hashes };
    const given = await this.read('/get_transactions_status', body, daemonApi.transactionsStatusResponse, signal);
    const lower = (all: readonly string[]): string[] => all.map((hash) => hash.toLowerCase());
    return {
      inBlock: lower(given.transactionsInBlock),
      inPool: lower(given.transactionsInPool),
      unknown: lower(given.transactionsUnknown),
    };
  }

  /** Returns the sets of the node without comparing them with the request; normally one per amount. */
  async randomOuts(amounts: readonly bigint[], count: number, signal?: AbortSignal): Promise<readonly RandomOuts[]> {
    const body = { amounts, outs_count: count };
    const { outs } = await this.read('/getrandom_outs', body, daemonApi.randomOutsResponse, signal);
    return outs.map(({ amount, outs: found }) => ({
      amount,
      outs: found.map((out) => ({ globalIndex: out.global_amount_index, key: out.out_key.toLowerCase() })),
    }));
  }

  async sendTransaction(transaction: Buffer, signal?: AbortSignal): Promise<SendVerdict> {
    const body = { tx_as_hex: transaction.toString('hex') };
    const { status, error } = await this.read('/sendrawtransaction', body, sendTransactionResponse, signal);
    return status === 'OK' ? { isAccepted: true } : { isAccepted: false, reason: sanitizedText(error) };
  }

  /** The main-chain block with this hash; undefined if there is none. */
  async mainBlock(hash: string, signal?: AbortSignal): Promise<SyncTip | undefined> {
    await this.requireChain(signal);
    const header = await this.header('getblockheaderbyhash', { hash }, signal);
    return header === undefined || header.orphan_status ? undefined : header;
  }

  /**
   * Raw blocks from an index on: as many as the node returns in one response, at most `count`. A node without these blocks
   * starts at the first block that it has.
   */
  async rawBlocks(start: number, count: number, signal?: AbortSignal): Promise<readonly RawChainBlock[]> {
    await this.requireChain(signal);
    const body = {
      ...{ startHeight: start, startTimestamp: 0, blockCount: count },
      ...{ skipCoinbaseTransactions: false, globalIndexes: true },
    };
    const response = await this.send('/getrawblocks', body, signal);
    requireSuccess(response);
    const packed = readPackedRawBlocks(response.body);
    if (packed !== undefined) return packed;
    const { items } = parseResponse(response, nodeBlocks);
    return items.map(({ block, transactions, globalIndexes }) => {
      const bytes = transactions.map((hex) => Buffer.from(hex, 'hex'));
      return { block: Buffer.from(block, 'hex'), transactions: bytes, globalIndexes };
    });
  }

  /** Differences between the node's pool and the known hashes. */
  async poolChanges(tail: string, known: readonly string[], signal?: AbortSignal): Promise<NodePoolChanges> {
    const body = { tailBlockId: tail, knownTxsIds: known };
    const { addedTxs, deletedTxsIds } = await this.read('/get_pool_changes_lite', body, nodePool, signal);
    return {
      added: addedTxs.map((info) =>
        poolTransaction(info['transactionPrefixInfo.txHash'], info['transactionPrefixInfo.txPrefix']),
      ),
      deleted: deletedTxsIds.map((hash) => hash.toLowerCase()),
    };
  }

  /** Opens an event stream; undefined if the node has no events. */
  async tipStream(onTip: () => void, signal: AbortSignal): Promise<TipStream | undefined> {
    return openTipStream(this.transport, onTip, signal);
  }

  /** Closes the keep-alive connections. */
  close(): void {
    this.transport.close();
  }

  /** Checks the chain once. @throws NodeFailure `foreignChain` when it is not of the wallet's network */
  private async requireChain(signal: AbortSignal | undefined): Promise<void> {
    const { chain } = this.options;
    if (chain === undefined) return;
    // Concurrent callers share one check. The abort of one caller does not end it.
    if (this.chain === undefined) {
      const check = this.checkIdentity(chain);
      check.catch(() => {
        if (this.chain === check) this.chain = undefined;
      });
      this.chain = check;
    }
    await untilAborted(this.chain, signal);
  }

  private async checkIdentity({ genesisHash, knownBlocks, foreignBlocks }: ChainIdentity): Promise<void> {
    let genesis;
    try {
      genesis = await this.hashAt(0);
    } catch (error) {
      // Third-party caches have no JSON-RPC. Their genesis block is checked in the sync response that contains it.
      if (error instanceof NodeFailure && error.facts.status === 404) return;
      throw error;
    }
    if (genesis !== genesisHash) {
      throw new NodeFailure('foreignChain', 'serves another chain: its first block is not that of this network');
    }
    // Only the highest known block that the node has is compared.
    for (const { height, hash } of knownBlocks.toReversed()) {
      const served = await this.hashAt(height);
      if (served === undefined) continue;
      if (served === hash) return;
      throw new NodeFailure(
        'foreignChain',
        `serves another chain: its block ${String(height)} is ${served}, not ${hash}`,
      );
    }
    for (const { height, hash } of foreignBlocks) {
      if ((await this.hashAt(height)) !== hash) continue;
      throw new NodeFailure('foreignChain', `serves the chain of another network: it has its block ${String(height)}`);
    }
  }

  /** Hash of the block at a height; undefined if the node has none. */
  private async hashAt(height: number): Promise<string | undefined> {
    return (await this.header('getblockheaderbyheight', { height }))?.hash;
  }

  private async header(method: string, params: object, signal?: AbortSignal): Promise<HeaderResponse | undefined> {
    const response = await this.send('/json_rpc', { jsonrpc: '2.0', id: 1, method, params }, signal);
    const { result } = parseResponse(response, headerEnvelope);
    const header = result?.block_header;
    return header === undefined ? undefined : { ...header, hash: header.hash.toLowerCase() };
  }

  private async send(
    path: NodeRoute,
    body: object | undefined,
    signal: AbortSignal | undefined,
  ): Promise<NodeResponse> {
    const isOnce = path === '/sendrawtransaction';
    const method = body === undefined ? 'GET' : 'POST';
    try {
      const acceptsBytes = path === '/getwalletsyncdata';
      return await this.transport.request({ method, path, body, maxBytes: BOUNDS[path], signal, isOnce, acceptsBytes });
    } catch (error) {
      // Another node may listen at this address next, so its chain must be checked.
      if (error instanceof NodeFailure && error.kind === 'unreachable') this.chain = undefined;
      throw error;
    }
  }

  private async read<S extends z.ZodType>(
    path: NodeRoute,
    body: object | undefined,
    schema: S,
    signal: AbortSignal | undefined,
  ): Promise<z.output<S>> {
    await this.requireChain(signal);
    return parseResponse(await this.send(path, body, signal), schema);
  }
}

type PoolPrefix = z.output<typeof nodePool>['addedTxs'][number]['transactionPrefixInfo.txPrefix'];

function poolTransaction(hash: string, { extra, unlock_time, vin, vout }: PoolPrefix): NodePoolTransaction {
  return {
    hash: hash.toLowerCase(),
    extra: Buffer.from(extra, 'hex'),
    unlockTime: unlock_time,
    inputs: vin.flatMap(({ value }) => {
      return 'k_image' in value ? [{ keyImage: value.k_image.toLowerCase(), amount: value.amount }] : [];
    }),
    outputs: vout.map(({ amount, target }) => ({ amount, key: target.data.key.toLowerCase() })),
  };
}

interface HeaderResponse extends SyncTip {
  readonly orphan_status: boolean;
}

function syncBody(request: SyncRequest): object {
  return {
    blockHashCheckpoints: request.checkpoints,
    startHeight: request.startHeight,
    startTimestamp: request.startTimestamp,
    blockCount: request.blockCount,
    skipCoinbaseTransactions: request.skipCoinbases,
    skipInputKeyOffsets: true,
    ...(request.skipEmptyBlocks ? { skipEmptyBlocks: true } : {}),
    ...(request.endHeight > 0 ? { endHeight: request.endHeight } : {}),
    ...(request.isBase64 ? { encoding: 'base64' } : {}),
  };
}
