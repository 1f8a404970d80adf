import type { VerifiedBlock } from '@wrkz/consensus';
import { encodeRawBlock } from '@wrkz/core-types';
import { SqliteConnection } from '@wrkz/sqlite';
import { databaseFile } from '../../src';
import { packIndexes, toSigned } from '../../src/integers';
import { FIRST_SCHEMA } from '../../src/migrations/0001-initial';
import { factsValues } from '../../src/rows/facts';
import { APPLICATION_ID } from '../../src/schema';

/** A database as the programs of the first schema made it, devnet's, with a main chain and blocks beside it. */
export function makeFirstDatabase(
  directory: string,
  blocks: readonly VerifiedBlock[],
  alternatives: readonly VerifiedBlock[] = [],
): void {
  const connection = new SqliteConnection(databaseFile(directory));
  connection.pragma('page_size = 8192');
  connection.pragma('journal_mode = WAL');
  connection.transaction(() => {
    connection.pragma(`application_id = ${APPLICATION_ID}`);
    connection.exec(FIRST_SCHEMA);
    connection.pragma('user_version = 1');
    connection.prepare("INSERT INTO meta (key, value) VALUES ('network', ?), ('body_floor', '0')").run('devnet');
    fill(connection, blocks);
    for (const { facts, block, transactions } of alternatives) {
      const body = encodeRawBlock({ block: block.bytes, transactions: transactions.map(({ bytes }) => bytes) });
      const values = factsValues(facts);
      connection
        .prepare(
          `INSERT INTO alternatives (height, hash, major_version, minor_version, timestamp, size, difficulty,
           cumulative_difficulty, generated_coins, generated_transactions, parent, body)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(...values, block.block.previousHash, body);
    }
  })();
  connection.close();
}

function fill(connection: SqliteConnection, blocks: readonly VerifiedBlock[]): void {
  const amounts = new Map<bigint, { id: number; count: number }>();
  let id = 0;
  let latest = 0;
  for (const { block, transactions, facts } of blocks) {
    latest = Math.max(latest, facts.timestamp);
    const [height, hash, major, minor, timestamp, ...rest] = factsValues(facts);
    connection
      .prepare('INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .run(height, hash, major, minor, timestamp, latest - facts.timestamp, ...rest);
    connection.prepare('INSERT INTO block_bodies VALUES (?, ?)').run(facts.height, block.bytes);
    for (const parsed of [block.coinbase, ...transactions]) {
      const { inputs, outputs, unlockTime } = parsed.transaction;
      const indexes = outputs.map(({ amount, key }, position) => {
        let known = amounts.get(amount);
        if (known === undefined) {
          const { lastInsertRowid } = connection
            .prepare('INSERT INTO amounts (amount) VALUES (?)')
            .run(toSigned(amount));
          amounts.set(amount, (known = { id: Number(lastInsertRowid), count: 0 }));
        }
        connection.prepare('INSERT INTO outputs VALUES (?, ?, ?, ?, ?)').run(known.id, known.count, key, id, position);
        return known.count++;
      });
      connection
        .prepare('INSERT INTO transactions VALUES (?, ?, ?, ?, ?)')
        .run(id, parsed.hash, facts.height, toSigned(unlockTime), packIndexes(indexes));
      for (const input of inputs) {
        if (input.type !== 'key') continue;
        connection.prepare('INSERT INTO key_images VALUES (?, ?)').run(input.keyImage, facts.height);
      }
      if (parsed !== block.coinbase) {
        connection.prepare('INSERT INTO transaction_bodies VALUES (?, ?)').run(id, parsed.bytes);
      }
      id++;
    }
  }
}
