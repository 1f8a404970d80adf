import type { BlockFacts } from '@wrkz/consensus';
import { decodeRawBlock, type RawBlock } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { decodeBlob } from '../codec';
import { DamagedRow } from '../errors';
import { alternativeBodyChecksum, alternativeRowChecksum } from '../rows/checksums';
import { FACTS_HALVES, factsOf, type FactsRow } from '../rows/facts';

/** A block off the main chain: what is remembered of it and the id of the block it stands on. */
export interface AltInfo {
  readonly facts: BlockFacts;
  readonly parent: Buffer;
}

export interface AlternativeBlock extends AltInfo {
  readonly raw: RawBlock;
}

type AlternativeRow = readonly [...FactsRow, parent: Buffer, checksum: number];
type BodyRow = readonly [codec: number, body: Buffer, checksum: number];

/** Questions about the blocks kept off the main chain. Every row that is given was compared with its checksum. */
export class AlternativeQueries {
  private readonly rows: SqliteStatement<[], AlternativeRow>;
  private readonly byHash: SqliteStatement<[Buffer], AlternativeRow>;
  private readonly body: SqliteStatement<[Buffer], BodyRow>;
  private readonly whole: SqliteStatement<[], readonly [id: number, ...BodyRow, ...AlternativeRow]>;
  private readonly total: SqliteStatement<[], [number]>;

  constructor(connection: SqliteConnection) {
    const select = `SELECT ${FACTS_HALVES}, parent, checksum FROM alternatives`;
    this.rows = connection.prepare<[], AlternativeRow>(`${select} ORDER BY height, id`).raw(true);
    this.byHash = connection.prepare<[Buffer], AlternativeRow>(`${select} WHERE hash = ?`).raw(true);
    this.body = connection
      .prepare<[Buffer], BodyRow>('SELECT codec, body, body_checksum FROM alternatives WHERE hash = ?')
      .raw(true);
    this.whole = connection
      .prepare<[], readonly [id: number, ...BodyRow, ...AlternativeRow]>(
        `SELECT id, codec, body, body_checksum, ${FACTS_HALVES}, parent, checksum FROM alternatives`,
      )
      .raw(true);
    this.total = connection.prepare<[], [number]>('SELECT count(*) FROM alternatives').raw(true);
  }

  /** Row ids of those whose facts or bytes are damaged. */
  damaged(): number[] {
    return this.whole
      .all()
      .filter(([, codec, body, bodySum, ...row]) => {
        const { parent, checksum, facts } = partsOf(row);
        const sound = alternativeRowChecksum(facts, parent) === checksum;
        return !sound || alternativeBodyChecksum(facts[1], codec, body) !== bodySum;
      })
      .map(([id]) => id);
  }

  /** Lowest first. @throws DamagedRow */
  all(): AltInfo[] {
    return this.rows.all().map(infoOf);
  }

  /** @throws DamagedRow */
  info(hash: Buffer): AltInfo | undefined {
    const row = this.byHash.get(hash);
    return row === undefined ? undefined : infoOf(row);
  }

  count(): number {
    return this.total.get()?.[0] ?? 0;
  }

  /** With its bytes. @throws DamagedRow */
  block(hash: Buffer): AlternativeBlock | undefined {
    const info = this.info(hash);
    const row = this.body.get(hash);
    if (info === undefined || row === undefined) return undefined;
    const [codec, body, checksum] = row;
    const name = hash.toString('hex');
    if (alternativeBodyChecksum(hash, codec, body) !== checksum) throw new DamagedRow('alternatives', name);
    return { ...info, raw: decodeRawBlock(decodeBlob(codec, body, 'alternatives', name)) };
  }
}

function infoOf(row: AlternativeRow): AltInfo {
  const { parent, checksum, facts } = partsOf(row);
  if (alternativeRowChecksum(facts, parent) !== checksum)
    throw new DamagedRow('alternatives', Buffer.isBuffer(facts[1]) ? facts[1].toString('hex') : 'without an id');
  return { facts: factsOf(facts), parent };
}

function partsOf(row: AlternativeRow): { facts: FactsRow; parent: Buffer; checksum: number } {
  const [parent, checksum] = row.slice(-2) as [Buffer, number];
  return { facts: row as unknown as FactsRow, parent, checksum };
}
