import { userInfo } from 'node:os';
import { describeAmount } from '@wrkz/core-types';
import { isoTime } from '@wrkz/pages';
import { ensureDirectory, errorText, UsageError } from '@wrkz/service-kit';
import { FileMissing, type SqliteDatabase, SqliteFileError } from '@wrkz/sqlite';
import { databaseFolder, type ParsedCommandLine } from '../config';
import { STATUSES } from '../pages/labels';
import { type DatabaseFolder, openProposals } from '../store/database';
import { InvalidDatabase } from '../store/failures';
import { type Proposal, STATUS } from '../store/proposal';
import { type AuditEntry, InvalidChange, ProposalReader, ProposalWriter } from '../store/proposals';
import { completeDraft, InvalidFile, parseStatus, readProposalFile, withSource } from './proposal-file';
import { type ChangeSession, exportProposals, importProposals } from './transfer';

export type AdminCall = Exclude<ParsedCommandLine, { readonly command: undefined }>;

/**
 * Runs an admin command.
 * @returns its output
 * @throws UsageError with the problem; nothing is then changed
 */
export function runAdmin(call: AdminCall): string {
  try {
    return run(call);
  } catch (error) {
    if (error instanceof FileMissing) throw new UsageError(`${error.message}; "admin add" creates it`);
    const isExpected = [InvalidFile, InvalidChange, SqliteFileError, InvalidDatabase].some(
      (type) => error instanceof type,
    );
    throw isExpected ? new UsageError(errorText(error)) : error;
  }
}

function run(call: AdminCall): string {
  const folder = databaseFolder(call.values);
  const [first = '', second = ''] = call.words;
  switch (call.command) {
    case 'admin add':
      return change(folder, call.values, (session) => addProposal(session, first));
    case 'admin edit':
      return change(folder, call.values, (session) => editProposal(session, first, second));
    case 'admin status':
      return change(folder, call.values, (session) => setStatus(session, first, second));
    case 'admin import':
      return change(folder, call.values, (session) => importProposals(session, first, call.values.replace));
    case 'admin list':
      return read(folder, (reader) =>
        call.values.audit ? auditTable(reader.audit()) : proposalTable(reader, call.values.status),
      );
    case 'admin export':
      return read(folder, (reader) => exportProposals(reader, first));
  }
}

interface ChangeOptions {
  readonly note: string;
  readonly 'dry-run': boolean;
}

/** Rolls back the transaction of a dry run. */
class DryRunEnd extends Error {}

function change(folder: DatabaseFolder, options: ChangeOptions, act: (session: ChangeSession) => string): string {
  ensureDirectory(folder.directory);
  const database = openProposals(folder, 'write');
  let output = '';
  try {
    const now = Math.floor(Date.now() / 1000);
    const writer = new ProposalWriter(database.connection, { actor: operatorName(), at: now, note: options.note });
    writer.together(() => {
      output = act({ writer, reader: new ProposalReader(database.connection), now });
      if (options['dry-run']) throw new DryRunEnd();
    });
    return output + recordCommit(database);
  } catch (error) {
    if (error instanceof DryRunEnd) return `${output}\nNothing was changed (--dry-run).`;
    throw error;
  } finally {
    database.close();
  }
}

/** Records the commit in the control file of the database. @returns a warning if it could not: the change is stored all the same */
function recordCommit(database: SqliteDatabase): string {
  try {
    database.committed();
    return '';
  } catch (error) {
    return `\nWarning: the change is stored, but: ${errorText(error)}`;
  }
}

function read(folder: DatabaseFolder, act: (reader: ProposalReader) => string): string {
  const database = openProposals(folder, 'read');
  try {
    return act(new ProposalReader(database.connection));
  } finally {
    database.close();
  }
}

function addProposal({ writer, now }: ChangeSession, path: string): string {
  const fields = readProposalFile(path);
  const draft = withSource(path, () => completeDraft(fields, now));
  return `Added ${nameOf(writer.add(draft, 'add', fields.id))}`;
}

function editProposal({ writer, reader }: ChangeSession, idText: string, path: string): string {
  const id = parseId(idText);
  const { id: fileId, ...changes } = readProposalFile(path);
  if (fileId !== undefined && fileId !== id) throw new InvalidFile(`${path} is for proposal ${fileId}, not ${id}`);
  const before = reader.find(id);
  const after = writer.change(id, changes, 'edit');
  const changed = (Object.keys(changes) as (keyof Proposal)[]).filter((name) => before?.[name] !== after[name]);
  if (changed.length === 0) return `Nothing to change in ${nameOf(after)}`;
  return `Changed ${changed.join(', ')} of ${nameOf(after)}`;
}

function setStatus({ writer, reader }: ChangeSession, idText: string, statusText: string): string {
  const id = parseId(idText);
  const before = reader.find(id)?.status;
  const after = writer.change(id, { status: parseStatus(statusText) }, 'status');
  if (before === undefined || before === after.status) return `Nothing to change in ${nameOf(after)}`;
  return `Changed the status from ${STATUSES[before].name} to ${STATUSES[after.status].name}: ${nameOf(after)}`;
}

/** @throws InvalidChange */
function parseId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidChange(`${text} is not a proposal id`);
  return Number(text);
}

function nameOf({ id, headline }: Proposal): string {
  return `proposal ${id}, ${JSON.stringify(headline)}`;
}

/** The user account of the operator; with sudo, both accounts. */
function operatorName(): string {
  const caller = process.env['SUDO_USER'];
  try {
    const { username } = userInfo();
    return caller === undefined || caller === '' ? username : `${caller} as ${username}`;
  } catch {
    // In a container the user id may have no account name.
    return `user ${process.getuid?.() ?? '?'}`;
  }
}

/** One line per proposal. */
function proposalTable(reader: ProposalReader, statusName: keyof typeof STATUS | undefined): string {
  const rows = reader
    .all()
    .filter(({ status }) => statusName === undefined || status === STATUS[statusName])
    .map(({ id, status, category, posted, target, user, headline }) => [
      String(id),
      STATUSES[status].name,
      category,
      isoTime(posted),
      describeAmount(target),
      user,
      headline,
    ]);
  if (rows.length === 0) return 'There are no proposals.';
  return columns([['id', 'status', 'category', 'posted', 'target', 'user', 'headline'], ...rows]);
}

/** One line per change, oldest first. */
function auditTable(entries: readonly AuditEntry[]): string {
  if (entries.length === 0) return 'There are no changes.';
  const rows = entries.map((entry) => [
    isoTime(entry.at),
    entry.actor,
    entry.action,
    String(entry.proposal),
    changedFields(entry),
    entry.note,
  ]);
  return columns([['at', 'actor', 'action', 'proposal', 'changed', 'note'], ...rows]);
}

function changedFields({ before, after }: AuditEntry): string {
  if (before === undefined) return 'all';
  const [old = {}, now = {}] = [before, after].map((text) => JSON.parse(text) as Record<string, unknown>);
  return Object.keys(now)
    .filter((name) => old[name] !== now[name])
    .join(', ');
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  const line = (row: readonly string[]): string => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}
