import type { NodeCalls, SyncTip } from '@wrkz/client';

/** Blocks that are asked for at once. */
const AT_ONCE = 1_000;
/** Each is asked of the node. */
const MOST = 10_000;

/** Hashes of blocks, which a container holds only few of: the node tells them. */
export class BlockHashes {
  constructor(
    private readonly nodes: Pick<NodeCalls, 'walletSyncData' | 'mainBlock'>,
    /** Hashes of one answer. */
    readonly most = MOST,
  ) {}

  /** Of the blocks [start, end), as far as the node has them, ascending. @throws NodeFailure */
  async range(start: number, end: number): Promise<string[]> {
    const hashes: string[] = [];
    while (start + hashes.length < end) {
      const from = start + hashes.length;
      const { blocks } = await this.nodes.walletSyncData({
        checkpoints: [],
        startHeight: from,
        startTimestamp: 0,
        blockCount: Math.min(AT_ONCE, end - from),
        skipCoinbases: true,
        skipEmptyBlocks: false,
        endHeight: 0,
        isBase64: false,
      });
      const next = blocks.filter(({ height }, i) => height === from + i && height < end);
      if (next.length === 0) return hashes;
      hashes.push(...next.map(({ hash }) => hash));
    }
    return hashes;
  }

  /** The block of the main chain with this hash. @throws NodeFailure */
  find(hash: string): Promise<SyncTip | undefined> {
    return this.nodes.mainBlock(hash);
  }
}
