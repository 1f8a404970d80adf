import { userInfo } from 'node:os';
import { ensureDirectory, errorText, UsageError } from '@wrkz/service-kit';
import { FileMissing, SqliteFileError } from '@wrkz/sqlite';
import { storePlace } from '../config';
import type { ParsedProgram } from '../program';
import { openProposals, OtherNetwork, type StorePlace } from '../store/files';
import { ChangeRefused, ProposalWriter } from '../store/proposal-writer';
import { ProposalReader } from '../store/proposal-reader';
import { addProposal, editProposal, setStatus, type ChangeOrder } from './change';
import { exportProposals } from './export';
import { BadFrontMatter } from './front-matter';
import { importProposals } from './import';
import { auditTable, proposalTable } from './tables';

export type AdminCall = Exclude<ParsedProgram, { readonly command: undefined }>;

/**
 * Runs a command of the operator.
 * @returns what it prints
 * @throws UsageError with what is wrong, after which nothing has changed
 */
export function runAdmin(call: AdminCall): string {
  try {
    return carryOut(call);
  } catch (error) {
    if (error instanceof FileMissing) throw new UsageError(`${error.message}; "admin add" makes it`);
    const isExpected = [BadFrontMatter, ChangeRefused, SqliteFileError, OtherNetwork].some(
      (kind) => error instanceof kind,
    );
    throw isExpected ? new UsageError(errorText(error)) : error;
  }
}

function carryOut(call: AdminCall): string {
  const place = storePlace(call.values);
  const [first = '', second = ''] = call.words;
  switch (call.command) {
    case 'admin add':
      return changing(place, call.values, (order) => addProposal(order, first));
    case 'admin edit':
      return changing(place, call.values, (order) => editProposal(order, first, second));
    case 'admin status':
      return changing(place, call.values, (order) => setStatus(order, first, second));
    case 'admin import':
      return changing(place, call.values, (order) => importProposals(order, first, call.values.replace));
    case 'admin list':
      return call.values.audit
        ? reading(place, (reader) => auditTable(reader.audit()))
        : reading(place, (reader) => proposalTable(reader, call.values.status));
    case 'admin export':
      return reading(place, (reader) => exportProposals(reader, first));
  }
}

interface ChangeValues {
  readonly note: string;
  readonly 'dry-run': boolean;
}

/** Rolls everything back that a dry run has tried. */
class OnlyTried extends Error {}

function changing(place: StorePlace, values: ChangeValues, change: (order: ChangeOrder) => string): string {
  ensureDirectory(place.directory);
  const database = openProposals(place, 'write');
  let said = '';
  try {
    const at = Math.floor(Date.now() / 1000);
    const writer = new ProposalWriter(database.connection, { actor: operator(), at, note: values.note });
    writer.together(() => {
      said = change({ writer, reader: new ProposalReader(database.connection), now: at });
      if (values['dry-run']) throw new OnlyTried();
    });
    database.committed();
    return said;
  } catch (error) {
    if (error instanceof OnlyTried) return `${said}\nNothing was changed (--dry-run).`;
    throw error;
  } finally {
    database.close();
  }
}

function reading(place: StorePlace, read: (reader: ProposalReader) => string): string {
  const database = openProposals(place, 'read');
  try {
    return read(new ProposalReader(database.connection));
  } finally {
    database.close();
  }
}

/** Who is at the keyboard, also behind sudo. */
function operator(): string {
  const before = process.env['SUDO_USER'];
  try {
    const { username } = userInfo();
    return before === undefined || before === '' ? username : `${before} as ${username}`;
  } catch {
    // a container may run under a number that has no name
    return `user ${process.getuid?.() ?? '?'}`;
  }
}
