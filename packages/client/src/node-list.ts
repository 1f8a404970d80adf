import { EventEmitter } from 'node:events';
import { untilAborted } from '@wrkz/service-kit/base';
import type { NodeAddress } from './address';
import { NodeFailure } from './failure';
import {
  type IndexesByTransaction,
  type NodeCalls,
  NodeClient,
  type NodeClientOptions,
  type NodeInfo,
  type NodePoolChanges,
  type RandomOuts,
  type ReadSyncBody,
  type SendVerdict,
  type TransactionPlaces,
} from './node-client';
import type { RawChainBlock } from './packed-raw-blocks';
import type { SyncResponse, SyncRequest, SyncTip } from './sync-model';
import type { TipStream } from './tip-stream';

export interface NodeSwitch {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

export interface ListedNode {
  readonly name: string;
  /** Whether it is the serving node, reachable or not. */
  readonly isInUse: boolean;
  /** Last failure of the node. */
  readonly failure: string | undefined;
}

export interface NodeListOptions extends NodeClientOptions {
  /** Monotonic milliseconds. */
  readonly now?: (() => number) | undefined;
  /** Interval for retrying the nodes before the serving one, in milliseconds. */
  readonly returnMs?: number | undefined;
}

/** Number of consecutive failures after which a reachable node is left. */
const MAX_FAILURES = 2;
const RETURN_MS = 60_000;

interface NodeListEvents {
  switched: [NodeSwitch];
}

/** A node that is more blocks behind its network counts as catching up. */
const CATCHING_UP = 5;
/** Exponential backoff: max number of doublings of the delay before a failed node is retried. */
const MAX_DOUBLINGS = 5;
/** Number of return intervals of service after which earlier failovers of a node no longer count. */
const RECOVERY_FACTOR = 10;

interface Row {
  readonly client: NodeClient;
  failure: string | undefined;
  /** Recent failovers away from this node. */
  recentFailovers: number;
  /** Monotonic milliseconds: start of service (`since`), and time before which the node is not retried (`notBefore`). */
  since: number;
  notBefore: number;
}

/**
 * Failover list of nodes. The active node is the first healthy one on the chain of the wallet. If it fails, the first node
 * that responds becomes active; nodes before it in the list are tried again every `returnMs`.
 */
export class NodeList extends EventEmitter<NodeListEvents> implements NodeCalls {
  private readonly rows: readonly Row[];
  private servingIndex = 0;
  private failures = 0;
  private lastSearch = -Infinity;
  private search: Promise<boolean> | undefined;

  /** @throws RangeError for an empty list or an invalid address */
  constructor(
    addresses: readonly NodeAddress[],
    private readonly options: NodeListOptions = {},
  ) {
    super();
    if (addresses.length === 0) throw new RangeError('a wallet needs a node');
    const untried = { failure: undefined, recentFailovers: 0, since: this.now(), notBefore: 0 };
    this.rows = addresses.map((address) => ({ client: new NodeClient(address, options), ...untried }));
  }

  get serving(): NodeClient {
    return this.row.client;
  }

  /** All nodes except the serving one, in list order. */
  get others(): readonly NodeClient[] {
    return this.rows.filter((_, i) => i !== this.servingIndex).map(({ client }) => client);
  }

  nodes(): ListedNode[] {
    return this.rows.map(({ client, failure }, i) => ({
      name: client.displayName,
      isInUse: i === this.servingIndex,
      failure,
    }));
  }

  async info(signal?: AbortSignal): Promise<NodeInfo> {
    await this.retryPreferred(signal);
    const info = await this.read((node) => node.info(signal), signal, false);
    if (!isCatchingUp(info) || !this.isRetryDue()) return info;
    const hasLeft = await this.searchAmong(this.rows, 'it is still catching up', signal, false);
    return hasLeft ? this.read((node) => node.info(signal), signal, false) : info;
  }

  /** Not retried at another node, whose height and features may differ. */
  walletSyncData(request: SyncRequest, signal?: AbortSignal, read?: ReadSyncBody): Promise<SyncResponse> {
    return this.callOnce((node) => node.walletSyncData(request, signal, read), signal);
  }

  globalIndexes(start: number, end: number, signal?: AbortSignal): Promise<IndexesByTransaction> {
    return this.read((node) => node.globalIndexes(start, end, signal), signal);
  }

  transactionPlaces(hashes: readonly string[], signal?: AbortSignal): Promise<TransactionPlaces> {
    return this.callOnce((node) => node.transactionPlaces(hashes, signal), signal);
  }

  randomOuts(amounts: readonly bigint[], count: number, signal?: AbortSignal): Promise<readonly RandomOuts[]> {
    return this.read((node) => node.randomOuts(amounts, count, signal), signal);
  }

  /** Never retried at another node, because the first one may have accepted the transaction. */
  sendTransaction(transaction: Buffer, signal?: AbortSignal): Promise<SendVerdict> {
    return this.callOnce((node) => node.sendTransaction(transaction, signal), signal);
  }

  mainBlock(hash: string, signal?: AbortSignal): Promise<SyncTip | undefined> {
    return this.callOnce((node) => node.mainBlock(hash, signal), signal);
  }

  rawBlocks(start: number, count: number, signal?: AbortSignal): Promise<readonly RawChainBlock[]> {
    return this.read((node) => node.rawBlocks(start, count, signal), signal);
  }

  /** Not retried at another node, whose pool differs. */
  poolChanges(tail: string, known: readonly string[], signal?: AbortSignal): Promise<NodePoolChanges> {
    return this.callOnce((node) => node.poolChanges(tail, known, signal), signal);
  }

  tipStream(onTip: () => void, signal: AbortSignal): Promise<TipStream | undefined> {
    return this.serving.tipStream(onTip, signal);
  }

  /**
   * Switches from the serving node, whose responses were wrong, to the next healthy one.
   * @returns whether another node serves now
   */
  leave(reason: string, signal?: AbortSignal): Promise<boolean> {
    const left = this.row;
    left.failure = reason;
    if (this.rows.length === 1) return Promise.resolve(false);
    return this.searchAmong(this.rows.slice(this.servingIndex + 1), reason, signal);
  }

  /** Submits a transaction to every node of the list. @returns the verdicts, without those of nodes that failed */
  async broadcast(transaction: Buffer, signal?: AbortSignal): Promise<SendVerdict[]> {
    const results = await Promise.allSettled(
      this.rows.map(({ client }) => client.sendTransaction(transaction, signal)),
    );
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  }

  close(): void {
    for (const { client } of this.rows) client.close();
  }

  private get row(): Row {
    const row = this.rows[this.servingIndex];
    if (row === undefined) throw new RangeError('the list of nodes is empty');
    return row;
  }

  /** Runs a request that has the same result at every node of the chain. It is retried once after a failover. */
  private async read<T>(
    call: (node: NodeClient) => Promise<T>,
    signal: AbortSignal | undefined,
    isProof = true,
  ): Promise<T> {
    const queried = this.row;
    try {
      return await this.callOnce(call, signal, isProof);
    } catch (error) {
      if (this.row === queried || !(error instanceof NodeFailure)) throw error;
      return this.callOnce(call, signal);
    }
  }

  /** @param isProof whether a response resets the failure count: not for `/info`, which may work on a failing node */
  private async callOnce<T>(
    call: (node: NodeClient) => Promise<T>,
    signal: AbortSignal | undefined,
    isProof = true,
  ): Promise<T> {
    const queried = this.row;
    try {
      const result = await call(queried.client);
      if (queried === this.row && isProof) this.failures = 0;
      return result;
    } catch (error) {
      if (error instanceof NodeFailure && error.isUnhealthy) await this.onFailure(queried, error, signal);
      throw error;
    }
  }

  private async onFailure(queried: Row, failure: NodeFailure, signal: AbortSignal | undefined): Promise<void> {
    queried.failure = failure.message;
    if (queried !== this.row || this.rows.length === 1) return;
    this.failures++;
    const isGone = failure.kind === 'unreachable' || failure.kind === 'foreignChain';
    if (!isGone && this.failures < MAX_FAILURES) return;
    await this.searchAmong(this.rows, failure.message, signal);
  }

  private async retryPreferred(signal: AbortSignal | undefined): Promise<void> {
    const now = this.now();
    const before = this.rows.slice(0, this.servingIndex).filter(({ notBefore }) => notBefore <= now);
    if (before.length === 0 || !this.isRetryDue()) return;
    await this.searchAmong(before, 'it responds again', signal, false);
  }

  private get returnMs(): number {
    return this.options.returnMs ?? RETURN_MS;
  }

  private now(): number {
    return (this.options.now ?? (() => performance.now()))();
  }

  /** Whether the return interval has passed, so that other nodes may be tried although one serves. */
  private isRetryDue(): boolean {
    const now = this.now();
    if (this.rows.length === 1 || now - this.lastSearch < this.returnMs) return false;
    this.lastSearch = now;
    return true;
  }

  /**
   * Switches to the first healthy node. Only one search runs at a time; concurrent callers share it.
   * @param isUrgent whether a node that is catching up is preferred to the current one
   */
  private searchAmong(
    rows: readonly Row[],
    reason: string,
    signal: AbortSignal | undefined,
    isUrgent = true,
  ): Promise<boolean> {
    this.search ??= this.firstHealthy(rows, reason, isUrgent).finally(() => (this.search = undefined));
    return untilAborted(this.search, signal);
  }

  private async firstHealthy(rows: readonly Row[], reason: string, isUrgent: boolean): Promise<boolean> {
    const left = this.row;
    let late: Row | undefined;
    for (const row of rows) {
      if (row === left) continue;
      try {
        const info = await row.client.info();
        row.failure = undefined;
        if (!isCatchingUp(info)) return this.take(row, left, reason, isUrgent);
        late ??= row;
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error;
        row.failure = error.message;
      }
    }
    return isUrgent && late !== undefined && this.take(late, left, reason, true);
  }

  /** @param hasFailed whether the left node failed: each recent failover doubles the delay before it is retried */
  private take(row: Row, left: Row, reason: string, hasFailed: boolean): true {
    const now = this.now();
    if (hasFailed) {
      if (now - left.since > RECOVERY_FACTOR * this.returnMs) left.recentFailovers = 0;
      left.notBefore = now + this.returnMs * 2 ** Math.min(left.recentFailovers, MAX_DOUBLINGS);
      left.recentFailovers++;
    }
    row.since = now;
    this.lastSearch = now;
    this.servingIndex = this.rows.indexOf(row);
    this.failures = 0;
    this.emit('switched', { from: left.client.displayName, to: row.client.displayName, reason });
    return true;
  }
}

/** Whether the node reports a higher network. A node without peers reports no network height and is not catching up. */
function isCatchingUp({ localHeight, networkHeight }: NodeInfo): boolean {
  return localHeight + CATCHING_UP < networkHeight;
}
