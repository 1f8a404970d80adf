import type { ChainReader } from '../reader/reader';
import { RulesDigest } from './rules-digest';

/** Rows that are read at a time. */
const ROWS = 500;

/**
 * The {@link RulesDigest} of a database. It reads every block, image and output: minutes on a long chain.
 * {@link rulesDigestSteps} gives others a turn.
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

/** The same in steps of some milliseconds. The caller holds the snapshot meanwhile. */
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
