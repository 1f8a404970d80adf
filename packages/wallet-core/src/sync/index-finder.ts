import { type IndexesByTransaction, type NodeCalls, NodeFailure, type NodeList } from '@wrkz/client';
import type { SyncLedger, UnindexedOutput } from '../ledger/ledger';

/** Blocks that are requested together, so that the node cannot tell which of them has an own output. */
export const RANGE = 10;
const TRIES = 3;

/** The first height of the range that holds a block. */
export const rangeStart = (height: number): number => height - (height % RANGE);

interface Wanted {
  readonly outputs: UnindexedOutput[];
  tries: number;
}

/** Learns the global indexes of own outputs (docs/protocol/wallet-sync.md#global-indexes). */
export class IndexFinder {
  /** By the first height of their range. */
  readonly #wanted = new Map<number, Wanted>();

  constructor(
    private readonly ledger: SyncLedger,
    private readonly warn: (text: string) => void,
  ) {}

  get isDone(): boolean {
    return this.#wanted.size === 0;
  }

  /** Whether there are outputs that were not requested yet. */
  get hasUntried(): boolean {
    return [...this.#wanted.values()].some(({ tries }) => tries === 0);
  }

  add(outputs: readonly UnindexedOutput[]): void {
    for (const output of outputs) {
      const start = rangeStart(output.blockHeight);
      const wanted = this.#wanted.get(start);
      if (wanted === undefined) this.#wanted.set(start, { outputs: [output], tries: 0 });
      else wanted.outputs.push(output);
    }
  }

  /** Starts again with all indexes that the ledger lacks, those that no node had included. */
  begin(): void {
    this.#wanted.clear();
    this.add(this.ledger.unindexedOutputs());
  }

  /** Blocks at or above the height are gone. */
  rewind(height: number): void {
    for (const [start, { outputs, tries }] of [...this.#wanted]) {
      if (start + RANGE <= height) continue;
      const left = outputs.filter(({ blockHeight }) => blockHeight < height);
      if (left.length === 0) this.#wanted.delete(start);
      else this.#wanted.set(start, { outputs: left, tries });
    }
  }

  /**
   * Requests each new range once, or all others if there is no new one, so that retries are spread out.
   * @throws NodeFailure, which counts as no try; the signal's reason
   */
  async step(node: NodeCalls, signal: AbortSignal): Promise<void> {
    const { hasUntried } = this;
    for (const [start, wanted] of [...this.#wanted]) {
      if (hasUntried && wanted.tries > 0) continue;
      const indexes = await node.globalIndexes(start, start + RANGE, signal);
      // Rewound, or begun anew, meanwhile.
      if (this.#wanted.get(start) !== wanted) continue;
      this.ledger.setGlobalIndexes(known(indexes, wanted.outputs));
      const missing = wanted.outputs.filter((output) => indexOf(indexes, output) === undefined);
      if (missing.length === 0) this.#wanted.delete(start);
      else if (++wanted.tries >= TRIES) this.#giveUp(start, missing);
    }
  }

  #giveUp(start: number, missing: readonly UnindexedOutput[]): void {
    this.#wanted.delete(start);
    const first = missing[0]?.transactionHash ?? '';
    this.warn(
      `the node reports no global index of ${String(missing.length)} own outputs, the first in transaction ${first}: they ` +
        'count in the balance and cannot be spent yet',
    );
  }
}

/**
 * Queries the global indexes of outputs again, after a node refused a send for them: the other nodes first, since the
 * serving node reported the refused ones.
 * @returns by transaction hash, from the first node that reports all of them; undefined when none does
 */
export async function indexesAgain(
  nodes: NodeList,
  outputs: readonly UnindexedOutput[],
  signal: AbortSignal,
): Promise<IndexesByTransaction | undefined> {
  const starts = new Set(outputs.map(({ blockHeight }) => rangeStart(blockHeight)));
  for (const node of [...nodes.others, nodes.serving]) {
    const all = new Map<string, readonly number[]>();
    try {
      for (const start of starts) {
        for (const [hash, list] of known(await node.globalIndexes(start, start + RANGE, signal), outputs))
          all.set(hash, list);
      }
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error;
      continue;
    }
    if (outputs.every((output) => indexOf(all, output) !== undefined)) return all;
  }
  return undefined;
}

function indexOf(indexes: IndexesByTransaction, { transactionHash, outputIndex }: UnindexedOutput): number | undefined {
  return indexes.get(transactionHash)?.[outputIndex];
}

/** Those of own transactions; the others were requested to hide them. */
function known(indexes: IndexesByTransaction, outputs: readonly UnindexedOutput[]): IndexesByTransaction {
  const own = new Map<string, readonly number[]>();
  for (const output of outputs) {
    const list = indexes.get(output.transactionHash);
    if (list !== undefined && indexOf(indexes, output) !== undefined) own.set(output.transactionHash, list);
  }
  return own;
}
