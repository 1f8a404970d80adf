import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { proposalsApi } from '@wrkz/api';
import { countText, isoTime } from '@wrkz/pages';
import { errorText, parseJson, type JsonValue } from '@wrkz/service-kit';
import { z } from 'zod';
import { type ChangeOrder, namingFile, readOperatorFile, readProposalFile } from './change';
import { completeDraft, readFields, type ReadFields } from './fields';
import { BadFrontMatter, type FrontMatterFile } from './front-matter';

const LAST = Number.MAX_SAFE_INTEGER;

interface Entry {
  /** Where it stands, for errors. */
  readonly place: string;
  readonly read: ReadFields;
}

/** Adds the proposals of a folder or a file; of several faults all are told. @throws BadFrontMatter, ChangeRefused */
export function importProposals({ writer, reader, now }: ChangeOrder, path: string, replace: boolean): string {
  const entries = readEntries(path);
  let replaced = 0;
  // those with a number first, so that no other one takes it
  const ordered = [...entries].sort((a, b) => (a.read.id ?? LAST) - (b.read.id ?? LAST));
  for (const { place, read } of ordered) {
    const { id, ...changes } = read;
    const draft = namingFile(place, () => completeDraft(read, now));
    if (replace && id !== undefined && reader.find(id) !== undefined) {
      writer.change(id, changes, 'import');
      replaced += 1;
    } else writer.add(draft, 'import', id);
  }
  return `Imported ${countText(entries.length, 'proposal')}${replace ? `, ${replaced} of them in the place of older ones` : ''}`;
}

function readEntries(path: string): Entry[] {
  if (path.endsWith('.json')) return readJsonFile(path);
  const files = isFolder(path) ? markdownFiles(path) : [path];
  if (files.length === 0) throw new BadFrontMatter(`there is no file *.md in ${path}`);
  const faults: string[] = [];
  const entries = files.flatMap((place) => {
    try {
      return [{ place, read: readProposalFile(place) }];
    } catch (error) {
      if (!(error instanceof BadFrontMatter)) throw error;
      faults.push(error.message);
      return [];
    }
  });
  if (faults.length > 0) throw new BadFrontMatter(faults.join('\n'));
  return entries;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new BadFrontMatter(`cannot read ${path}: ${errorText(error)}`);
  }
}

function markdownFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => join(folder, name));
}

/** An answer of the listing API, as the original or this program gives it. */
const answer = z.object({ data: z.array(proposalsApi.proposalRecord) });

function readJsonFile(path: string): Entry[] {
  return recordsOf(path, readOperatorFile(path)).map((record, i) => {
    const place = `${path}, record ${i + 1}`;
    return { place, read: namingFile(place, () => readFields(frontMatterOf(record))) };
  });
}

function recordsOf(path: string, text: string): z.output<typeof answer>['data'] {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new BadFrontMatter(`${path}: ${errorText(error)}`);
  }
  const read = answer.safeParse(value);
  if (read.success) return read.data.data;
  const lines = read.error.issues.map((issue) => `${path}: ${issue.path.join('.')}: ${issue.message}`);
  throw new BadFrontMatter(lines.join('\n'));
}

function frontMatterOf(record: z.output<typeof answer>['data'][number]): FrontMatterFile {
  const { id, headline, category, user, funds_target, addr_donation, status, date_posted_epoch: epoch } = record;
  if (!/^\d{1,11}$/.test(epoch)) throw new BadFrontMatter('date_posted_epoch: expected Unix seconds');
  const texts = { id, headline, category, user, target: funds_target, address: addr_donation, status };
  const fields = Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, String(value)]));
  return { fields: { ...fields, posted: isoTime(Number(epoch)) }, body: record.content_markdown };
}
