import type { BlockFacts } from '@wrkz/consensus';
import type { ChainReader } from '../reader/reader';
import { createHash } from 'node:crypto';

const BUFFER_BYTES = 64 * 1024;

/** Buffered SHA-256 over little-endian numbers and byte strings. Byte strings have no length prefix: each position has a fixed length. */
class DigestWriter {
  private readonly hash = createHash('sha256');
  private readonly buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  private end = 0;

  /** 8 bytes. @param value an integer from 0 to 2^53 */
  number(value: number): void {
    this.reserve(8);
    this.buffer.writeUInt32LE(value % 0x1_0000_0000, this.end);
    this.buffer.writeUInt32LE(Math.floor(value / 0x1_0000_0000), this.end + 4);
    this.end += 8;
  }

  /** 4 bytes. */
  word(value: number): void {
    this.reserve(4);
    this.buffer.writeUInt32LE(value, this.end);
    this.end += 4;
  }

  bytes(value: Uint8Array): void {
    this.reserve(value.length);
    this.buffer.set(value, this.end);
    this.end += value.length;
  }

  /** 64 hex characters. */
  finish(): string {
    this.flush();
    return this.hash.digest('hex');
  }

  private reserve(length: number): void {
    if (this.end + length > BUFFER_BYTES) this.flush();
  }

  private flush(): void {
    this.hash.update(this.buffer.subarray(0, this.end));
    this.end = 0;
  }
}

/**
 * The digest of the data that the consensus rules read (docs/protocol/storage.md#rules-digest). Full, pruned and lite databases of one
 * chain have the same digest; databases with equal digests accept the same next blocks.
 *
 * The caller adds blocks, then key images, each in chain order, then outputs by ascending amount and index.
 */
class RulesDigest {
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

  /** The order of the key images within a block does not matter: they are sorted. */
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

/** Rows per read. */
const ROWS = 500;

/**
 * The {@link RulesDigest} of a database, computed synchronously over every block, key image and output: minutes on a long chain.
 *
 * @returns 64 hex characters
 * @throws MissingRow
 */
export function rulesDigest(reader: ChainReader): string {
  return reader.snapshot(() => {
    const steps = rulesDigestSteps(reader);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  });
}

/** Like {@link rulesDigest} in steps of some milliseconds. The caller holds one snapshot of the database throughout. */
export function* rulesDigestSteps(reader: ChainReader): Generator<void, string> {
  const digest = new RulesDigest();
  const end = reader.height() + 1;
  for (let start = 0; start < end; start += ROWS, yield) {
    for (const facts of reader.factsRange(start, start + ROWS)) {
      digest.block(facts, [
        ...halves(facts.difficulty),
        ...halves(facts.cumulativeDifficulty),
        ...halves(facts.generatedCoins),
      ]);
    }
  }
  for (let start = 0; start < end; start += ROWS, yield) {
    for (const { image, height } of reader.keyImagesBetween(start, Math.min(start + ROWS, end))) {
      digest.keyImage(image, height);
    }
  }
  for (const amount of reader.amounts()) {
    const count = reader.outputCount(amount);
    digest.amount(amount);
    for (let start = 0; start < count; start += ROWS, yield) {
      for (const { key, height, unlockTime } of reader.outputsBetween(amount, start, Math.min(start + ROWS, count))) {
        digest.output(key, height, ...halves(unlockTime));
      }
    }
    digest.endAmount(count);
  }
  return digest.finish();
}

function halves(value: bigint): [low: number, high: number] {
  return [Number(value & 0xffff_ffffn), Number(value >> 32n)];
}
