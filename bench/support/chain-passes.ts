import { type ChainReader, databaseFile, openChainDb, verifyChain } from '../../packages/chain-db/src';
import { SqliteConnection } from '../../packages/sqlite/src';
import { row, since } from './figures';

const seconds = (start: number): string => `${(since(start) / 1000).toFixed(1)} s`;

/** Prints the bytes a block that each table takes. */
export function printSpace(reader: ChainReader): void {
  const blocks = reader.height() + 1;
  console.log(row('table', ['rows', 'bytes', 'bytes a block']));
  for (const { name, rows, bytes } of reader.space())
    console.log(row(name, [rows, bytes, (bytes / blocks).toFixed(1)]));
}

/** Prints how long each pass of a verification takes. Invented blocks break rules, so problems are counted, not expected away. */
export async function timeVerify(directory: string): Promise<void> {
  for (const mode of ['fast', 'full'] as const) {
    const start = performance.now();
    const { problems } = await verifyChain({ directory, network: 'devnet' }, { mode });
    console.log(row(`verify, ${mode}`, [seconds(start), `${String(problems.length)} problems`]));
    for (const problem of problems.slice(0, 3)) console.log(`  ${problem}`);
  }
}

/** Takes the payment ids out again, as the second schema had none, and prints how long an open takes that brings them back. */
export function timeMigration(directory: string): void {
  const connection = new SqliteConnection(databaseFile(directory));
  connection.exec(`DROP TABLE payment_ids;
    DELETE FROM hash_recent WHERE kind = 3;
    DELETE FROM hash_pages WHERE (id >> 40) IN (SELECT run FROM hash_runs WHERE kind = 3);
    DELETE FROM hash_filters WHERE (id >> 40) IN (SELECT run FROM hash_runs WHERE kind = 3);
    DELETE FROM hash_runs WHERE kind = 3;
    PRAGMA user_version = 2;`);
  connection.pragma('wal_checkpoint(TRUNCATE)');
  connection.close();
  const start = performance.now();
  openChainDb({ directory, network: 'devnet' }).close();
  console.log(row('migration from the second schema', [seconds(start)]));
}
