import { FileMissing, SqliteConnection, WrongSchemaVersion, type SqliteDatabase } from '@wrkz/sqlite';
import { fillWithSamples } from '../demo/fill';
import { openFunding, openProposals, type StorePlace } from './files';
import { FundingStore } from './funding-store';
import { ProposalReader } from './proposal-reader';
import { FUNDING_MIGRATIONS, PROPOSALS_MIGRATIONS } from './schema';
import { assertAudited, assertSumsHold } from './sound';

/** The open databases of the program that serves. */
export interface Stores {
  readonly reader: ProposalReader;
  readonly funding: FundingStore;
  /** @throws FileVanished when a file no longer stands where it was opened; SqliteError when it cannot be read */
  check(): void;
  close(): void;
}

/**
 * Opens the files of a place, or fills a memory with samples.
 * @param now Unix milliseconds
 * @throws SqliteFileError; OtherNetwork; FileContradicts
 */
export function openStores(place: StorePlace, isDemo: boolean, now: () => number): Stores {
  return isDemo ? memoryStores(now) : fileStores(place);
}

function fileStores(place: StorePlace): Stores {
  const proposals = openForReading(place);
  try {
    const funding = openFunding(place);
    try {
      return openedStores(proposals, funding);
    } catch (error) {
      funding.close();
      throw error;
    }
  } catch (error) {
    proposals.close();
    throw error;
  }
}

function openedStores(proposals: SqliteDatabase, funding: SqliteDatabase): Stores {
  // a program that writes must not come between the two parts that are compared
  proposals.connection.transaction(() => assertAudited(proposals.connection))();
  assertSumsHold(funding.connection);
  const reader = new ProposalReader(proposals.connection);
  return {
    reader,
    funding: new FundingStore(funding.connection, () => funding.committed()),
    check: () => {
      proposals.checkInPlace();
      funding.checkInPlace();
      reader.counts();
    },
    close: () => {
      proposals.close();
      funding.close();
    },
  };
}

/** Opens the proposals for reading; the file is made, or brought up to date, where that comes first. */
function openForReading(place: StorePlace): SqliteDatabase {
  try {
    return openProposals(place, 'read');
  } catch (error) {
    const isOlder = error instanceof WrongSchemaVersion && error.found < error.wanted;
    if (!isOlder && !(error instanceof FileMissing)) throw error;
    openProposals(place, 'write').close();
    return openProposals(place, 'read');
  }
}

function memoryStores(now: () => number): Stores {
  const connection = new SqliteConnection(':memory:');
  for (const migration of [...PROPOSALS_MIGRATIONS, ...FUNDING_MIGRATIONS]) migration(connection);
  connection.pragma('foreign_keys = 1');
  const funding = fillWithSamples(connection, Math.floor(now() / 1000));
  return {
    reader: new ProposalReader(connection),
    funding,
    check: () => undefined,
    close: () => void connection.close(),
  };
}
