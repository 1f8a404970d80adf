import type { BlockFacts } from '@wrkz/consensus';
import { addBigInt, addBytes, addNumber, mix, type Checksum } from '../checksum';
import { toSigned } from '../integers';

/** The columns behind {@link BlockFacts}, as they are written; `blocks` and `alternatives` both have them. */
export const FACTS_COLUMNS =
  'height, hash, major_version, minor_version, timestamp, size, difficulty, cumulative_difficulty, generated_coins, generated_transactions';

/** The same as they are read: what may pass 53 bits comes as its lower and upper 32, since a bigint a column costs more. */
export const FACTS_HALVES =
  'height, hash, major_version, minor_version, timestamp, size, ' +
  ['difficulty', 'cumulative_difficulty', 'generated_coins']
    .map((name) => `${name} & 4294967295, (${name} >> 32) & 4294967295`)
    .join(', ') +
  ', generated_transactions';

/** A row of {@link FACTS_HALVES}. */
export type FactsRow = readonly [
  height: number,
  hash: Buffer,
  majorVersion: number,
  minorVersion: number,
  timestamp: number,
  size: number,
  difficultyLow: number,
  difficultyHigh: number,
  cumulativeDifficultyLow: number,
  cumulativeDifficultyHigh: number,
  generatedCoinsLow: number,
  generatedCoinsHigh: number,
  generatedTransactions: number,
];

export function factsOf(row: FactsRow): BlockFacts {
  return {
    height: row[0],
    hash: row[1],
    majorVersion: row[2],
    minorVersion: row[3],
    timestamp: row[4],
    size: row[5],
    difficulty: joined(row[6], row[7]),
    cumulativeDifficulty: joined(row[8], row[9]),
    generatedCoins: joined(row[10], row[11]),
    generatedTransactions: row[12],
  };
}

/** The unsigned 64 bits of which these are the lower and upper halves. */
export function joined(low: number, high: number): bigint {
  return high === 0 ? BigInt(low) : (BigInt(high) << 32n) | BigInt(low);
}

/** The values of {@link FACTS_COLUMNS}, ready to bind. */
export function factsValues(facts: BlockFacts): readonly (number | bigint | Buffer)[] {
  return [
    facts.height,
    facts.hash,
    facts.majorVersion,
    facts.minorVersion,
    facts.timestamp,
    facts.size,
    toSigned(facts.difficulty),
    toSigned(facts.cumulativeDifficulty),
    toSigned(facts.generatedCoins),
    facts.generatedTransactions,
  ];
}

/** Adds facts that are to be written. */
export function addFacts(start: Checksum, facts: BlockFacts): Checksum {
  let h = addBytes(addNumber(start, facts.height), facts.hash);
  h = addNumber(addNumber(h, facts.majorVersion), facts.minorVersion);
  h = addNumber(addNumber(h, facts.timestamp), facts.size);
  h = addBigInt(addBigInt(h, facts.difficulty), facts.cumulativeDifficulty);
  return addNumber(addBigInt(h, facts.generatedCoins), facts.generatedTransactions);
}

/** Adds facts as they were read: the same result without making bigints. */
export function addFactsRow(start: Checksum, row: FactsRow): Checksum {
  let h = addBytes(addNumber(start, row[0]), row[1]);
  h = addNumber(addNumber(h, row[2]), row[3]);
  h = addNumber(addNumber(h, row[4]), row[5]);
  h = mix(mix(mix(mix(h, row[6]), row[7]), row[8]), row[9]);
  return addNumber(mix(mix(h, row[10]), row[11]), row[12]);
}
