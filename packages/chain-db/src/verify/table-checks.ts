import { blockFacts, type BlockFacts } from '@wrkz/consensus';
import type { ChainReader } from '../reader/reader';
import type { Problems } from './problems';
import type { StoredRows } from './stored-rows';
import type { TransactionCheck } from './transaction-check';
import { ChainDbError } from '../errors';
import { DecodeError, parseBlock, parseTransaction, type RawBlock } from '@wrkz/core-types';
import { HASH_KINDS, HASH_KIND_NAMES, type HashKind } from '../hash-index/schema';
import { HashLookup, filterKey, pageKey, type RunDirectory } from '../hash-index/lookup';
import { MIGRATIONS } from '../schema';
import { SqliteConnection, createIdentityTable } from '@wrkz/sqlite';
import { fingerprintAt, mayContain } from '../hash-index/page';
import { type MetaKey, parseLiteMark, readMeta } from '../modes/floors';

type SchemaRow = readonly [name: string, type: string, table: string, sql: string];

/** Compares the tables and indexes of a file with the schema of this program. */
export function checkSchema(connection: SqliteConnection, problems: Problems): void {
  const fresh = new SqliteConnection(':memory:');
  try {
    createIdentityTable(fresh);
    for (const migration of MIGRATIONS) migration(fresh);
    const wanted = schemaOf(fresh);
    const found = schemaOf(connection);
    for (const [name, text] of wanted) problems.equal('schema', name, found.get(name), text);
    for (const [name, text] of found) {
      if (!wanted.has(name)) problems.add('schema', `${name} is not part of it: ${text}`);
    }
  } finally {
    fresh.close();
  }
}

/** Definitions by name, each on one line; the index of a key has no text. */
function schemaOf(connection: SqliteConnection): Map<string, string> {
  const rows = connection
    .prepare<[], SchemaRow>("SELECT name, type, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY name")
    .raw(true)
    .all();
  return new Map(rows.map(([name, type, table, sql]) => [name, `${type} of ${table}: ${sql.replace(/\s+/g, ' ')}`]));
}

/** Checks every row of `meta`. */
export function checkMeta(connection: SqliteConnection, network: string, tip: number, problems: Problems): void {
  let lite: number | undefined;
  const allowed: Record<MetaKey, (value: string) => boolean> = {
    lite_node_profile: (value) => (lite = parseLiteMark(value)) !== undefined,
    network: (value) => value === network,
    body_floor: (value) =>
      /^\d+$/.test(value) && (lite === undefined ? Number(value) <= tip + 1 : Number(value) === lite),
  };
  const keys = connection.prepare<[], [string]>('SELECT key FROM meta ORDER BY key').raw(true).all();
  const unknown = new Set(keys.map(([key]) => key));
  for (const [key, allows] of Object.entries(allowed) as [MetaKey, (value: string) => boolean][]) {
    unknown.delete(key);
    const where = `meta ${key}`;
    const value = readMeta(connection, key);
    // Only a lite node has the mark.
    if (value === undefined && key !== 'lite_node_profile') problems.add(where, 'is missing');
    if (value !== undefined && !allows(value)) problems.add(where, `is invalid: ${JSON.stringify(value)}`);
  }
  for (const key of unknown) problems.add(`meta ${key}`, 'is not part of the schema');
}

/** Pages per step, some milliseconds of work. */
const PAGES = 50;

/**
 * Checks every page of the LSM index: order, filters, and that the number of entries is the number of rows. Other checks look up
 * each row; with the equal number this proves that there are no other entries.
 */
export function* checkHashIndex(
  connection: SqliteConnection,
  directory: RunDirectory,
  expected: Readonly<Record<HashKind, number>>,
  problems: Problems,
): Generator<void, void> {
  const lookup = new HashLookup(connection);
  const counted = new Map<HashKind, number>();
  const filters = new Set<number>();
  let pages = 0;
  for (const run of directory.runs) {
    for (let first = run.floor; first < run.ceiling; first += run.width) {
      if (++pages % PAGES === 0) yield;
      const key = pageKey(run, first);
      const where = `page ${key} of the look-up of ${HASH_KIND_NAMES[run.kind]}`;
      const entries = lookup.entriesOf(key);
      const fingerprints = Array.from({ length: entries.length / 2 }, (_, i) => fingerprintAt(entries, i));
      counted.set(run.kind, (counted.get(run.kind) ?? 0) + fingerprints.length);
      const ordered = fingerprints.every((one, i) => one >= (fingerprints[i - 1] ?? 0) && pageKey(run, one) === key);
      if (!ordered) problems.add(where, 'is out of order');
      const filter = directory.filters.get(filterKey(key));
      filters.add(filterKey(key));
      if (filter === undefined || !fingerprints.every((one) => mayContain(filter, one))) {
        problems.add(where, 'has entries that are missing in its filter');
      }
    }
  }
  for (const [table, rows] of [
    ['hash_pages', pages],
    ['hash_filters', filters.size],
  ] as const) {
    const stored = connection.prepare<[], [number]>(`SELECT count(*) FROM ${table}`).raw(true).get()?.[0];
    problems.equal(table, 'number of rows', stored, rows);
  }
  for (const kind of Object.values(HASH_KINDS)) {
    problems.equal(`look-up of ${HASH_KIND_NAMES[kind]}`, 'number of entries', counted.get(kind) ?? 0, expected[kind]);
  }
}

const FACT_NAMES = {
  majorVersion: 'major version',
  minorVersion: 'minor version',
  timestamp: 'timestamp',
  size: 'size',
  height: 'height',
  cumulativeDifficulty: 'cumulative difficulty',
  generatedCoins: 'generated coins',
  generatedTransactions: 'generated transactions',
} as const satisfies Partial<Record<keyof BlockFacts, string>>;

/** Compares the row of every alternative block with its bytes and with its parent. */
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
      const parsed = parseBlock(raw.block);
      const transactions = raw.transactions.map((bytes) => parseTransaction(bytes));
      problems.equal(where, 'parent', parent, parsed.block.previousHash);
      const below = factsOnAnyBranch(reader, parsed.block.previousHash);
      if (below === undefined) {
        problems.add(where, 'has no known parent');
        continue;
      }
      const computed = blockFacts(parsed, transactions, below, facts.difficulty);
      for (const [key, name] of Object.entries(FACT_NAMES) as [keyof BlockFacts, string][]) {
        problems.equal(where, name, facts[key], computed[key]);
      }
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

/** Blocks and outputs per read, some milliseconds of work. */
const BATCH = 500;

/**
 * The outputs and key images of a lite node below its height. No transaction is stored for them, so only their order, their
 * heights and the lookup can be checked. Those from the height on are compared with their transactions.
 *
 * @param check receives the numbers of outputs and key images below the height
 */
export function* checkLowerTables(
  reader: ChainReader,
  rows: StoredRows,
  problems: Problems,
  { lite, tip }: { readonly lite: number; readonly tip: number },
  check: TransactionCheck,
): Generator<void, void> {
  for (const amount of reader.amounts()) {
    const count = reader.outputCount(amount, lite - 1);
    if (count > 0) check.outputs.set(amount, count);
    let highest = 0;
    for (let start = 0; start < count; start += BATCH, yield) {
      for (const { height } of reader.outputsBetween(amount, start, Math.min(start + BATCH, count))) {
        if (height < highest || height > tip) problems.add(`outputs of ${amount}`, `block ${height} after ${highest}`);
        highest = Math.max(highest, height);
      }
    }
  }
  const end = Math.min(lite, tip + 1);
  for (let start = 0; start < end; start += BATCH, yield) {
    for (const { image, height } of reader.keyImagesBetween(start, Math.min(start + BATCH, end))) {
      check.keyImages++;
      problems.equal(`key image ${image.toString('hex')}`, 'height', rows.spentHeight(image), height);
    }
  }
}
