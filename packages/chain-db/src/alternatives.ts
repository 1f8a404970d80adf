import type { BlockFacts } from '@wrkz/consensus';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { Codec, decodeBlob } from './block-bytes';
import { FACTS_COLUMNS, FACTS_HALVES, factsOf, factsValues, type FactsRow } from './block-row';
import { DecodeError, decodeRawBlock, encodeRawBlock, type RawBlock } from '@wrkz/core-types';
import { CorruptDatabase } from './errors';

/** An alternative block: its facts and the id of its parent. */
export interface AltInfo {
  readonly facts: BlockFacts;
  readonly parent: Buffer;
}

export interface AlternativeBlock extends AltInfo {
  readonly raw: RawBlock;
}

type AlternativeRow = readonly [...FactsRow, parent: Buffer];

/** Queries of alternative blocks. */
export class AlternativeQueries {
  private readonly rows: SqliteStatement<[], AlternativeRow>;
  private readonly byHash: SqliteStatement<[Buffer], AlternativeRow>;
  private readonly body: SqliteStatement<[Buffer], readonly [codec: number, body: Buffer]>;
  private readonly total: SqliteStatement<[], [number]>;

  constructor(connection: SqliteConnection) {
    const select = `SELECT ${FACTS_HALVES}, parent FROM alternatives`;
    this.rows = connection.prepare<[], AlternativeRow>(`${select} ORDER BY height, id`).raw(true);
    this.byHash = connection.prepare<[Buffer], AlternativeRow>(`${select} WHERE hash = ?`).raw(true);
    this.body = connection
      .prepare<[Buffer], [number, Buffer]>('SELECT codec, body FROM alternatives WHERE hash = ?')
      .raw(true);
    this.total = connection.prepare<[], [number]>('SELECT count(*) FROM alternatives').raw(true);
  }

  /** All, ascending by height. */
  all(): AltInfo[] {
    return this.rows.all().map(infoOf);
  }

  info(hash: Buffer): AltInfo | undefined {
    const row = this.byHash.get(hash);
    return row === undefined ? undefined : infoOf(row);
  }

  count(): number {
    return this.total.get()?.[0] ?? 0;
  }

  /** An alternative block with its bytes. @throws CorruptDatabase */
  block(hash: Buffer): AlternativeBlock | undefined {
    const info = this.info(hash);
    const row = this.body.get(hash);
    if (info === undefined || row === undefined) return undefined;
    const [codec, body] = row;
    const name = hash.toString('hex');
    try {
      return { ...info, raw: decodeRawBlock(decodeBlob(codec, body, 'alternatives', name)) };
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw new CorruptDatabase(`alternative block ${name} cannot be decoded: ${error.message}`);
    }
  }
}

function infoOf(row: AlternativeRow): AltInfo {
  return { facts: factsOf(row as unknown as FactsRow), parent: row[13] };
}

/** Queries for the parent of an alternative block. */
interface MainAndSideBlocks {
  alternatives(): AltInfo[];
  heightOf(hash: Buffer): number | undefined;
}

/** Inserts and deletes alternative blocks. */
export class AlternativeStore {
  private readonly insert: SqliteStatement<(number | bigint | Buffer)[]>;
  private readonly remove: SqliteStatement<[Buffer]>;

  constructor(
    connection: SqliteConnection,
    private readonly chain: MainAndSideBlocks,
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

  /** Deletes blocks without a parent. */
  dropUnrooted(): void {
    const kept = new Set<string>();
    for (const { facts, parent } of this.chain.alternatives()) {
      // Ascending by height: parents are processed before their children.
      const rooted = kept.has(parent.toString('hex')) || this.chain.heightOf(parent) === facts.height - 1;
      if (rooted) kept.add(facts.hash.toString('hex'));
      else this.remove.run(facts.hash);
    }
  }
}
