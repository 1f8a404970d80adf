import { type IndexesByTransaction, type NodeCalls, NodeFailure } from '@wrkz/client';
import { groupBy } from '@wrkz/service-kit/base';
import type { SyncLedger } from '../ledger/ledger';
import type { UnindexedOutput } from '../ledger/model';

/** Number of blocks per request. A range hides from the node which of its blocks has an own output. */
export const RANGE = 10;
const TRIES = 3;

/** The first height of the range that contains a height. */
export const rangeStart = (height: number): number => height - (height % RANGE);

/** Requests the global indexes of own outputs (docs/protocol/wallet-sync.md#global-indexes). */
export class IndexFinder {
  /** Number of responses without the indexes of a transaction, by transaction hash. */
  private readonly tries = new Map<string, number>();
  /** Counts resets: responses to earlier requests are discarded. */
  private epoch = 0;

  constructor(
    private readonly ledger: SyncLedger,
    private readonly warn: (text: string) => void,
  ) {}

  get isDone(): boolean {
    return this.wanted().length === 0;
  }

  /** Whether there are outputs that were not requested yet. */
  get hasUntried(): boolean {
    return this.wanted().some((output) => this.triesOf(output) === 0);
  }

  /** Clears the counts, so that all missing indexes are requested again. Also called after a rewind. */
  reset(): void {
    this.epoch++;
    this.tries.clear();
  }

  /**
   * Requests each new range once, or all other ranges if there is no new one, so that retries are spread out.
   * @throws NodeFailure, which does not count as a try; the signal's reason
   */
  async step(node: NodeCalls, signal: AbortSignal): Promise<void> {
    const epoch = this.epoch;
    const { hasUntried } = this;
    for (const [start, outputs] of groupBy(this.wanted(), ({ blockHeight }) => rangeStart(blockHeight))) {
      if (hasUntried && outputs.every((output) => this.triesOf(output) > 0)) continue;
      const indexes = await node.globalIndexes(start, start + RANGE, signal);
      if (epoch !== this.epoch) return;
      this.ledger.setGlobalIndexes(known(indexes, outputs));
      this.countTry(outputs.filter((output) => indexOf(indexes, output) === undefined));
    }
  }

  private wanted(): UnindexedOutput[] {
    return this.ledger.unindexedOutputs().filter((output) => this.triesOf(output) < TRIES);
  }

  private triesOf({ parentTransactionHash }: UnindexedOutput): number {
    return this.tries.get(parentTransactionHash) ?? 0;
  }

  private countTry(missing: readonly UnindexedOutput[]): void {
    const tries = new Map(missing.map((output) => [output.parentTransactionHash, this.triesOf(output) + 1]));
    for (const [hash, count] of tries) this.tries.set(hash, count);
    const [first, ...others] = missing.filter((output) => this.triesOf(output) >= TRIES);
    if (first === undefined) return;
    this.warn(
      `the node reports no global index of ${String(others.length + 1)} own outputs, the first in transaction ` +
        `${first.parentTransactionHash}: they are in the balance but cannot be spent yet`,
    );
  }
}

/** Global indexes by transaction hash, as one node reports them. */
export interface IndexReport {
  readonly node: NodeCalls;
  readonly indexes: IndexesByTransaction;
}

/**
 * Requests the global indexes of outputs again after a node refused a send because of them.
 * @returns the reports of the nodes that know all of them, in the order of `nodes`
 */
export async function requestIndexesAgain(
  nodes: readonly NodeCalls[],
  outputs: readonly UnindexedOutput[],
  signal: AbortSignal,
): Promise<IndexReport[]> {
  const starts = new Set(outputs.map(({ blockHeight }) => rangeStart(blockHeight)));
  const reportOf = async (node: NodeCalls): Promise<IndexReport | undefined> => {
    const indexes = new Map<string, readonly number[]>();
    try {
      for (const start of starts) {
        for (const [hash, list] of known(await node.globalIndexes(start, start + RANGE, signal), outputs))
          indexes.set(hash, list);
      }
    } catch (error) {
      if (error instanceof NodeFailure) return undefined;
      throw error;
    }
    return outputs.every((output) => indexOf(indexes, output) !== undefined) ? { node, indexes } : undefined;
  };
  // Concurrently: a node that hangs must not delay the others.
  return (await Promise.all(nodes.map(reportOf))).filter((report) => report !== undefined);
}

export function indexOf(
  indexes: IndexesByTransaction,
  { parentTransactionHash, outputIndex }: UnindexedOutput,
): number | undefined {
  return indexes.get(parentTransactionHash)?.[outputIndex];
}

/** The indexes of own transactions. The others were only requested to hide the own ones. */
function known(indexes: IndexesByTransaction, outputs: readonly UnindexedOutput[]): IndexesByTransaction {
  const own = new Map<string, readonly number[]>();
  for (const output of outputs) {
    const list = indexes.get(output.parentTransactionHash);
    if (list !== undefined && indexOf(indexes, output) !== undefined) own.set(output.parentTransactionHash, list);
  }
  return own;
}
