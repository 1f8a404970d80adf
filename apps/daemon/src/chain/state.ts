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

/** What the engine is made of. */
export interface EngineParts {
  /** Open for writing; the engine closes it. */
  readonly db: ChainDb;
  readonly network: Network;
  readonly checkpoints: Checkpoints;
  /** Unix seconds. */
  readonly now: () => number;
  /** On a pruned node. */
  readonly pruning?: Pruning | undefined;
  /** Why nothing can be written now; undefined, or left out, when it can. It is told whether writing has ceased. */
  readonly noRoom?: ((closed: boolean) => string | undefined) | undefined;
}

/** The committed chain, and how blocks are staged on it: what the main line and the side branches share. */
export class ChainState {
  readonly reader: ChainReader;
  readonly writer: ChainWriter;
  readonly network: Network;
  readonly checkpoints: Checkpoints;
  /** Hears of damage that the work goes on with: what was damaged is dropped, and fetched again where it is of use. */
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

  /** To be called after each commit. */
  refreshTip(alternativeCount: number): TipFacts {
    return (this.currentTip = this.readTip(alternativeCount));
  }

  /** To be called after a commit of several batches, for each of them: the tip as it would be without the later ones. */
  advanceTip(height: number, alternativeCount: number): TipFacts {
    return (this.currentTip = this.readTip(alternativeCount, this.viewAt(height)));
  }

  /** The main chain is as it was, the side branches are not. */
  countAlternatives(alternativeCount: number): TipFacts {
    return (this.currentTip = { ...this.currentTip, alternativeCount });
  }

  /** The main chain up to `height`, as it is now. */
  viewAt(height: number): ChainView {
    return this.reader.viewAt(height);
  }

  /**
   * @param mainMedianSize where `view` is a side branch: the median that limits the size of its transactions. For a
   * block that arrives now it is the main chain's; a block read back from disk has passed it before, so any size will
   * do.
   */
  stage(candidate: CandidateBlock, view: ChainView, mainMedianSize?: number): StagedBlock {
    const { block } = candidate;
    const height = view.height + 1;
    const refuse = (code: ReasonCode): StagedBlock => {
      return { failure: new RuleFailure(code), block, transactions: [], proofs: [] };
    };
    // The size is checked before anything is decoded, where the reference decodes first: what fits no block costs no
    // memory.
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
      height: facts.height,
      hash: facts.hash,
      timestamp: facts.timestamp,
      cumulativeDifficulty: facts.cumulativeDifficulty,
      nextDifficulty: nextDifficulty(this.network, facts.height, view),
      medianSize: effectiveMedian(this.network, view),
      generatedCoins: facts.generatedCoins,
      generatedTransactions: facts.generatedTransactions,
      majorVersion: facts.majorVersion,
      minorVersion: facts.minorVersion,
      alternativeCount,
    };
  }
}
