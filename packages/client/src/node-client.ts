import { daemonApi } from '@wrkz/api';
import type { z } from 'zod';
import type { NodeAddress } from './address';
import { readAnswer, requireSuccess } from './answer';
import { NodeFailure, strangersText } from './failure';
import { anyNodeInfo, headerEnvelope, nodePool, nodeBlocks, sendAnswer } from './schemas';
import { MAX_SYNC_BYTES, readSyncAnswer } from './sync-answer';
import type { SyncAnswer, SyncInput, SyncOutput, SyncQuestion, SyncTip } from './sync-model';
import { openTipStream, type TipStream } from './tip-stream';
import { NodeTransport, type TransportOptions } from './transport';

/** What a node says of itself and the network (docs/protocol/wallet-sync.md#the-node). */
export interface NodeInfo {
  /** The index of its own tip. */
  readonly localHeight: number;
  /** The highest index that it has heard of. */
  readonly networkHeight: number;
  readonly peerCount: number;
  readonly difficulty: bigint;
  /** 0 of a node that holds the whole chain. */
  readonly liteStartHeight: number;
  readonly syncFeatures: readonly string[];
  readonly isCompressed: boolean;
  /** A branch with more work than the node's own that the node refused, because it forks too deep. */
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

/** What became of a transaction that was given to a node. */
export type SendVerdict = { readonly isTaken: true } | { readonly isTaken: false; readonly reason: string | undefined };

export interface TransactionPlaces {
  readonly inBlock: readonly string[];
  readonly inPool: readonly string[];
  readonly unknown: readonly string[];
}

/** Reads the bytes of a sync answer, on this thread or on another one. */
export type ReadSyncBody = (body: Buffer) => SyncAnswer | Promise<SyncAnswer>;

/** The calls that wallets make; one node and a list of nodes answer them alike. Each may fail with NodeFailure. */
export interface NodeCalls {
  info(signal?: AbortSignal): Promise<NodeInfo>;
  walletSyncData(question: SyncQuestion, signal?: AbortSignal, read?: ReadSyncBody): Promise<SyncAnswer>;
  /** Of the blocks [start, end). */
  globalIndexes(start: number, end: number, signal?: AbortSignal): Promise<IndexesByTransaction>;
  transactionPlaces(hashes: readonly string[], signal?: AbortSignal): Promise<TransactionPlaces>;
  /** One set for each amount, as the node gives them: nothing of them is checked against what was asked. */
  randomOuts(amounts: readonly bigint[], count: number, signal?: AbortSignal): Promise<readonly RandomOuts[]>;
  sendTransaction(transaction: Buffer, signal?: AbortSignal): Promise<SendVerdict>;
  /** The block of the main chain with this hash; undefined when the main chain has none. */
  mainBlock(hash: string, signal?: AbortSignal): Promise<SyncTip | undefined>;
  /**
   * Whole blocks from an index on, as many as the node returns at once, at most `count`. A node without the bodies of these
   * blocks starts at the first body that it has.
   */
  rawBlocks(start: number, count: number, signal?: AbortSignal): Promise<readonly RawChainBlock[]>;
  /** How the pool differs from the hashes that are known of it. */
  poolChanges(tail: string, known: readonly string[], signal?: AbortSignal): Promise<NodePoolChanges>;
  /** Undefined when the node offers no events. */
  tipStream(onTip: () => void, signal: AbortSignal): Promise<TipStream | undefined>;
}

/** A block as it stands on the chain. */
export interface RawChainBlock {
  readonly block: Buffer;
  /** Without the coinbase. */
  readonly transactions: readonly Buffer[];
}

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

export interface NodeClientOptions extends TransportOptions {
  /** 64 hex characters: a node with another first block is refused. */
  readonly genesisHash?: string | undefined;
}

const KIB = 1024;
/** Bytes that an answer may have, unpacked, by route. */
const BOUNDS = {
  info: 64 * KIB,
  header: 64 * KIB,
  send: 64 * KIB,
  places: 512 * KIB,
  indexes: 2048 * KIB,
  randomOuts: 2048 * KIB,
  rawBlocks: 32 * 1024 * KIB,
  pool: 16 * 1024 * KIB,
};

/** One node. Its chain is looked at before its first answer is believed, and again after it was away. */
export class NodeClient implements NodeCalls {
  readonly #transport: NodeTransport;
  #chain: Promise<void> | undefined;

  /** @throws RangeError when the address names no node */
  constructor(
    readonly address: NodeAddress,
    private readonly options: NodeClientOptions = {},
  ) {
    this.#transport = new NodeTransport(address, options);
  }

  /** The address in words that may be shown. */
  get displayName(): string {
    return this.#transport.endpoint.name;
  }

  async info(signal?: AbortSignal): Promise<NodeInfo> {
    await this.#requireChain(signal);
    const given = await this.#read({ method: 'GET', path: '/info', maxBytes: BOUNDS.info, signal }, anyNodeInfo);
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
    question: SyncQuestion,
    signal?: AbortSignal,
    read: ReadSyncBody = readSyncAnswer,
  ): Promise<SyncAnswer> {
    await this.#requireChain(signal);
    const answer = await this.#ask({
      method: 'POST',
      path: '/getwalletsyncdata',
      body: syncBody(question),
      maxBytes: MAX_SYNC_BYTES,
      signal,
    });
    requireSuccess(answer);
    return read(answer.body);
  }

  async globalIndexes(start: number, end: number, signal?: AbortSignal): Promise<IndexesByTransaction> {
    await this.#requireChain(signal);
    const { indexes } = await this.#read(
      {
        method: 'POST',
        path: '/get_global_indexes_for_range',
        body: { startHeight: start, endHeight: end },
        maxBytes: BOUNDS.indexes,
        signal,
      },
      daemonApi.globalIndexesAnswer,
    );
    return new Map(indexes.map(({ key, value }) => [key.toLowerCase(), value]));
  }

  async transactionPlaces(hashes: readonly string[], signal?: AbortSignal): Promise<TransactionPlaces> {
    await this.#requireChain(signal);
    const given = await this.#read(
      {
        method: 'POST',
        path: '/get_transactions_status',
        body: { transactionHashes: hashes },
        maxBytes: BOUNDS.places,
        signal,
      },
      daemonApi.transactionsStatusAnswer,
    );
    const lower = (all: readonly string[]): string[] => all.map((hash) => hash.toLowerCase());
    return {
      inBlock: lower(given.transactionsInBlock),
      inPool: lower(given.transactionsInPool),
      unknown: lower(given.transactionsUnknown),
    };
  }

  async randomOuts(amounts: readonly bigint[], count: number, signal?: AbortSignal): Promise<readonly RandomOuts[]> {
    await this.#requireChain(signal);
    const { outs } = await this.#read(
      {
        method: 'POST',
        path: '/getrandom_outs',
        body: { amounts, outs_count: count },
        maxBytes: BOUNDS.randomOuts,
        signal,
      },
      daemonApi.randomOutsAnswer,
    );
    return outs.map(({ amount, outs: found }) => ({
      amount,
      outs: found.map((out) => ({ globalIndex: out.global_amount_index, key: out.out_key.toLowerCase() })),
    }));
  }

  async sendTransaction(transaction: Buffer, signal?: AbortSignal): Promise<SendVerdict> {
    await this.#requireChain(signal);
    const { status, error } = await this.#read(
      {
        method: 'POST',
        path: '/sendrawtransaction',
        body: { tx_as_hex: transaction.toString('hex') },
        maxBytes: BOUNDS.send,
        signal,
        isOnce: true,
      },
      sendAnswer,
    );
    return status === 'OK' ? { isTaken: true } : { isTaken: false, reason: strangersText(error) };
  }

  async mainBlock(hash: string, signal?: AbortSignal): Promise<SyncTip | undefined> {
    await this.#requireChain(signal);
    const header = await this.#header('getblockheaderbyhash', { hash }, signal);
    return header === undefined || header.orphan_status ? undefined : header;
  }

  async rawBlocks(start: number, count: number, signal?: AbortSignal): Promise<readonly RawChainBlock[]> {
    await this.#requireChain(signal);
    const { items } = await this.#read(
      {
        method: 'POST',
        path: '/getrawblocks',
        body: { startHeight: start, startTimestamp: 0, blockCount: count, skipCoinbaseTransactions: false },
        maxBytes: BOUNDS.rawBlocks,
        signal,
      },
      nodeBlocks,
    );
    return items.map(({ block, transactions }) => {
      return { block: Buffer.from(block, 'hex'), transactions: transactions.map((hex) => Buffer.from(hex, 'hex')) };
    });
  }

  async poolChanges(tail: string, known: readonly string[], signal?: AbortSignal): Promise<NodePoolChanges> {
    await this.#requireChain(signal);
    const { addedTxs, deletedTxsIds } = await this.#read(
      {
        method: 'POST',
        path: '/get_pool_changes_lite',
        body: { tailBlockId: tail, knownTxsIds: known },
        maxBytes: BOUNDS.pool,
        signal,
      },
      nodePool,
    );
    return {
      added: addedTxs.map((info) =>
        poolTransaction(info['transactionPrefixInfo.txHash'], info['transactionPrefixInfo.txPrefix']),
      ),
      deleted: deletedTxsIds.map((hash) => hash.toLowerCase()),
    };
  }

  async tipStream(onTip: () => void, signal: AbortSignal): Promise<TipStream | undefined> {
    return openTipStream(this.#transport, onTip, signal);
  }

  /** Ends its kept connections. */
  close(): void {
    this.#transport.close();
  }

  /** @throws NodeFailure `foreignChain` when the node has another first block than the wallet's network */
  async #requireChain(signal: AbortSignal | undefined): Promise<void> {
    const { genesisHash } = this.options;
    if (genesisHash === undefined) return;
    // Concurrent callers share one request; a caller that aborts does not end it.
    if (this.#chain === undefined) {
      const check = this.#checkGenesis(genesisHash);
      check.catch(() => {
        if (this.#chain === check) this.#chain = undefined;
      });
      this.#chain = check;
    }
    await untilAborted(this.#chain, signal);
  }

  async #checkGenesis(genesisHash: string): Promise<void> {
    let header;
    try {
      header = await this.#header('getblockheaderbyheight', { height: 0 });
    } catch (error) {
      // Caches of others know no JSON-RPC: they are taken at their word until a first block comes along.
      if (error instanceof NodeFailure && error.facts.status === 404) return;
      throw error;
    }
    if (header?.hash === genesisHash) return;
    throw new NodeFailure('foreignChain', 'serves another chain: its first block is not that of this network');
  }

  async #header(method: string, params: object, signal?: AbortSignal): Promise<HeaderAnswer | undefined> {
    const answer = await this.#ask({
      method: 'POST',
      path: '/json_rpc',
      body: { jsonrpc: '2.0', id: 1, method, params },
      maxBytes: BOUNDS.header,
      signal,
    });
    const { result } = readAnswer(answer, headerEnvelope);
    const header = result?.block_header;
    return header === undefined ? undefined : { ...header, hash: header.hash.toLowerCase() };
  }

  async #ask(question: Parameters<NodeTransport['ask']>[0]): ReturnType<NodeTransport['ask']> {
    try {
      return await this.#transport.ask(question);
    } catch (error) {
      // Whoever answers there next may be somebody else.
      if (error instanceof NodeFailure && error.kind === 'unreachable') this.#chain = undefined;
      throw error;
    }
  }

  async #read<S extends z.ZodType>(question: Parameters<NodeTransport['ask']>[0], schema: S): Promise<z.output<S>> {
    return readAnswer(await this.#ask(question), schema);
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

interface HeaderAnswer extends SyncTip {
  readonly orphan_status: boolean;
}

function syncBody(question: SyncQuestion): object {
  return {
    blockHashCheckpoints: question.checkpoints,
    startHeight: question.startHeight,
    startTimestamp: question.startTimestamp,
    blockCount: question.blockCount,
    skipCoinbaseTransactions: question.skipCoinbases,
    skipInputKeyOffsets: true,
    ...(question.skipEmptyBlocks ? { skipEmptyBlocks: true } : {}),
    ...(question.endHeight > 0 ? { endHeight: question.endHeight } : {}),
    ...(question.isBase64 ? { encoding: 'base64' } : {}),
  };
}

/** Rejects for this caller on abort, while work that callers share goes on. */
export function untilAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
