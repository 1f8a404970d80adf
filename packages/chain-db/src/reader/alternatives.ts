import type { BlockFacts } from '@wrkz/consensus';
import { decodeRawBlock, type RawBlock } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { decodeBlob } from '../codec';
import { FACTS_HALVES, factsOf, type FactsRow } from '../block-row';

/** A block off the main chain: what is remembered of it and the id of the block it stands on. */
export interface AltInfo {
  readonly facts: BlockFacts;
  readonly parent: Buffer;
}

export interface AlternativeBlock extends AltInfo {
  readonly raw: RawBlock;
}

type AlternativeRow = readonly [...FactsRow, parent: Buffer];

/** Queries of the blocks off the main chain. */
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

  /** With its bytes. */
  block(hash: Buffer): AlternativeBlock | undefined {
    const info = this.info(hash);
    const row = this.body.get(hash);
    if (info === undefined || row === undefined) return undefined;
    const [codec, body] = row;
    return { ...info, raw: decodeRawBlock(decodeBlob(codec, body, 'alternatives', hash.toString('hex'))) };
  }
}

function infoOf(row: AlternativeRow): AltInfo {
  return { facts: factsOf(row as unknown as FactsRow), parent: row[13] };
}
