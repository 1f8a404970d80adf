import type { BlockFacts } from '@wrkz/consensus';

/** Columns of {@link BlockFacts} in `blocks` and `alternatives`. */
export const FACTS_COLUMNS =
  'height, hash, major_version, minor_version, timestamp, size, difficulty, cumulative_difficulty, generated_coins, generated_transactions';

/** The same for reading: 64-bit columns are read as two 32-bit halves, which is faster than bigints. */
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

/** Joins the lower and upper halves of an unsigned 64-bit value. */
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
    BigInt.asIntN(64, facts.difficulty),
    BigInt.asIntN(64, facts.cumulativeDifficulty),
    BigInt.asIntN(64, facts.generatedCoins),
    facts.generatedTransactions,
  ];
}

/** The part of a block's row that a scan reads. `generatedTransactions` counts all transactions up to the block. */
export interface BlockStamp {
  readonly height: number;
  readonly hash: Buffer;
  readonly timestamp: number;
  readonly timestampLag: number;
  readonly generatedTransactions: number;
}

/** The digest of the data that the consensus rules read, up to and including the block at `height`. */
export interface RulesDigest {
  readonly height: number;
  /** 32 bytes. */
  readonly digest: Buffer;
}
