import type { BlockFacts } from '@wrkz/consensus';
import { toSigned, toUnsigned } from './integers';

/** The columns behind {@link BlockFacts}, in the order of {@link FactsRow}; `blocks` and `alternatives` both have them. */
export const FACTS_COLUMNS =
  'height, hash, major_version, minor_version, timestamp, size, difficulty, cumulative_difficulty, generated_coins, generated_transactions';

/** A row of {@link FACTS_COLUMNS} read with safe integers. */
export type FactsRow = readonly [
  height: bigint,
  hash: Buffer,
  majorVersion: bigint,
  minorVersion: bigint,
  timestamp: bigint,
  size: bigint,
  difficulty: bigint,
  cumulativeDifficulty: bigint,
  generatedCoins: bigint,
  generatedTransactions: bigint,
];

export function factsOf(row: FactsRow): BlockFacts {
  return {
    height: Number(row[0]),
    hash: row[1],
    majorVersion: Number(row[2]),
    minorVersion: Number(row[3]),
    timestamp: Number(row[4]),
    size: Number(row[5]),
    difficulty: toUnsigned(row[6]),
    cumulativeDifficulty: toUnsigned(row[7]),
    generatedCoins: toUnsigned(row[8]),
    generatedTransactions: Number(row[9]),
  };
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
