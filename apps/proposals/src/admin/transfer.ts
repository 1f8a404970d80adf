import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { proposalsApi } from '@wrkz/api';
import { countText, isoTime } from '@wrkz/pages';
import {
  atomicWriteFileSync,
  ensureDirectory,
  errorText,
  parseUniqueJson,
  type JsonValue,
  UsageError,
} from '@wrkz/service-kit';
import type { z } from 'zod';
import type { Proposal } from '../store/proposal';
import type { ProposalReader, ProposalWriter } from '../store/proposals';
import {
  completeDraft,
  formatProposalFile,
  InvalidFile,
  parseFields,
  type ProposalFields,
  type ProposalFile,
  readProposalFile,
  readTextFile,
  withSource,
} from './proposal-file';

/** Reader, writer and time of the transaction of a command. */
export interface ChangeSession {
  readonly writer: ProposalWriter;
  readonly reader: ProposalReader;
  /** Unix seconds. */
  readonly now: number;
}

interface Entry {
  /** File name, and record number of a JSON file, for error messages. */
  readonly source: string;
  readonly fields: ProposalFields;
}

/** Imports a folder, a Markdown file or a response of the listing API. @throws InvalidFile with all problems, InvalidChange */
export function importProposals({ writer, reader, now }: ChangeSession, path: string, replace: boolean): string {
  const entries = readEntries(path);
  let replaced = 0;
  // Entries with an id first, so that an entry without one does not get the id of another entry.
  const idOf = ({ fields }: Entry): number => fields.id ?? Number.MAX_SAFE_INTEGER;
  for (const { source, fields } of [...entries].sort((a, b) => idOf(a) - idOf(b))) {
    const { id, ...changes } = fields;
    const draft = withSource(source, () => completeDraft(fields, now));
    if (replace && id !== undefined && reader.find(id) !== undefined) {
      writer.change(id, changes, 'import');
      replaced += 1;
    } else writer.add(draft, 'import', id);
  }
  return `Imported ${countText(entries.length, 'proposal')}${replace ? `, ${replaced} replaced` : ''}`;
}

function readEntries(path: string): Entry[] {
  if (path.endsWith('.json')) return readJsonFile(path);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const files = isFolder ? markdownFiles(path) : [path];
  if (files.length === 0) throw new InvalidFile(`no *.md file in ${path}`);
  const problems: string[] = [];
  const entries = files.flatMap((source) => {
    try {
      return [{ source, fields: readProposalFile(source) }];
    } catch (error) {
      if (!(error instanceof InvalidFile)) throw error;
      problems.push(error.message);
      return [];
    }
  });
  if (problems.length > 0) throw new InvalidFile(problems.join('\n'));
  return entries;
}

function markdownFiles(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return names.sort().map((name) => join(folder, name));
}

type ListRecord = z.output<typeof proposalsApi.proposalRecord>;

/** Reads a response of the listing API of this or the original service. */
function readJsonFile(path: string): Entry[] {
  let value: JsonValue;
  try {
    value = parseUniqueJson(readTextFile(path));
  } catch (error) {
    throw error instanceof InvalidFile ? error : new InvalidFile(`${path}: ${errorText(error)}`);
  }
  const { data: response, error } = proposalsApi.listResponse.safeParse(value);
  if (error !== undefined) {
    const lines = error.issues.map((issue) => `${path}: ${issue.path.join('.')}: ${issue.message}`);
    throw new InvalidFile(lines.join('\n'));
  }
  return response.data.map((record, i) => {
    const source = `${path}, record ${i + 1}`;
    return { source, fields: withSource(source, () => parseFields(fileOf(record))) };
  });
}

function fileOf(record: ListRecord): ProposalFile {
  const { id, headline, category, user, funds_target, addr_donation, status, date_posted_epoch: epoch } = record;
  if (!/^\d{1,11}$/.test(epoch)) throw new InvalidFile('date_posted_epoch: expected Unix seconds');
  const values = { id, headline, category, user, target: funds_target, address: addr_donation, status };
  const fields = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  return { fields: { ...fields, posted: isoTime(Number(epoch)) }, body: record.content_markdown };
}

/** Writes one file per proposal. @throws UsageError if the folder is not empty */
export function exportProposals(reader: ProposalReader, folder: string): string {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new UsageError(`${folder} is not empty`);
  ensureDirectory(folder);
  const proposals = reader.all();
  for (const proposal of proposals)
    atomicWriteFileSync(join(folder, fileName(proposal)), formatProposalFile(proposal), { mode: 0o644 });
  return `Exported ${countText(proposals.length, 'proposal')} to ${folder}`;
}

function fileName({ id, headline }: Proposal): string {
  const slug = headline
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 48);
  return `${String(id).padStart(4, '0')}${slug === '' ? '' : `-${slug}`}.md`;
}
