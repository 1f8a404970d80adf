import type { ChainReader } from '@wrkz/chain-db';
import {
  type ChainView,
  effectiveMedian,
  mixinAllowed,
  RuleFailure,
  runProofs,
  settleTransaction,
  stageTransaction,
  transactionSizeLimit,
} from '@wrkz/consensus';
import type { Network, ParsedTransaction } from '@wrkz/core-types';
import type { Fitting, PoolJudge } from './judge';

/** What the top of the chain says to the pool; one read of it serves until the top changes. */
interface Top {
  readonly view: ChainView;
  readonly hash: Buffer;
  readonly height: number;
  readonly timestamp: number;
  readonly medianSize: number;
}

/**
 * Judges by what is on disk. The reader may be ahead of the commit event: what is judged on the newer top is right for
 * it, and the event, when it comes, is looked at once more.
 */
export class ChainJudge implements PoolJudge {
  private cached: Top | undefined;

  constructor(
    private readonly network: Network,
    private readonly reader: ChainReader,
    /** Unix seconds. */
    private readonly now: () => number,
  ) {}

  sizeLimit(): number {
    return transactionSizeLimit(this.top().medianSize);
  }

  async judge(parsed: ParsedTransaction): Promise<RuleFailure | undefined> {
    const staged = this.reader.snapshot(() => {
      const top = this.top();
      return stageTransaction(parsed, {
        network: this.network,
        height: top.height,
        blockTimestamp: top.timestamp,
        view: top.view,
        pool: true,
        checkpointed: false,
        medianSize: top.medianSize,
        tipTimestamp: top.timestamp,
        now: this.now(),
        spentInBlock: new Set(),
      });
    });
    return settleTransaction(staged, await runProofs(staged.proofs));
  }

  settled(parsed: ParsedTransaction): 'in block' | RuleFailure | undefined {
    return this.reader.snapshot(() => {
      if (this.reader.hasTransaction(parsed.hash)) return 'in block';
      const { view } = this.top();
      const spent = parsed.transaction.inputs.some(
        (input) => input.type === 'key' && view.keyImageHeight(input.keyImage) !== undefined,
      );
      return spent ? new RuleFailure('INPUT_KEYIMAGE_ALREADY_SPENT') : undefined;
    });
  }

  fitting(): Fitting {
    const { height, medianSize } = this.top();
    const { mixin } = this.network.rulesAt(height);
    const largest = transactionSizeLimit(medianSize);
    return {
      measure: `${String(largest)} ${String(mixin.min)} ${String(mixin.max)} ${mixin.judgedOn}`,
      refuses: ({ size, transaction }) => {
        if (size > largest) return new RuleFailure('SIZE_TOO_LARGE');
        return mixinAllowed(transaction.inputs, mixin) ? undefined : new RuleFailure('INVALID_MIXIN');
      },
    };
  }

  private top(): Top {
    const { height, hash, timestamp } = this.reader.tip();
    if (this.cached?.height === height && this.cached.hash.equals(hash)) return this.cached;
    const view = this.reader.viewAt(height);
    this.cached = { view, hash, height, timestamp, medianSize: effectiveMedian(this.network, view) };
    return this.cached;
  }
}
