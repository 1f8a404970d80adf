import {
  type NodeCalls,
  NodeFailure,
  type NodeInfo,
  PackedBlock,
  type ReadSyncBody,
  type SyncBlock,
  type SyncResponse,
  type SyncRequest,
} from '@wrkz/client';
import { type Network, REORGANISATION_DEPTH, toHex } from '@wrkz/core-types';
import { collectGarbage, withController } from '@wrkz/service-kit/base';
import type { SyncLedger } from '../ledger/ledger';
import type { ScanStart } from '../ledger/model';
import type { BlockStore } from './block-store';
import { BlockBatchSize, checkpointsOf, type HeightWindow, heightWindows } from './fetch-plan';

/** The outcome of one step; a failed step throws NodeFailure. */
export type FetchOutcome =
  /** Blocks were added to the store. */
  | 'stored'
  /** The next step may run immediately. */
  | 'again'
  /** The wallet is at the node's tip. */
  | 'tip'
  /** The node has no more blocks at the moment. */
  | 'nothing'
  /** The height of the node is not known yet. */
  | 'unknown'
  /** Stored blocks replace earlier ones and are not applied yet. */
  | 'replacing'
  /** The node is below the wallet. */
  | 'behind'
  /** The node does not serve the block that the wallet needs next. */
  | 'gap';

/** A range of blocks that a node does not serve. */
export interface SyncGap {
  /** The last index that was scanned. */
  readonly coveredTo: number;
  /** The lowest index that the node serves. */
  readonly servesFrom: number;
}

export interface FetchOptions {
  readonly network: Network;
  readonly skipCoinbases?: boolean | undefined;
  /** Max blocks per request. */
  readonly maxBlocks?: number | undefined;
  /** The highest index that the chain can have reached by now. Responses above it are rejected. */
  readonly plausibleHeight?: (() => number) | undefined;
}

/** Features that a node may offer for `/getwalletsyncdata`. */
type SyncFeature = 'skipEmptyBlocks' | 'base64' | 'heightRange';

interface FetcherDependencies {
  readonly node: () => NodeCalls;
  readonly ledger: SyncLedger;
  readonly store: BlockStore;
  readonly read: ReadSyncBody;
  readonly warn: (text: string) => void;
  readonly rewind: (height: number) => void;
}

/** Max blocks per request of nodes of July 2025, which silently reduce larger requests. */
const OLD_NODES_BATCH = 100;
/**
 * Number of blocks below the node's tip that are requested completely, empty ones included: all that a reorganisation can replace.
 * Omitted blocks have no hashes, so the wallet would not notice that they were replaced.
 */
const DENSE_BLOCKS = REORGANISATION_DEPTH + 1;
/**
 * Bytes of responses after which garbage is collected. V8 collects buffers outside its heap only when they have 64 MiB, and a response
 * leaves about four times its size in buffers.
 */
const COLLECT_AFTER_BYTES = 4 * 1024 * 1024;
/** Number of consecutive responses starting too high after which they count as a gap. */
const MAX_UNEXPLAINED_STARTS = 3;
/** A rewind deeper than this is beyond the recent hashes. */
const DEEP_REWIND = 50;
/** Number of requests to a node below the wallet after which its chain counts as another chain. */
const MAX_CHECKS_BELOW = 3;

/** Fetches the blocks after those that the wallet has (docs/protocol/wallet-sync.md#requests). */
export class Fetcher {
  /** The last reported state of the serving node. It remains while the node does not respond. */
  private lastInfo: NodeInfo | undefined;
  private batch: BlockBatchSize | undefined;
  /** The next index to request; undefined until a response determines it. */
  private next: number | undefined;
  /** Start of the next request, after a range of empty blocks longer than one request of the node covers. */
  private skipTo: number | undefined;
  /** The tip index in the node's last response that had one. */
  private reportedTip = Infinity;
  /** Whether the hashes of the wallet belong to another chain, so that requests omit them. */
  private withoutHashes = false;
  private checksBelow = 0;
  private unexplainedStarts = 0;
  /**
   * Whether the stored blocks replace earlier ones. No blocks are requested until they are applied: a node that returns to the
   * replaced branch would continue after one of its blocks, and the blocks below would be missing.
   */
  private isReplacing = false;
  private currentGap: SyncGap | undefined;
  private uncollectedBytes = 0;
  /** Counts resets: responses to earlier requests are discarded. */
  private epoch = 0;

  constructor(
    private readonly dependencies: FetcherDependencies,
    private readonly options: FetchOptions,
  ) {}

  get gap(): SyncGap | undefined {
    return this.currentGap;
  }

  get info(): NodeInfo | undefined {
    return this.lastInfo;
  }

  noteInfo(info: NodeInfo): void {
    this.lastInfo = info;
  }

  /** Discards the state after a change of the serving node. */
  forgetNode(): void {
    this.lastInfo = undefined;
    this.reset();
  }

  /** Discards the request state and the stored blocks, after a change of the node or of the ledger. */
  reset(): void {
    this.epoch++;
    this.batch = undefined;
    this.next = undefined;
    this.skipTo = undefined;
    this.reportedTip = Infinity;
    this.withoutHashes = false;
    this.checksBelow = 0;
    this.clearGap();
    this.dependencies.store.clear();
  }

  /** Runs the next request. @throws NodeFailure; the signal's reason */
  async step(signal: AbortSignal): Promise<FetchOutcome> {
    const { ledger, store } = this.dependencies;
    const info = this.lastInfo;
    if (info === undefined) return 'unknown';
    this.isReplacing &&= !store.isEmpty;
    const isBelow = info.localHeight < ledger.position().height && !this.withoutHashes;
    if (this.isReplacing || isBelow) {
      // The node may replace its blocks during the wait, so the next response has to be complete.
      this.next = undefined;
      this.skipTo = undefined;
      return this.isReplacing ? 'replacing' : this.checkFromBelow(signal);
    }
    this.checksBelow = 0;
    if (!this.startsAtServedBlock(info.liteStartHeight)) return 'gap';
    const windows = this.windows();
    if (windows.length > 0 && (await this.fetchWindows(windows, signal))) return 'stored';
    return this.fetchSequence(signal);
  }

  private get node(): NodeCalls {
    return this.dependencies.node();
  }

  private get size(): BlockBatchSize {
    return (this.batch ??= new BlockBatchSize(this.isOld ? OLD_NODES_BATCH : this.options.maxBlocks));
  }

  private offers(feature: SyncFeature): boolean {
    return this.lastInfo?.syncFeatures.includes(feature) === true;
  }

  /** Whether the node, or a cache of its kind, is of July 2025: it reports no features. */
  private get isOld(): boolean {
    return this.lastInfo?.syncFeatures.length === 0;
  }

  /** Raises the node's height to one that it just served, because the last `/info` may be older. */
  private noteHeight(height: number): void {
    const info = this.lastInfo;
    if (info === undefined || height <= info.localHeight) return;
    this.lastInfo = { ...info, localHeight: height, networkHeight: Math.max(height, info.networkHeight) };
  }

  private clearGap(): void {
    this.unexplainedStarts = 0;
    this.currentGap = undefined;
  }

  /** The lowest index from which all blocks up to the tip are requested, empty ones included. */
  private get denseFrom(): number {
    return Math.min(this.lastInfo?.localHeight ?? 0, this.reportedTip) - DENSE_BLOCKS + 1;
  }

  /**
   * Whether the next response may omit empty blocks: current nodes do so on request, older ones when coinbases are skipped.
   * Near the tip no block is omitted, so that the tip is applied and not only marked as scanned.
   */
  private get mayHaveHoles(): boolean {
    if (this.options.skipCoinbases !== true) return false;
    const { ledger } = this.dependencies;
    // The node may have replaced the last blocks of the wallet by empty ones. If it omitted them, the wallet would not rewind.
    if (this.next === undefined && this.skipTo === undefined && ledger.position().hash !== undefined) return false;
    const { height } = ledger.scanStart();
    const next = this.withoutHashes ? height : Math.max(this.coveredTo + 1, height);
    return (this.skipTo ?? next) < this.denseFrom;
  }

  private get isSparse(): boolean {
    return this.mayHaveHoles && this.offers('skipEmptyBlocks');
  }

  /** The highest fetched or applied index. */
  private get coveredTo(): number {
    const { store, ledger } = this.dependencies;
    return Math.max(store.last?.height ?? 0, ledger.position().height);
  }

  /** Moves the start of a scan without progress up to the first block of a lite node. @returns false at a gap */
  private startsAtServedBlock(liteStartHeight: number): boolean {
    const { ledger, warn } = this.dependencies;
    const coveredTo = this.coveredTo;
    if (coveredTo === 0 && ledger.scanStart().height < liteStartHeight) {
      warn(
        `the node is a lite node and has no blocks below ${String(liteStartHeight)}: the scan begins there, and earlier ` +
          'payments cannot be found with this node',
      );
      ledger.startAt(liteStartHeight);
    }
    if (coveredTo === 0 || coveredTo + 1 >= liteStartHeight) return true;
    this.currentGap = { coveredTo, servesFrom: liteStartHeight };
    return false;
  }

  /** Whether a response continues at the position of the wallet (docs/protocol/wallet-sync.md#gaps). */
  private continuesAt(first: number, startHeight: number): boolean {
    const coveredTo = this.withoutHashes ? 0 : this.coveredTo;
    const expected = coveredTo === 0 ? startHeight : Math.max(coveredTo + 1, startHeight);
    if (first <= expected) return true;
    const { liteStartHeight = 0 } = this.lastInfo ?? {};
    const isBelowLiteNode = expected < liteStartHeight;
    if (isBelowLiteNode || ++this.unexplainedStarts >= MAX_UNEXPLAINED_STARTS) {
      this.currentGap = { coveredTo: Math.max(0, expected - 1), servesFrom: isBelowLiteNode ? liteStartHeight : first };
    }
    return false;
  }

  private get plausibleHeight(): number {
    return this.options.plausibleHeight?.() ?? Infinity;
  }

  private windows(): HeightWindow[] {
    if (this.next === undefined || this.currentGap !== undefined || !this.offers('heightRange')) return [];
    const tip = Math.min(this.lastInfo?.localHeight ?? 0, this.plausibleHeight);
    return heightWindows(this.next, tip, this.size.size, this.isSparse);
  }

  private request(more: Partial<SyncRequest>): SyncRequest {
    return {
      checkpoints: [],
      startHeight: 0,
      startTimestamp: 0,
      blockCount: this.size.size,
      skipCoinbases: this.mayHaveHoles,
      skipEmptyBlocks: this.isSparse,
      endHeight: 0,
      isBase64: this.offers('base64'),
      ...more,
    };
  }

  /** Fetches the blocks after those of the wallet. The node finds the position by the hashes in the request. */
  private async fetchSequence(signal: AbortSignal): Promise<FetchOutcome> {
    const { ledger, store } = this.dependencies;
    const start = ledger.scanStart();
    const isPlaced = this.withoutHashes || this.skipTo !== undefined;
    const checkpoints = isPlaced ? [] : checkpointsOf(store.newestHashes(50), ledger.progress());
    const request = this.request({
      checkpoints,
      startHeight: this.skipTo ?? start.height,
      startTimestamp: this.skipTo === undefined ? start.timestamp : 0,
    });
    const epoch = this.epoch;
    let response: SyncResponse;
    try {
      response = await this.requestBlocks(request, signal);
      this.requirePlausible(response, request);
    } catch (error) {
      this.next = undefined;
      this.skipTo = undefined;
      return this.onFailure(error, checkpoints, signal);
    }
    if (epoch !== this.epoch) return 'again';
    const { blocks, tip } = response;
    const last = blocks.at(-1);
    if (last === undefined) return this.onNothing(response, request, signal);
    if (!(await this.mayRewindTo(blocks[0]?.height ?? 0, signal))) return 'behind';
    if (epoch !== this.epoch) return 'again';
    this.noteHeight(Math.max(last.height, request.skipEmptyBlocks ? (response.scannedTo ?? 0) : 0, tip?.height ?? 0));
    const denseFrom = this.denseFrom;
    if (!request.skipCoinbases || last.height < denseFrom) {
      const outcome = this.take(response, request, start);
      return outcome === 'gap' && (await this.leavesWrongHeights(signal)) ? 'again' : outcome;
    }
    // The blocks near the tip are requested again, because this response may lack empty ones.
    const below = response.blocks.filter(({ height }) => height < denseFrom);
    if (below.length > 0) return this.take({ ...response, blocks: below, scannedTo: denseFrom - 1 }, request, start);
    this.skipTo = Math.max(this.coveredTo + 1, denseFrom);
    return 'again';
  }

  /** Whether a deep rewind is valid: a node that just lost its blocks may be lower than its last reported height. */
  private async mayRewindTo(first: number, signal: AbortSignal): Promise<boolean> {
    const { height } = this.dependencies.ledger.position();
    if (this.withoutHashes || first + DEEP_REWIND > height) return true;
    const info = await this.node.info(signal);
    this.lastInfo = info;
    return info.localHeight >= height;
  }

  private take(response: SyncResponse, request: SyncRequest, start: ScanStart): FetchOutcome {
    const { ledger, store } = this.dependencies;
    const first = response.blocks[0]?.height ?? 0;
    const isOpen = start.timestamp !== 0 && this.coveredTo === 0;
    // The first block may have any height: empty blocks may be omitted, or the node resolves a timestamp.
    const isFree = request.skipCoinbases || this.skipTo !== undefined || isOpen;
    if (!isFree && !this.continuesAt(first, start.height)) {
      this.next = undefined;
      return this.currentGap === undefined ? 'nothing' : 'gap';
    }
    // A converted wallet, which has a history but no hashes, also begins at the first block.
    const isFirst = isOpen || (ledger.position().hash === undefined && store.isEmpty);
    if (start.timestamp !== 0) ledger.startAt(isFirst ? first : start.height);
    this.isReplacing = !isFirst && first <= this.coveredTo;
    store.add(response);
    this.withoutHashes = false;
    this.skipTo = undefined;
    this.next = reachedBy(response, request) + 1;
    this.size.succeeded();
    this.clearGap();
    return 'stored';
  }

  private async onNothing(
    { tip, scannedTo }: SyncResponse,
    request: SyncRequest,
    signal: AbortSignal,
  ): Promise<FetchOutcome> {
    const { ledger, store } = this.dependencies;
    this.clearGap();
    if (tip === undefined) {
      if (request.skipEmptyBlocks && scannedTo !== undefined && scannedTo >= (this.skipTo ?? this.coveredTo + 1)) {
        this.skipTo = scannedTo + 1;
        return 'again';
      }
      this.size.failed();
      return 'nothing';
    }
    this.reportedTip = tip.height;
    this.next = undefined;
    this.skipTo = undefined;
    if (request.skipCoinbases && tip.height > this.coveredTo) {
      this.skipTo = Math.max(this.coveredTo + 1, this.denseFrom);
      return 'again';
    }
    if (!store.isEmpty) return 'nothing';
    const { height, hash } = ledger.position();
    const isReached = request.startTimestamp !== 0 || tip.height < request.startHeight;
    if (tip.height > height && !isReached) {
      if (await this.leavesWrongHeights(signal)) return 'again';
      throw new NodeFailure(
        'malformed',
        `reports a tip at ${String(tip.height)} but returns no block above ${String(height)}`,
      );
    }
    this.noteHeight(tip.height);
    if (tip.height >= height && tip.hash !== hash) ledger.markTip(tip.height, tip.hash);
    return 'tip';
  }

  private async onFailure(error: unknown, checkpoints: readonly string[], signal: AbortSignal): Promise<FetchOutcome> {
    if (!(error instanceof NodeFailure) || error.kind === 'rateLimited') throw error;
    if (error.facts.status === 400 && this.size.refused()) return 'again';
    const { hash } = this.dependencies.ledger.position();
    const isUnknown = error.facts.status === 500 && error.facts.isEmpty === true && this.isOld;
    if (isUnknown && checkpoints.length > 0 && hash !== undefined) {
      // A node of July 2025 responds like this if it has none of the hashes, but also if it cannot read its chain.
      if ((await this.node.mainBlock(hash, signal)) === undefined) {
        this.withoutHashes = true;
        return 'again';
      }
    }
    this.size.failed();
    throw error;
  }

  /** Fetches windows concurrently and stores them in order, up to the first incomplete one. @returns whether any was stored */
  private async fetchWindows(windows: readonly HeightWindow[], signal: AbortSignal): Promise<boolean> {
    const epoch = this.epoch;
    const stored = await withController([signal], async (round) => {
      const responses = windows.map(({ start, end }) =>
        this.requestBlocks(this.request({ startHeight: start, endHeight: end }), round.signal).catch(
          (error: unknown) => (error instanceof NodeFailure ? error : undefined),
        ),
      );
      try {
        return await this.storeWindows(windows, responses);
      } finally {
        round.abort();
        await Promise.all(responses);
      }
    });
    signal.throwIfAborted();
    if (epoch !== this.epoch) return true;
    if (stored === 0) this.next = undefined;
    else this.size.succeeded();
    return stored > 0;
  }

  /** @returns the number of stored windows @throws NodeFailure if the node refuses the first window for its rate limit */
  private async storeWindows(
    windows: readonly HeightWindow[],
    responses: readonly Promise<SyncResponse | NodeFailure | undefined>[],
  ): Promise<number> {
    const isSparse = this.isSparse;
    const epoch = this.epoch;
    for (const [i, window] of windows.entries()) {
      const response = await responses[i];
      if (response === undefined || response instanceof NodeFailure) {
        if (response?.kind === 'rateLimited' && i === 0) throw response;
        return i;
      }
      const reached = reachedIn(window, response, isSparse);
      if (reached === undefined || epoch !== this.epoch) return i;
      this.dependencies.store.add(response);
      this.next = reached + 1;
      if (reached + 1 < window.end) return i + 1;
    }
    return windows.length;
  }

  /**
   * Requests blocks, and drops the coinbases if the wallet skips them: a response to a complete request has them.
   * @throws NodeFailure; `foreignChain` for blocks that contradict the genesis block or a checkpoint of the network
   */
  private async requestBlocks(request: SyncRequest, signal: AbortSignal): Promise<SyncResponse> {
    let bytes = 0;
    const response = await this.node.walletSyncData(request, signal, (body) => {
      bytes = body.length;
      return this.dependencies.read(body);
    });
    this.size.noteSize(response.blocks.length, bytes);
    this.uncollectedBytes += bytes;
    if (this.uncollectedBytes >= COLLECT_AFTER_BYTES) {
      this.uncollectedBytes = 0;
      collectGarbage();
    }
    const { genesis, knownBlocks } = this.options.network;
    for (const { height, hash } of [{ height: 0, hash: toHex(genesis.hash) }, ...knownBlocks]) {
      const block = response.blocks.find((one) => one.height === height);
      if (block === undefined || block.hash === hash) continue;
      const which = height === 0 ? 'first block' : `block ${String(height)}`;
      throw new NodeFailure('foreignChain', `serves another chain: its ${which} is not that of this network`);
    }
    return this.options.skipCoinbases === true ? withoutCoinbases(response) : response;
  }

  /** @throws NodeFailure for a response that no honest node gives */
  private requirePlausible({ blocks, tip }: SyncResponse, { blockCount, skipCoinbases }: SyncRequest): void {
    if (blocks.length > blockCount) throw new NodeFailure('malformed', 'returns more blocks than were requested');
    const [first] = blocks;
    const highest = Math.max(blocks.at(-1)?.height ?? 0, tip?.height ?? 0);
    const plausible = this.plausibleHeight;
    if (highest > plausible) {
      throw new NodeFailure(
        'malformed',
        `reports block ${String(highest)}, but the chain can have reached ${String(plausible)} at most: check the clock ` +
          'of this machine, or use another node',
      );
    }
    if (skipCoinbases || first === undefined) return;
    const gap = blocks.find(({ height }, i) => height !== first.height + i);
    if (gap !== undefined) throw new NodeFailure('malformed', `omits blocks below ${String(gap.height)}`);
  }

  /**
   * A node below the wallet is usually catching up, so the wallet waits. But if a node with peers reports that it is at the
   * network's tip and has none of the wallet's blocks, these blocks are on no chain of the network.
   */
  private async checkFromBelow(signal: AbortSignal): Promise<FetchOutcome> {
    const { ledger } = this.dependencies;
    const info = this.lastInfo;
    if (info === undefined || info.localHeight < info.networkHeight || info.peerCount === 0) return 'behind';
    const checkpoints = checkpointsOf([], ledger.progress());
    try {
      const { blocks, tip } = await this.node.walletSyncData(this.request({ checkpoints, blockCount: 1 }), signal);
      if (tip !== undefined || blocks[0]?.height !== 0) this.checksBelow = 0;
      else this.checksBelow++;
    } catch (error) {
      if (!(error instanceof NodeFailure) || error.facts.status !== 500 || error.facts.isEmpty !== true) throw error;
      this.checksBelow++;
    }
    if (this.checksBelow < MAX_CHECKS_BELOW) return 'behind';
    this.rescan('the node is at the tip of its network and has no block of this wallet');
    return 'again';
  }

  /** Whether an earlier node reported wrong heights: this node has the wallet's last block at another height. */
  private async leavesWrongHeights(signal: AbortSignal): Promise<boolean> {
    const { height, hash } = this.dependencies.ledger.position();
    if (hash === undefined) return false;
    // A cache without JSON-RPC cannot respond to this.
    const known = await this.node.mainBlock(hash, signal).catch(() => undefined);
    if (known === undefined || known.height === height) return false;
    this.reset();
    this.rescan(`the node has the last block of this wallet at height ${String(known.height)}, not ${String(height)}`);
    return true;
  }

  private rescan(why: string): void {
    const { ledger, warn, rewind } = this.dependencies;
    warn(`${why}: rescanning the chain`);
    rewind(rescanHeight(ledger, 0));
    this.withoutHashes = true;
  }
}

/**
 * The height from which blocks are removed for a rescan. A ledger that never reached its scan start has blocks below it, from a
 * time when the node's chain was shorter.
 * @param fork height of the last block that is retained
 */
export function rescanHeight(ledger: SyncLedger, fork: number): number {
  const start = ledger.scanStart().height;
  return Math.max(1, fork + 1, start > ledger.position().height ? 1 : start);
}

/** The highest index that the response covers. `scannedTo` counts only if empty blocks may be omitted. */
function reachedBy({ blocks, scannedTo }: SyncResponse, { skipEmptyBlocks }: SyncRequest): number {
  const last = blocks.at(-1)?.height ?? 0;
  return skipEmptyBlocks ? Math.max(last, scannedTo ?? 0) : last;
}

/** The last index of a window that the response covers; undefined for an invalid response. */
function reachedIn({ start, end }: HeightWindow, response: SyncResponse, isSparse: boolean): number | undefined {
  const { blocks, scannedTo } = response;
  if (scannedTo === undefined || scannedTo < start || scannedTo >= end) return undefined;
  if (blocks.some(({ height }) => height < start || height > scannedTo)) return undefined;
  if (isSparse) return scannedTo;
  const isWhole = blocks.every(({ height }, i) => height === start + i) && blocks.length === scannedTo - start + 1;
  return isWhole ? scannedTo : undefined;
}

const withoutCoinbase = (block: SyncBlock): SyncBlock =>
  block instanceof PackedBlock ? block.withoutCoinbase() : { ...block, coinbase: undefined };

function withoutCoinbases(response: SyncResponse): SyncResponse {
  return { ...response, blocks: response.blocks.map(withoutCoinbase) };
}
