import type { ChainReader } from '../reader/reader';
import { DigestWriter } from './digest-writer';

/** Rows that are read at a time. */
const ROWS = 500;

/**
 * The digest of what the rules read, which a full, a pruned and a lite node have alike
 * (docs/protocol/storage.md#rules-digest): equal for two databases exactly when they judge the next block alike.
 *
 * It reads every block, image and output: minutes on a long chain. {@link rulesDigestSteps} gives others a turn.
 *
 * @returns 64 hex characters
 * @throws DamagedRow
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

/** The same in steps of some milliseconds. The caller holds the snapshot meanwhile. */
export function* rulesDigestSteps(reader: ChainReader): Generator<void, string> {
  const digest = new DigestWriter();
  digest.bytes(Buffer.from('chain rules 1', 'latin1'));
  yield* addBlocks(reader, digest);
  yield* addKeyImages(reader, digest);
  yield* addOutputs(reader, digest);
  return digest.finish();
}

function* addBlocks(reader: ChainReader, digest: DigestWriter): Generator<void, void> {
  const end = reader.height() + 1;
  digest.number(end);
  for (let start = 0; start < end; start += ROWS) {
    for (const facts of reader.factsRange(start, start + ROWS)) {
      digest.bytes(facts.hash);
      digest.number(facts.timestamp);
      digest.number(facts.size);
      digest.big(facts.difficulty);
      digest.big(facts.cumulativeDifficulty);
      digest.big(facts.generatedCoins);
      digest.number(facts.generatedTransactions);
    }
    yield;
  }
}

/** Which block spent an image counts, and not in which order a block spends its own. */
function* addKeyImages(reader: ChainReader, digest: DigestWriter): Generator<void, void> {
  const end = reader.height() + 1;
  for (let start = 0; start < end; start += ROWS) {
    const images = reader.keyImagesBetween(start, Math.min(start + ROWS, end));
    images.sort((a, b) => a.height - b.height || a.image.compare(b.image));
    for (const { image, height } of images) {
      digest.number(height);
      digest.bytes(image);
    }
    yield;
  }
}

/** Amounts in ascending order, because what stands for them in the file is the file's own. */
function* addOutputs(reader: ChainReader, digest: DigestWriter): Generator<void, void> {
  for (const amount of reader.amounts()) {
    const count = reader.outputCount(amount);
    digest.big(amount);
    digest.number(count);
    for (let start = 0; start < count; start += ROWS) {
      for (const { key, height, unlockTime } of reader.outputsBetween(amount, start, Math.min(start + ROWS, count))) {
        digest.bytes(key);
        digest.number(height);
        digest.big(unlockTime);
      }
      yield;
    }
  }
}
