import type { BlockFacts } from '@wrkz/consensus';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase } from '../errors';
import { unpackIndexes } from '../integers';
import { FACTS_HALVES, factsOf, type FactsRow } from '../rows/facts';

/** A block of the first schema; rows[0] is the coinbase, which has no body of its own. */
export interface FirstBlock {
  readonly facts: BlockFacts;
  readonly timestampLag: number;
  readonly firstId: number;
  readonly body: Buffer;
  readonly rows: readonly { readonly globalIndexes: readonly number[]; readonly body: Buffer | undefined }[];
}

type TransactionRow = readonly [id: number, indexes: Buffer, body: Buffer | null];

/** The tables of the first schema while they are put aside, each under its name with `first_` before it. */
export class FirstSchema {
  static readonly tables = [
    'meta',
    'blocks',
    'block_bodies',
    'transactions',
    'transaction_bodies',
    'amounts',
    'outputs',
    'alternatives',
  ] as const;

  private readonly facts: SqliteStatement<[number], readonly [...FactsRow, lag: number, body: Buffer]>;
  private readonly transactions: SqliteStatement<[number, number], TransactionRow>;

  constructor(private readonly connection: SqliteConnection) {
    this.facts = connection
      .prepare<[number], readonly [...FactsRow, lag: number, body: Buffer]>(
        `SELECT ${FACTS_HALVES}, timestamp_lag, body FROM first_blocks JOIN first_block_bodies USING (height) WHERE height = ?`,
      )
      .raw(true);
    this.transactions = connection
      .prepare<[number, number], TransactionRow>(
        `SELECT t.id, t.global_indexes, b.body FROM first_transactions t LEFT JOIN first_transaction_bodies b USING (id)
         WHERE t.id >= ? AND t.id < ? ORDER BY t.id`,
      )
      .raw(true);
  }

  /** Blocks of the main chain. */
  count(): number {
    return this.connection.prepare<[], [number]>('SELECT count(*) FROM first_blocks').raw(true).get()?.[0] ?? 0;
  }

  /** @throws CorruptDatabase when not everything of the block is there */
  block(height: number): FirstBlock {
    const row = this.facts.get(height);
    if (row === undefined) throw new CorruptDatabase(`block ${height} is missing`);
    const facts = factsOf(row as unknown as FactsRow);
    const firstId = height === 0 ? 0 : this.generated(height - 1);
    const rows = this.transactions.all(firstId, facts.generatedTransactions).map(([id, packed, body], i) => {
      const globalIndexes = unpackIndexes(packed);
      const whole = id === firstId + i && (i === 0) === (body === null);
      if (globalIndexes === undefined || !whole) throw new CorruptDatabase(`transaction ${id} is not whole`);
      return { globalIndexes, body: body ?? undefined };
    });
    if (firstId + rows.length !== facts.generatedTransactions) {
      throw new CorruptDatabase(`a transaction of block ${height} is missing`);
    }
    return { facts, timestampLag: row[13], firstId, body: row[14], rows };
  }

  alternatives(take: (facts: BlockFacts, parent: Buffer, body: Buffer) => void): void {
    const rows = this.connection
      .prepare<[], readonly [...FactsRow, parent: Buffer, body: Buffer]>(
        `SELECT ${FACTS_HALVES}, parent, body FROM first_alternatives ORDER BY id`,
      )
      .raw(true);
    for (const row of rows.all()) take(factsOf(row as unknown as FactsRow), row[13], row[14]);
  }

  private generated(height: number): number {
    return factsOf(this.facts.get(height) as unknown as FactsRow).generatedTransactions;
  }
}
