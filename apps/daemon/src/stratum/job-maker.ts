import { stratumApi } from '@wrkz/api';
import type { CoinbaseReceiver, Template, TemplateBody } from '@wrkz/consensus';
import { errorText } from '@wrkz/service-kit';
import { StratumJob } from './job';
import { EXTRA_NONCE_SIZE } from './limits';
import type { StratumNode } from './ports';
import { StratumRefusal } from './refusal';

const { noBlob, noTemplate, zeroDifficulty } = stratumApi.stratumErrors;

/** Milliseconds after which newer transactions of the pool are worth the work of choosing them. */
const BODY_AGE = 2_000;
/** How often a body is made again because the tip moved meanwhile. */
const MAX_TRIES = 5;

interface KeptBody {
  readonly tip: Buffer;
  readonly at: number;
  readonly body: Promise<TemplateBody>;
}

/**
 * Jobs for all connections. What they share is made once a tip, so that many logins cost little more than one. Every job
 * has bytes of its own in its coinbase and a key of its own, so no two miners ever hash the same.
 */
export class JobMaker {
  private kept: KeptBody | undefined;
  private ids = 0n;

  constructor(
    private readonly node: Pick<StratumNode, 'tip' | 'body' | 'complete'>,
    /** Monotonic milliseconds. */
    private readonly now: () => number,
  ) {}

  /** From one counter: session ids, job ids and extra nonces. */
  nextId(): bigint {
    return ++this.ids;
  }

  /**
   * @param shareDifficulty from the difficulty of the block
   * @throws StratumRefusal when no job can be made
   */
  async make(receiver: CoinbaseReceiver, shareDifficulty: (difficulty: bigint) => bigint): Promise<StratumJob> {
    const template = await this.template(receiver);
    if (template.difficulty === 0n) throw new StratumRefusal(zeroDifficulty);
    try {
      const id = this.nextId().toString();
      return new StratumJob(template, { id, shareDifficulty: shareDifficulty(template.difficulty) });
    } catch (error) {
      throw new StratumRefusal(noBlob, { reason: errorText(error) });
    }
  }

  private async template(receiver: CoinbaseReceiver): Promise<Template> {
    const extraNonce = Buffer.alloc(EXTRA_NONCE_SIZE);
    extraNonce.writeBigUInt64LE(this.nextId());
    try {
      return this.node.complete(await this.body(), receiver, extraNonce);
    } catch (error) {
      throw new StratumRefusal(noTemplate, { reason: errorText(error) });
    }
  }

  private async body(): Promise<TemplateBody> {
    for (let tries = 1; ; tries++) {
      const body = await this.sharedBody();
      if (body.header.previousHash.equals(this.node.tip().hash) || tries === MAX_TRIES) return body;
    }
  }

  private async sharedBody(): Promise<TemplateBody> {
    const tip = this.node.tip().hash;
    if (this.kept === undefined || !this.kept.tip.equals(tip) || this.now() - this.kept.at > BODY_AGE) {
      this.kept = { tip, at: this.now(), body: this.node.body() };
    }
    const { kept } = this;
    try {
      return await kept.body;
    } catch (error) {
      if (this.kept === kept) this.kept = undefined;
      throw error;
    }
  }
}
