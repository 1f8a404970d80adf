import type { BlockFacts } from '@wrkz/consensus';
import { DecodeError, parseBlock, parseTransaction, type RawBlock } from '@wrkz/core-types';
import { ChainDbError } from '../errors';
import type { ChainReader } from '../reader/reader';
import type { Problems } from './problems';
import type { StoredRows } from './stored-rows';

/** Compares the row of every block off the main chain with its bytes and with its parent. */
export function checkAlternatives(reader: ChainReader, rows: StoredRows, problems: Problems): void {
  for (const hash of rows.alternativeHashes()) {
    const where = `alternative block ${hash.toString('hex')}`;
    try {
      const stored = reader.alternative(hash);
      if (stored === undefined) {
        problems.add(where, 'is not found by its id');
        continue;
      }
      const { facts, parent, raw } = stored;
      checkBytes(where, hash, raw, problems);
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
        problems.add(where, 'has no known parent');
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
      if (!(error instanceof ChainDbError || error instanceof DecodeError)) throw error;
      problems.add(where, error.message);
    }
  }
}

function checkBytes(where: string, hash: Buffer, raw: RawBlock, problems: Problems): void {
  const parsed = parseBlock(raw.block);
  problems.equal(where, 'id', hash, parsed.hash);
  const listed = parsed.block.transactionHashes.map((one) => one.toString('hex'));
  const stored = raw.transactions.map((bytes) => parseTransaction(bytes).hash.toString('hex'));
  problems.equal(where, 'list of transactions', stored.sort().join(), listed.sort().join());
}

function factsOnAnyBranch(reader: ChainReader, hash: Buffer): BlockFacts | undefined {
  const height = reader.heightOf(hash);
  return height === undefined ? reader.alternativeInfo(hash)?.facts : reader.facts(height);
}
