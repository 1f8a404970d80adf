import type { BlockFacts } from '@wrkz/consensus';
import { decodeRawBlock, type RawBlock } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { checkRawBlock } from './check-raw-block';
import { FACTS_COLUMNS, factsOf, type FactsRow } from '../rows';

/** A block off the main chain: what is remembered of it and the id of the block it stands on. */
export interface AltInfo {
  readonly facts: BlockFacts;
  readonly parent: Buffer;
}

export interface AlternativeBlock extends AltInfo {
  readonly raw: RawBlock;
}

type AlternativeRow = readonly [...FactsRow, parent: Buffer];

/** Questions about the blocks kept off the main chain. */
export class AlternativeQueries {
  private readonly rows: SqliteStatement<[], AlternativeRow>;
  private readonly byHash: SqliteStatement<[Buffer], AlternativeRow>;
  private readonly body: SqliteStatement<[Buffer], [Buffer]>;
  private readonly total: SqliteStatement<[], [number]>;

  constructor(connection: SqliteConnection) {
    const select = `SELECT ${FACTS_COLUMNS}, parent FROM alternatives`;
    this.rows = connection.prepare<[], AlternativeRow>(`${select} ORDER BY height, id`).raw(true).safeIntegers(true);
    this.byHash = connection.prepare<[Buffer], AlternativeRow>(`${select} WHERE hash = ?`).raw(true).safeIntegers(true);
    this.body = connection.prepare<[Buffer], [Buffer]>('SELECT body FROM alternatives WHERE hash = ?').raw(true);
    this.total = connection.prepare<[], [number]>('SELECT count(*) FROM alternatives').raw(true);
  }

  /** Lowest first. */
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

  /** With its bytes, hashed again: they may become the main chain. @throws CorruptDatabase when they are not that block's */
  block(hash: Buffer): AlternativeBlock | undefined {
    const info = this.info(hash);
    const body = this.body.get(hash)?.[0];
    if (info === undefined || body === undefined) return undefined;
    return {
      ...info,
      raw: checkRawBlock(`alternative block ${hash.toString('hex')}`, hash, () => decodeRawBlock(body)),
    };
  }
}

function infoOf(row: AlternativeRow): AltInfo {
  const [parent] = row.slice(-1) as [Buffer];
  return { facts: factsOf(row as unknown as FactsRow), parent };
}
