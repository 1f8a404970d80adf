import type { BlockFacts } from '@wrkz/consensus';
import { DigestWriter } from './digest-writer';

/**
 * The digest of what the rules read, which a full, a pruned and a lite node have alike
 * (docs/protocol/storage.md#rules-digest): equal for two databases exactly when they judge the next block alike.
 *
 * Blocks come first, then key images, each in chain order, then the outputs, amount by amount in ascending order.
 */
export class RulesDigest {
  private readonly writer = new DigestWriter();
  private blocks = 0;
  private images: Buffer[] = [];
  private imagesHeight = 0;

  constructor() {
    this.writer.bytes(Buffer.from('chain rules 1', 'latin1'));
  }

  /** @param halves the 64-bit values of the facts as their lower and upper halves */
  block(
    { hash, timestamp, size, generatedTransactions }: BlockFacts,
    halves: readonly [
      difficultyLow: number,
      difficultyHigh: number,
      workLow: number,
      workHigh: number,
      coinsLow: number,
      coinsHigh: number,
    ],
  ): void {
    const { writer } = this;
    writer.bytes(hash);
    writer.number(timestamp);
    writer.number(size);
    writer.number(generatedTransactions);
    for (const half of halves) writer.word(half);
    this.blocks++;
  }

  /** Which block spent an image counts, and not in which order a block spends its own. */
  keyImage(image: Buffer, height: number): void {
    if (height !== this.imagesHeight) this.endImages(height);
    this.images.push(image);
  }

  /** Each amount once, before its outputs. */
  amount(amount: bigint): void {
    this.endImages(0);
    this.writer.word(Number(amount & 0xffff_ffffn));
    this.writer.word(Number(amount >> 32n));
  }

  output(key: Buffer, height: number, unlockLow: number, unlockHigh: number): void {
    const { writer } = this;
    writer.bytes(key);
    writer.number(height);
    writer.word(unlockLow);
    writer.word(unlockHigh);
  }

  /** After the outputs of each amount. */
  endAmount(outputs: number): void {
    this.writer.number(outputs);
  }

  /** 64 hex characters. */
  finish(): string {
    this.endImages(0);
    this.writer.number(this.blocks);
    return this.writer.finish();
  }

  private endImages(next: number): void {
    if (this.images.length > 0) {
      this.writer.number(this.imagesHeight);
      this.writer.number(this.images.length);
      for (const image of this.images.sort((a, b) => a.compare(b))) this.writer.bytes(image);
      this.images = [];
    }
    this.imagesHeight = next;
  }
}
