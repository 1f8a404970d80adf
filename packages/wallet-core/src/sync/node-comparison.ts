import { type NodeClient, NodeFailure, type NodeInfo, type NodeList } from '@wrkz/client';
import type { SyncLedger } from '../ledger/ledger';

/** Depth from which a block is the same on every honest node. */
const SETTLED_DEPTH = 11;
const MIN_RECENT_HASHES = 12;

/** Number of consecutive failed comparisons, about one per minute, after which a disagreement of a node is dropped. */
const MAX_SILENCE = 60;

interface Disagreement {
  readonly text: string;
  /** Comparisons since then in which the node did not respond or was too low. */
  silence: number;
}

/** Compares the chain of the wallet with the nodes of its list (docs/protocol/wallet-sync.md#comparing-nodes). */
export class NodeComparison {
  /** Nodes that lacked the settled block in their last comparison. */
  private readonly disagreements = new Map<NodeClient, Disagreement>();

  constructor(
    private readonly nodes: NodeList,
    private readonly ledger: SyncLedger,
  ) {}

  /**
   * Requests the wallet's block 11 below the tip from each other node that is at least as high. Called while
   * the wallet is at the tip of the serving node.
   * @returns the disagreement of a node, as a sentence; undefined while all nodes agree
   */
  async disagreement(signal: AbortSignal): Promise<string | undefined> {
    const { height, recentHashes } = this.ledger.progress();
    const hash = recentHashes[SETTLED_DEPTH];
    const { others } = this.nodes;
    for (const node of [...this.disagreements.keys()]) if (!others.includes(node)) this.disagreements.delete(node);
    for (const node of hash === undefined ? [] : others) {
      const isKnown = await orUndefined(async () => {
        if ((await node.info(signal)).localHeight < height) return undefined;
        return (await node.mainBlock(hash as string, signal)) !== undefined;
      });
      const before = this.disagreements.get(node);
      if (isKnown === undefined && before !== undefined) before.silence++;
      if (isKnown === true || (before?.silence ?? 0) >= MAX_SILENCE) this.disagreements.delete(node);
      if (isKnown !== false || this.ledger.progress().recentHashes[SETTLED_DEPTH] !== hash) continue;
      const at = String(height - SETTLED_DEPTH);
      const text = `node ${node.displayName} does not have block ${at} of this wallet, ${String(hash)}`;
      this.disagreements.set(node, { text, silence: 0 });
    }
    return [...this.disagreements.values()][0]?.text;
  }

  /**
   * Checks whether most nodes have none of the last blocks of the wallet. Only nodes are counted that are as high as the
   * wallet, or that have peers and are at the tip of the network.
   * @returns the height of the highest checkpoint that most nodes have, 0 if there is none; undefined if most nodes have the
   * wallet's blocks
   */
  async forkPoint(signal: AbortSignal): Promise<number | undefined> {
    const { height, recentHashes, checkpointHashes } = this.ledger.progress();
    const oldest = recentHashes.at(-1);
    if (oldest === undefined || recentHashes.length < MIN_RECENT_HASHES) return undefined;
    // Nodes that are high enough to have the wallet's blocks.
    const voters: NodeClient[] = [];
    for (const node of [this.nodes.serving, ...this.nodes.others]) {
      const info = await orUndefined(() => node.info(signal));
      if (info !== undefined && (info.localHeight >= height || isAtNetworkTip(info))) voters.push(node);
    }
    const votes = await votesFor(oldest, voters, signal);
    if (2 * votes.against <= voters.length) return undefined;
    for (const hash of checkpointHashes) {
      const { heights } = await votesFor(hash, voters, signal);
      if (2 * heights.length > voters.length) return heights[0];
    }
    return 0;
  }
}

/** Queries all nodes for a block. @returns the heights at which nodes have it, and the number of nodes that lack it */
async function votesFor(
  hash: string,
  voters: readonly NodeClient[],
  signal: AbortSignal,
): Promise<{ readonly heights: readonly number[]; readonly against: number }> {
  const heights: number[] = [];
  let against = 0;
  for (const node of voters) {
    const response = await orUndefined(async () => ({ block: await node.mainBlock(hash, signal) }));
    if (response?.block !== undefined) heights.push(response.block.height);
    else if (response !== undefined) against++;
  }
  return { heights, against };
}

const isAtNetworkTip = ({ localHeight, networkHeight, peerCount }: NodeInfo): boolean =>
  peerCount > 0 && localHeight >= networkHeight;

/** The result of a request; undefined when the node fails. */
async function orUndefined<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof NodeFailure) return undefined;
    throw error;
  }
}
