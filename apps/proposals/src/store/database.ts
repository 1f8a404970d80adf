import { join } from 'node:path';
import { stringifyJson } from '@wrkz/service-kit';
import {
  type DatabaseOptions,
  FileMissing,
  openDatabase,
  SqliteConnection,
  type SqliteDatabase,
  WrongSchemaVersion,
} from '@wrkz/sqlite';
import { addSamples } from '../demo';
import { type DatabaseKind, FUNDING_FILE, InvalidDatabase, PROPOSALS_FILE, withFileName } from './failures';
import { FundingStore } from './funding';
import { fromRow, type ProposalRow } from './proposal';
import { ProposalReader } from './proposals';
import { FUNDING_ID, FUNDING_MIGRATIONS, PROPOSALS_ID, PROPOSALS_MIGRATIONS } from './schema';

/** The folder of the databases of a network. */
export interface DatabaseFolder {
  readonly directory: string;
  readonly network: string;
}

/**
 * Opens the proposals. Mode `write` creates a missing file and migrates an older one.
 * @throws SqliteFileError, InvalidDatabase
 */
export function openProposals({ directory, network }: DatabaseFolder, mode: 'read' | 'write'): SqliteDatabase {
  const file = join(directory, 'proposals.sqlite');
  return open(PROPOSALS_FILE, {
    file,
    applicationId: PROPOSALS_ID,
    migrations: PROPOSALS_MIGRATIONS,
    mode,
    onCreate: (connection) => void connection.prepare('INSERT INTO network VALUES (?)').run(network),
    identify: (connection) => {
      const found = connection.prepare<[], string>('SELECT name FROM network').pluck().get();
      if (found !== network)
        throw new InvalidDatabase(`${file} is the proposal database of ${String(found)}, not of ${network}`);
    },
  });
}

/** Opens the donations for writing. @throws SqliteFileError, InvalidDatabase */
export function openFunding({ directory }: DatabaseFolder): SqliteDatabase {
  const file = join(directory, 'funding.sqlite');
  return open(FUNDING_FILE, { file, applicationId: FUNDING_ID, migrations: FUNDING_MIGRATIONS, mode: 'write' });
}

function open(kind: DatabaseKind, options: Omit<DatabaseOptions, 'title'>): SqliteDatabase {
  return withFileName(kind, options.file, () => openDatabase({ ...options, title: kind.title }));
}

/** The open databases of the service. */
export interface Stores {
  readonly reader: ProposalReader;
  readonly funding: FundingStore;
  /** @throws FileVanished if a file was moved or deleted, SqliteError if it cannot be read */
  check(): void;
  close(): void;
}

/**
 * Opens both databases and checks their consistency. The demo uses an in-memory database with samples.
 * @param now Unix milliseconds
 * @throws SqliteFileError, InvalidDatabase
 */
export function openStores(folder: DatabaseFolder, isDemo: boolean, now: () => number): Stores {
  if (isDemo) return demoStores(now);
  const opened: SqliteDatabase[] = [];
  const close = (): void => opened.forEach((database) => database.close());
  try {
    const proposals = openForReading(folder);
    opened.push(proposals);
    // In one transaction, so that no command changes a proposal between reading its row and reading its audit entries.
    const { connection } = proposals;
    withFileName(PROPOSALS_FILE, connection.name, () => connection.transaction(() => assertAuditMatches(connection))());
    const funding = openFunding(folder);
    opened.push(funding);
    withFileName(FUNDING_FILE, funding.connection.name, () => assertSumsMatch(funding.connection));
    const reader = new ProposalReader(proposals.connection);
    return {
      reader,
      funding: new FundingStore(funding.connection, () => funding.committed()),
      check: () => {
        for (const database of opened) database.checkInPlace();
        reader.counts();
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Opens the proposals read-only, after creating or migrating the file if needed. */
function openForReading(folder: DatabaseFolder): SqliteDatabase {
  try {
    return openProposals(folder, 'read');
  } catch (error) {
    const isOlder = error instanceof WrongSchemaVersion && error.found < error.wanted;
    if (!isOlder && !(error instanceof FileMissing)) throw error;
    openProposals(folder, 'write').close();
    return openProposals(folder, 'read');
  }
}

function demoStores(now: () => number): Stores {
  const connection = new SqliteConnection(':memory:');
  for (const migration of [...PROPOSALS_MIGRATIONS, ...FUNDING_MIGRATIONS]) migration(connection);
  connection.pragma('foreign_keys = 1');
  const funding = addSamples(connection, Math.floor(now() / 1000));
  return {
    reader: new ProposalReader(connection),
    funding,
    check: () => undefined,
    close: () => void connection.close(),
  };
}

/** Compares each proposal with its last audit entry. @throws InvalidDatabase */
function assertAuditMatches(connection: SqliteConnection): void {
  const rows = connection.prepare<[], ProposalRow>('SELECT * FROM proposals').safeIntegers().all();
  const lastEntry = connection
    .prepare<[number], string>('SELECT after FROM audit WHERE proposal = ? ORDER BY id DESC LIMIT 1')
    .pluck();
  const wrong = rows.map(fromRow).find((proposal) => lastEntry.get(proposal.id) !== stringifyJson(proposal));
  if (wrong === undefined) return;
  throw new InvalidDatabase(
    `proposal ${wrong.id} in ${connection.name} differs from its last audit entry: the file is damaged, or another ` +
      `program has changed it. ${PROPOSALS_FILE.remedy(connection.name)}`,
  );
}

/** Compares each sum with its donations. @throws InvalidDatabase */
function assertSumsMatch(connection: SqliteConnection): void {
  const wrong = connection
    .prepare<[], string>(
      `SELECT funding.address FROM funding LEFT JOIN contributions USING (address) GROUP BY funding.address
       HAVING received <> coalesce(sum(iif(unlocked = 1, amount, 0)), 0) OR pending <> coalesce(sum(iif(unlocked = 0, amount, 0)), 0)
       OR min(received, pending, checked, funding.height) < 0
       UNION SELECT address FROM contributions WHERE address NOT IN (SELECT address FROM funding)`,
    )
    .pluck()
    .get();
  if (wrong === undefined) return;
  throw new InvalidDatabase(
    `the sums of ${wrong} in ${connection.name} differ from its donations: the file is damaged. ` +
      FUNDING_FILE.remedy(connection.name),
  );
}
