import { EventEmitter } from 'node:events';
import type { NodeAddress } from './address';
import { NodeFailure } from './failure';
import {
  type IndexesByTransaction,
  type NodeCalls,
  NodeClient,
  type NodeClientOptions,
  type NodeInfo,
  type NodeLookups,
  type PoolChanges,
  type RandomOuts,
  type RawChainBlock,
  type ReadSyncBody,
  type SendVerdict,
  type TransactionPlaces,
} from './node-client';
import type { SyncAnswer, SyncQuestion, SyncTip } from './sync-model';
import type { TipStream } from './tip-stream';

export interface NodeSwitch {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** One row of a list of nodes, for whoever wants to know who serves. */
export interface ListedNode {
  readonly name: string;
  readonly isServing: boolean;
  /** Why it was last found unable to serve. */
  readonly failure: string | undefined;
}

export interface NodeListOptions extends NodeClientOptions {
  /** Milliseconds of a clock that never steps. */
  readonly now?: (() => number) | undefined;
  /** How often a node before the serving one is looked at again, in milliseconds. */
  readonly returnMs?: number | undefined;
}

/** So many failures in a row, the node being reachable, speak against it. */
const PATIENCE = 2;
const RETURN_MS = 60_000;

interface NodeListEvents {
  switched: [NodeSwitch];
}

interface Row {
  readonly client: NodeClient;
  failure: string | undefined;
}

/**
 * A list of nodes of which one serves: the first healthy one, on the wallet's chain. A node that fails is left for the
 * first one that answers; nodes that stand before it are looked at again now and then.
 */
export class NodeList extends EventEmitter<NodeListEvents> implements NodeCalls, NodeLookups {
  readonly #rows: readonly Row[];
  #serving = 0;
  #failures = 0;
  #lookedBack = 0;
  #search: Promise<boolean> | undefined;

  /** @throws RangeError when there is no address, or one that names no node */
  constructor(
    addresses: readonly NodeAddress[],
    private readonly options: NodeListOptions = {},
  ) {
    super();
    if (addresses.length === 0) throw new RangeError('a wallet needs a node');
    this.#rows = addresses.map((address) => ({ client: new NodeClient(address, options), failure: undefined }));
  }

  /** The node that serves now. */
  get serving(): NodeClient {
    return this.#row.client;
  }

  nodes(): ListedNode[] {
    return this.#rows.map(({ client, failure }, i) => ({
      name: client.displayName,
      isServing: i === this.#serving,
      failure,
    }));
  }

  async info(signal?: AbortSignal): Promise<NodeInfo> {
    await this.#lookBack(signal);
    return this.#read((node) => node.info(signal), signal, false);
  }

  /** Not put to another node: where that one stands on the chain, and what it offers, is another matter. */
  walletSyncData(question: SyncQuestion, signal?: AbortSignal, read?: ReadSyncBody): Promise<SyncAnswer> {
    return this.#once((node) => node.walletSyncData(question, signal, read), signal);
  }

  globalIndexes(start: number, end: number, signal?: AbortSignal): Promise<IndexesByTransaction> {
    return this.#read((node) => node.globalIndexes(start, end, signal), signal);
  }

  transactionPlaces(hashes: readonly string[], signal?: AbortSignal): Promise<TransactionPlaces> {
    return this.#once((node) => node.transactionPlaces(hashes, signal), signal);
  }

  randomOuts(amounts: readonly bigint[], count: number, signal?: AbortSignal): Promise<readonly RandomOuts[]> {
    return this.#read((node) => node.randomOuts(amounts, count, signal), signal);
  }

  /** Never put to another node: the first may have taken it. */
  sendTransaction(transaction: Buffer, signal?: AbortSignal): Promise<SendVerdict> {
    return this.#once((node) => node.sendTransaction(transaction, signal), signal);
  }

  mainBlock(hash: string, signal?: AbortSignal): Promise<SyncTip | undefined> {
    return this.#once((node) => node.mainBlock(hash, signal), signal);
  }

  rawBlocks(start: number, count: number, signal?: AbortSignal): Promise<readonly RawChainBlock[]> {
    return this.#read((node) => node.rawBlocks(start, count, signal), signal);
  }

  /** Not put to another node, whose pool is another one. */
  poolChanges(tail: string, known: readonly string[], signal?: AbortSignal): Promise<PoolChanges> {
    return this.#once((node) => node.poolChanges(tail, known, signal), signal);
  }

  tipStream(onTip: () => void, signal: AbortSignal): Promise<TipStream | undefined> {
    return this.serving.tipStream(onTip, signal);
  }

  close(): void {
    for (const { client } of this.#rows) client.close();
  }

  get #row(): Row {
    const row = this.#rows[this.#serving];
    if (row === undefined) throw new RangeError('the list of nodes is empty');
    return row;
  }

  /** A question that any node of the chain answers alike. */
  async #read<T>(call: (node: NodeClient) => Promise<T>, signal: AbortSignal | undefined, isProof = true): Promise<T> {
    const asked = this.#row;
    try {
      return await this.#once(call, signal, isProof);
    } catch (error) {
      if (this.#row === asked || !(error instanceof NodeFailure)) throw error;
      return this.#once(call, signal);
    }
  }

  /** @param isProof whether an answer shows that the node is well; `/info` may be all that works of it */
  async #once<T>(call: (node: NodeClient) => Promise<T>, signal: AbortSignal | undefined, isProof = true): Promise<T> {
    const asked = this.#row;
    try {
      const result = await call(asked.client);
      if (asked === this.#row && isProof) this.#failures = 0;
      return result;
    } catch (error) {
      if (error instanceof NodeFailure && error.isUnhealthy) await this.#onFailure(asked, error, signal);
      throw error;
    }
  }

  async #onFailure(asked: Row, failure: NodeFailure, signal: AbortSignal | undefined): Promise<void> {
    asked.failure = failure.message;
    if (asked !== this.#row || this.#rows.length === 1) return;
    this.#failures++;
    const isGone = failure.kind === 'unreachable' || failure.kind === 'foreignChain';
    if (!isGone && this.#failures < PATIENCE) return;
    await this.#searchAmong(this.#rows, failure.message, signal);
  }

  async #lookBack(signal: AbortSignal | undefined): Promise<void> {
    const now = (this.options.now ?? (() => performance.now()))();
    if (this.#serving === 0) this.#lookedBack = now;
    else if (now - this.#lookedBack >= (this.options.returnMs ?? RETURN_MS)) {
      this.#lookedBack = now;
      await this.#searchAmong(this.#rows.slice(0, this.#serving), 'it answers again', signal);
    }
  }

  /** One search at a time, whoever asks for it. */
  #searchAmong(rows: readonly Row[], reason: string, signal: AbortSignal | undefined): Promise<boolean> {
    this.#search ??= this.#firstHealthy(rows, reason).finally(() => (this.#search = undefined));
    return untilAborted(this.#search, signal);
  }

  async #firstHealthy(rows: readonly Row[], reason: string): Promise<boolean> {
    const left = this.#row;
    for (const row of rows) {
      if (row === left) continue;
      try {
        await row.client.info();
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error;
        row.failure = error.message;
        continue;
      }
      row.failure = undefined;
      this.#serving = this.#rows.indexOf(row);
      this.#failures = 0;
      this.emit('switched', { from: left.client.displayName, to: row.client.displayName, reason });
      return true;
    }
    return false;
  }
}

/** Lets a caller go who no longer wants to wait for what others still wait for. */
function untilAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
