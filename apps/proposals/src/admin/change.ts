import { readFileSync } from 'node:fs';
import { errorText } from '@wrkz/service-kit';
import { STATUS_WORDS } from '../pages/words';
import type { Proposal } from '../store/proposal';
import type { ProposalReader } from '../store/proposal-reader';
import { ChangeRefused, type ProposalWriter } from '../store/proposal-writer';
import { completeDraft, readFields, statusOf, type ReadFields } from './fields';
import { BadFrontMatter, parseFrontMatter } from './front-matter';

/** What a change works with; all of it is one transaction. */
export interface ChangeOrder {
  readonly writer: ProposalWriter;
  readonly reader: ProposalReader;
  /** Unix seconds. */
  readonly now: number;
}

/** The largest file that is read at all. */
const MAX_FILE = 1024 * 1024;
const STANDARD_INPUT = 0;

/** Reads a file of the operator; `-` is standard input. @throws BadFrontMatter */
export function readOperatorFile(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path === '-' ? STANDARD_INPUT : path);
  } catch (error) {
    throw new BadFrontMatter(`cannot read ${path}: ${errorText(error)}`);
  }
  if (bytes.length > MAX_FILE) throw new BadFrontMatter(`${path} is larger than ${MAX_FILE} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BadFrontMatter(`${path} is no text in UTF-8`);
  }
}

/** What a Markdown file says. @throws BadFrontMatter that names the file */
export function readProposalFile(path: string): ReadFields {
  return namingFile(path, () => readFields(parseFrontMatter(readOperatorFile(path))));
}

/** Puts the name of the file before each fault that is found in it. */
export function namingFile<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof BadFrontMatter)) throw error;
    const lines = error.message.split('\n').map((text) => (text.includes(path) ? text : `${path}: ${text}`));
    throw new BadFrontMatter(lines.join('\n'));
  }
}

export function addProposal({ writer, now }: ChangeOrder, path: string): string {
  const read = readProposalFile(path);
  const draft = namingFile(path, () => completeDraft(read, now));
  return `Added ${described(writer.add(draft, 'add', read.id))}`;
}

export function editProposal({ writer, reader }: ChangeOrder, id: string, path: string): string {
  const number = proposalNumber(id);
  const { id: named, ...changes } = readProposalFile(path);
  if (named !== undefined && named !== number)
    throw new BadFrontMatter(`${path} is about proposal ${named}, not ${number}`);
  const before = reader.find(number);
  const after = writer.change(number, changes, 'edit');
  const changed = before && (Object.keys(changes) as (keyof Proposal)[]).filter((name) => before[name] !== after[name]);
  if (changed?.length === 0) return `Nothing to change in ${described(after)}`;
  return `Changed ${changed?.join(', ') ?? 'it'} of ${described(after)}`;
}

export function setStatus({ writer, reader }: ChangeOrder, id: string, text: string): string {
  const number = proposalNumber(id);
  const status = statusOf(text);
  const before = reader.find(number);
  const after = writer.change(number, { status }, 'status');
  if (before?.status === status) return `Nothing to change in ${described(after)}`;
  const [from, to] = [before, after].map((one) => (one === undefined ? '' : STATUS_WORDS[one.status].label));
  return `${from} is now ${to}: ${described(after)}`;
}

/** @throws ChangeRefused */
function proposalNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new ChangeRefused(`${text} is no number of a proposal`);
  return Number(text);
}

export function described({ id, headline }: Pick<Proposal, 'headline' | 'id'>): string {
  return `proposal ${id}, ${JSON.stringify(headline)}`;
}
