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
  type NodePoolChanges,
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
  /** The one that is asked now, whether it answers or not. */
  readonly isInUse: boolean;
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

/** A node that says of itself that it lacks so many blocks is catching up. */
const CATCHING_UP = 5;
/** How often the wait for a node that fails again and again is doubled. */
const MOST_DOUBLINGS = 5;
/** A node that has served this many times the span between two looks has made up for its failures. */
const GOOD_CONDUCT = 10;

interface Row {
  readonly client: NodeClient;
  failure: string | undefined;
  /** How often it was left, of late. */
  leavings: number;
  /** By the clock: since when it serves, and before when it is not looked at again. */
  since: number;
  notBefore: number;
}

/**
 * A list of nodes of which one serves: the first healthy one, on the wallet's chain. A node that fails is left for the
 * first one that answers; nodes that stand before it are looked at again now and then.
 */
export class NodeList extends EventEmitter<NodeListEvents> implements NodeCalls, NodeLookups {
  readonly #rows: readonly Row[];
  #serving = 0;
  #failures = 0;
  #looked = -Infinity;
  #search: Promise<boolean> | undefined;

  /** @throws RangeError when there is no address, or one that names no node */
  constructor(
    addresses: readonly NodeAddress[],
    private readonly options: NodeListOptions = {},
  ) {
    super();
    if (addresses.length === 0) throw new RangeError('a wallet needs a node');
    const untried = { failure: undefined, leavings: 0, since: this.#now(), notBefore: 0 };
    this.#rows = addresses.map((address) => ({ client: new NodeClient(address, options), ...untried }));
  }

  /** The node that serves now. */
  get serving(): NodeClient {
    return this.#row.client;
  }

  /** All nodes but the one that serves now, in the order of the list. */
  get others(): readonly NodeClient[] {
    return this.#rows.filter((_, i) => i !== this.#serving).map(({ client }) => client);
  }

  nodes(): ListedNode[] {
    return this.#rows.map(({ client, failure }, i) => ({
      name: client.displayName,
      isInUse: i === this.#serving,
      failure,
    }));
  }

  async info(signal?: AbortSignal): Promise<NodeInfo> {
    await this.#lookBack(signal);
    const info = await this.#read((node) => node.info(signal), signal, false);
    if (!isCatchingUp(info) || !this.#isTimeToLook()) return info;
    const hasLeft = await this.#searchAmong(this.#rows, 'it is still catching up', signal, false);
    return hasLeft ? this.#read((node) => node.info(signal), signal, false) : info;
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
  poolChanges(tail: string, known: readonly string[], signal?: AbortSignal): Promise<NodePoolChanges> {
    return this.#once((node) => node.poolChanges(tail, known, signal), signal);
  }

  tipStream(onTip: () => void, signal: AbortSignal): Promise<TipStream | undefined> {
    return this.serving.tipStream(onTip, signal);
  }

  /**
   * Leaves the serving node, whose answers turned out to be wrong, for the next healthy one.
   * @returns whether another node serves from now on
   */
  leave(reason: string, signal?: AbortSignal): Promise<boolean> {
    const left = this.#row;
    left.failure = reason;
    if (this.#rows.length === 1) return Promise.resolve(false);
    return this.#searchAmong(this.#rows.slice(this.#serving + 1), reason, signal);
  }

  /** Submits a transaction to every node of the list. Failures are ignored: it is submitted again later. */
  async broadcast(transaction: Buffer, signal?: AbortSignal): Promise<void> {
    await Promise.allSettled(this.#rows.map(({ client }) => client.sendTransaction(transaction, signal)));
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
    const now = this.#now();
    const before = this.#rows.slice(0, this.#serving).filter(({ notBefore }) => notBefore <= now);
    if (before.length === 0 || !this.#isTimeToLook()) return;
    await this.#searchAmong(before, 'it answers again', signal, false);
  }

  get #returnMs(): number {
    return this.options.returnMs ?? RETURN_MS;
  }

  #now(): number {
    return (this.options.now ?? (() => performance.now()))();
  }

  /** Whether other nodes may be looked at while one serves; that is done now and then. */
  #isTimeToLook(): boolean {
    const now = this.#now();
    if (this.#rows.length === 1 || now - this.#looked < this.#returnMs) return false;
    this.#looked = now;
    return true;
  }

  /**
   * One search at a time, whoever asks for it.
   * @param isUrgent whether a node that is catching up is better than the present one
   */
  #searchAmong(
    rows: readonly Row[],
    reason: string,
    signal: AbortSignal | undefined,
    isUrgent = true,
  ): Promise<boolean> {
    this.#search ??= this.#firstHealthy(rows, reason, isUrgent).finally(() => (this.#search = undefined));
    return untilAborted(this.#search, signal);
  }

  async #firstHealthy(rows: readonly Row[], reason: string, isUrgent: boolean): Promise<boolean> {
    const left = this.#row;
    let late: Row | undefined;
    for (const row of rows) {
      if (row === left) continue;
      try {
        const info = await row.client.info();
        row.failure = undefined;
        if (!isCatchingUp(info)) return this.#take(row, left, reason, isUrgent);
        late ??= row;
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error;
        row.failure = error.message;
      }
    }
    return isUrgent && late !== undefined && this.#take(late, left, reason, true);
  }

  /** @param hasFailed the node before: it is given the longer, the oftener that happens */
  #take(row: Row, left: Row, reason: string, hasFailed: boolean): true {
    const now = this.#now();
    if (hasFailed) {
      if (now - left.since > GOOD_CONDUCT * this.#returnMs) left.leavings = 0;
      left.notBefore = now + this.#returnMs * 2 ** Math.min(left.leavings, MOST_DOUBLINGS);
      left.leavings++;
    }
    row.since = now;
    this.#looked = now;
    this.#serving = this.#rows.indexOf(row);
    this.#failures = 0;
    this.emit('switched', { from: left.client.displayName, to: row.client.displayName, reason });
    return true;
  }
}

/** By its own word; a node that has met no peers knows of no network and says nothing of the kind. */
function isCatchingUp({ localHeight, networkHeight }: NodeInfo): boolean {
  return localHeight + CATCHING_UP < networkHeight;
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
