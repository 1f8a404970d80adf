import type { BlockFacts } from '@wrkz/consensus';
import { parseBlock, parseTransaction } from '@wrkz/core-types';
import { ChainDbError } from '../errors';
import type { ChainReader } from '../reader/reader';
import type { Problems } from './problems';

/** Compares every block kept off the main chain with its bytes and with the block that it stands on. */
export function checkAlternatives(reader: ChainReader, problems: Problems): void {
  for (const { facts, parent } of reader.alternatives()) {
    const where = `alternative block ${facts.hash.toString('hex')}`;
    try {
      const raw = reader.alternative(facts.hash)?.raw;
      if (raw === undefined) continue;
      const { block, coinbase } = parseBlock(raw.block);
      const transactions = raw.transactions.map((bytes) => parseTransaction(bytes));
      problems.equal(where, 'parent', parent, block.previousHash);
      problems.equal(where, 'major version', facts.majorVersion, block.majorVersion);
      problems.equal(where, 'minor version', facts.minorVersion, block.minorVersion);
      problems.equal(where, 'timestamp', facts.timestamp, Number(block.timestamp));
      problems.equal(
        where,
        'size',
        facts.size,
        transactions.reduce((sum, { size }) => sum + size, coinbase.size),
      );
      const below = factsOnAnyBranch(reader, block.previousHash);
      if (below === undefined) {
        problems.add(where, 'stands on no known block');
        continue;
      }
      const created = block.coinbase.outputs.reduce((sum, { amount }) => sum + amount, 0n);
      const fees = transactions.reduce((sum, { fee }) => sum + (fee ?? 0n), 0n);
      const count = below.generatedTransactions + 1 + transactions.length;
      problems.equal(where, 'height', facts.height, below.height + 1);
      problems.equal(
        where,
        'cumulative difficulty',
        facts.cumulativeDifficulty,
        below.cumulativeDifficulty + facts.difficulty,
      );
      problems.equal(where, 'generated coins', facts.generatedCoins, below.generatedCoins + created - fees);
      problems.equal(where, 'generated transactions', facts.generatedTransactions, count);
    } catch (error) {
      if (!(error instanceof ChainDbError)) throw error;
      problems.add(where, error.message);
    }
  }
}

function factsOnAnyBranch(reader: ChainReader, hash: Buffer): BlockFacts | undefined {
  const height = reader.heightOf(hash);
  return height === undefined ? reader.alternativeInfo(hash)?.facts : reader.facts(height);
}
