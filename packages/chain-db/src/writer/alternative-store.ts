import type { BlockFacts } from '@wrkz/consensus';
import { encodeRawBlock, type RawBlock } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import type { ChainReader } from '../reader/reader';
import { Codec } from '../codec';
import { FACTS_COLUMNS, factsValues } from '../block-row';

/** The statements that keep and drop blocks off the main chain. */
export class AlternativeStore {
  private readonly insert: SqliteStatement<(number | bigint | Buffer)[]>;
  private readonly remove: SqliteStatement<[Buffer]>;

  constructor(
    connection: SqliteConnection,
    private readonly reader: ChainReader,
  ) {
    const columns = `${FACTS_COLUMNS}, parent, codec, body`;
    this.insert = connection.prepare(
      `INSERT OR IGNORE INTO alternatives (${columns}) VALUES (${columns.replace(/\w+/g, '?')})`,
    );
    this.remove = connection.prepare('DELETE FROM alternatives WHERE hash = ?');
  }

  put(facts: BlockFacts, parent: Buffer, raw: RawBlock): void {
    this.insert.run(...factsValues(facts), parent, Codec.plain, encodeRawBlock(raw));
  }

  drop(hashes: readonly Buffer[]): void {
    for (const hash of hashes) this.remove.run(hash);
  }

  /** Drops the blocks whose parent is on no branch. */
  dropUnrooted(): void {
    const kept = new Set<string>();
    for (const { facts, parent } of this.reader.alternatives()) {
      // Lowest first, so a parent among the alternatives has been judged before its children.
      const rooted = kept.has(parent.toString('hex')) || this.reader.heightOf(parent) === facts.height - 1;
      if (rooted) kept.add(facts.hash.toString('hex'));
      else this.remove.run(facts.hash);
    }
  }
}
