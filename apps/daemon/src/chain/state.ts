import type { ChainDb, ChainReader, ChainWriter, CorruptDatabase } from '@wrkz/chain-db';
import {
  type BlockContext,
  type Checkpoints,
  type ChainView,
  effectiveMedian,
  genesisBlock,
  hardSizeLimit,
  nextDifficulty,
  type ReasonCode,
  RuleFailure,
  stageBlock,
  type StagedBlock,
} from '@wrkz/consensus';
import type { Network } from '@wrkz/core-types';
import type { CandidateBlock } from './candidate-block';
import type { Pruning } from './pruning';
import type { TipFacts } from './service';

/** The collaborators of the engine. */
export interface EngineParts {
  /** Open for writing; the engine closes it. */
  readonly db: ChainDb;
  readonly network: Network;
  readonly checkpoints: Checkpoints;
  /** Unix seconds. */
  readonly now: () => number;
  /** Set if the node prunes old blocks. */
  readonly pruning?: Pruning | undefined;
  /** Why nothing can be written now; undefined when it can. @param closed whether writing has stopped */
  readonly diskShortage?: ((closed: boolean) => string | undefined) | undefined;
}

/** The committed chain, and the staging of blocks on it: shared by the main line and the side branches. */
export class ChainState {
  readonly reader: ChainReader;
  readonly writer: ChainWriter;
  readonly network: Network;
  readonly checkpoints: Checkpoints;
  /** Called for damage that does not stop the engine: the damaged block is dropped, and fetched again when needed. */
  onDamage: (damage: CorruptDatabase) => void = () => undefined;
  private currentTip: TipFacts;

  constructor(private readonly parts: EngineParts) {
    const { db, network } = parts;
    if (db.writer === undefined) throw new Error('the chain engine needs a database that is open for writing');
    this.reader = db.reader;
    this.writer = db.writer;
    this.network = network;
    this.checkpoints = parts.checkpoints;
    if (this.reader.height() < 0) this.writer.append([genesisBlock(network)]);
    this.currentTip = this.readTip(this.reader.alternativeCount());
  }

  get tip(): TipFacts {
    return this.currentTip;
  }

  /** Call it after each commit. */
  refreshTip(alternativeCount: number): TipFacts {
    return (this.currentTip = this.readTip(alternativeCount));
  }

  /** Call it for each batch after a commit of several batches: the tip without the later batches. */
  advanceTip(height: number, alternativeCount: number): TipFacts {
    return (this.currentTip = this.readTip(alternativeCount, this.viewAt(height)));
  }

  /** The main chain is unchanged, the side branches are not. */
  countAlternatives(alternativeCount: number): TipFacts {
    return (this.currentTip = { ...this.currentTip, alternativeCount });
  }

  /** The main chain up to `height`, as it is now. */
  viewAt(height: number): ChainView {
    return this.reader.viewAt(height);
  }

  /**
   * @param mainMedianSize for a side branch: the median that limits the size of its transactions. A block that arrives now has
   * the median of the main chain; a block read back from disk passed the limit before and has none.
   */
  stage(candidate: CandidateBlock, view: ChainView, mainMedianSize?: number): StagedBlock {
    const { block } = candidate;
    const height = view.height + 1;
    const refuse = (code: ReasonCode): StagedBlock => {
      return { failure: new RuleFailure(code), block, transactions: [], proofs: [] };
    };
    // Unlike in the reference, the size is checked before decoding, so that an oversized block takes no memory.
    if (candidate.size > hardSizeLimit(height)) return refuse('CUMULATIVE_BLOCK_SIZE_TOO_BIG');
    const transactions = candidate.transactions();
    if (transactions === undefined) return refuse('DESERIALIZATION_FAILED');
    const context: BlockContext = {
      network: this.network,
      view,
      now: this.parts.now(),
      checkpoints: this.checkpoints,
      mainMedianSize,
    };
    return stageBlock(block, transactions, context);
  }

  /** @returns whether the write-ahead log is empty now */
  cutLog(): boolean {
    return this.parts.db.cutLog();
  }

  close(): void {
    this.parts.db.close();
  }

  private readTip(alternativeCount: number, view = this.viewAt(this.reader.height())): TipFacts {
    const facts = view.facts(view.height);
    return {
      ...facts,
      nextDifficulty: nextDifficulty(this.network, facts.height, view),
      medianSize: effectiveMedian(this.network, view),
      alternativeCount,
    };
  }
}
