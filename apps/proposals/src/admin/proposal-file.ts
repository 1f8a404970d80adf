import { readFileSync } from 'node:fs';
import { proposalsApi } from '@wrkz/api';
import { AddressError, decodeAddress, formatAmount, parseAmount } from '@wrkz/core-types';
import { isoTime } from '@wrkz/pages';
import { errorText, readOperatorFile } from '@wrkz/service-kit';
import { parse, stringify } from 'yaml';
import { countElements, MAX_ELEMENTS, MAX_HTML, renderUnsanitized } from '../markdown';
import { LIMITS, MAX_AMOUNT, type Proposal, type ProposalDraft, type ProposalStatus } from '../store/proposal';

/** A proposal file: YAML front matter between two lines `---`, then Markdown. Values are text, such as `0.10`. */
export interface ProposalFile {
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A file or value is invalid. The message is for the operator. */
export class InvalidFile extends Error {
  override readonly name = 'InvalidFile';
}

const MAX_FILE_BYTES = 1024 * 1024;
/** Max characters of the front matter. The YAML parser takes quadratic time in the number of keys and levels. */
const MAX_FRONT_MATTER = 16_384;
const STANDARD_INPUT = 0;
/** Min lengths in characters, as in the original service. */
const MIN_LENGTHS = { headline: 9, content: 21 } as const;
/** One coin. */
const MIN_TARGET = 100n;

/** Reads a UTF-8 file; `-` is standard input. @throws InvalidFile */
export function readTextFile(path: string): string {
  let bytes: Buffer;
  try {
    bytes = path === '-' ? readFileSync(STANDARD_INPUT) : readOperatorFile(path);
  } catch (error) {
    throw new InvalidFile(`cannot read ${path}: ${errorText(error)}`);
  }
  if (bytes.length > MAX_FILE_BYTES) throw new InvalidFile(`${path} is larger than ${MAX_FILE_BYTES} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidFile(`${path} is not UTF-8 text`);
  }
}

/** Adds the source to each line of an InvalidFile error. */
export function withSource<Result>(source: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof InvalidFile)) throw error;
    const lines = error.message.split('\n').map((text) => (text.includes(source) ? text : `${source}: ${text}`));
    throw new InvalidFile(lines.join('\n'));
  }
}

const FRONT_MATTER = /^---[ \t]*\n(?<matter>[^]*?\n)??---[ \t]*(?:\n(?<body>[^]*))?$/;

/** @throws InvalidFile */
export function parseProposalFile(text: string): ProposalFile {
  const match = FRONT_MATTER.exec(text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n'));
  if (match === null) throw new InvalidFile('the file does not begin with front matter between two lines ---');
  const { matter = '', body = '' } = match.groups ?? {};
  if (matter.length > MAX_FRONT_MATTER)
    throw new InvalidFile(`front matter: expected at most ${MAX_FRONT_MATTER} characters, got ${matter.length}`);
  let value: unknown;
  try {
    // With the failsafe schema all values stay text.
    value = parse(matter, { schema: 'failsafe', uniqueKeys: true, logLevel: 'error', maxAliasCount: 0 }) ?? {};
  } catch (error) {
    throw new InvalidFile(`front matter: ${errorText(error).split('\n', 1)[0] ?? ''}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidFile('front matter: expected lines of the form key: value');
  const fields: Record<string, string> = {};
  for (const [name, field] of Object.entries(value)) {
    if (typeof field !== 'string') throw new InvalidFile(`front matter: ${name} is not text`);
    fields[name] = field;
  }
  return { fields, body: body.replace(/^\n+/, '') };
}

/** The file of a proposal with all its fields. */
export function formatProposalFile({ content, ...proposal }: Proposal): string {
  const status = proposalsApi.PROPOSAL_STATUSES[proposal.status];
  const [target, posted] = [formatAmount(proposal.target), isoTime(proposal.posted)];
  const fields = stringify({ ...proposal, id: String(proposal.id), target, status, posted }, { lineWidth: 0 });
  return `---\n${fields}---\n\n${content}\n`;
}

/** The validated fields of a file; missing keys are undefined. */
export interface ProposalFields extends Partial<ProposalDraft> {
  readonly id?: number;
}

/** Parsers by key. Each throws InvalidFile with the expected form. */
const PARSERS = {
  id: (text) => {
    if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidFile('expected a number, at least 1');
    return Number(text);
  },
  headline: (text) => parseLine(text, MIN_LENGTHS.headline, LIMITS.headline),
  category: (text) => {
    const names = proposalsApi.PROPOSAL_CATEGORIES;
    const category = names.find((name) => name === text.trim());
    if (category === undefined) throw new InvalidFile(`expected one of ${names.join(', ')}`);
    return category;
  },
  user: (text) => parseLine(text, 1, LIMITS.user),
  target: (text) => {
    const target = parseAmount(text);
    if (target === undefined || target < MIN_TARGET || target > MAX_AMOUNT)
      throw new InvalidFile(`expected coins from 1 to ${formatAmount(MAX_AMOUNT)}, at most two decimals`);
    return target;
  },
  address: (text) => {
    try {
      decodeAddress(text.trim());
    } catch (error) {
      if (error instanceof AddressError) throw new InvalidFile(error.message);
      throw error;
    }
    return text.trim();
  },
  status: (text) => parseStatus(text),
  posted: (text) => {
    const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(text.trim());
    const time = isTime ? Date.parse(text.trim()) : NaN;
    if (!(time >= 0))
      throw new InvalidFile('expected a date or time in UTC, such as 2026-11-22 or 2026-11-22T14:05:00Z');
    return time / 1000;
  },
} as const satisfies Record<string, (text: string) => unknown>;

/** Parses a status: 0 to 4, or a name. @throws InvalidFile */
export function parseStatus(text: string): ProposalStatus {
  const names = proposalsApi.PROPOSAL_STATUSES;
  const status = names.findIndex((name, number) => [name, String(number)].includes(text.trim()));
  if (status < 0) throw new InvalidFile(`expected 0 to ${names.length - 1}, or one of ${names.join(', ')}`);
  return status as ProposalStatus;
}

/** Validates the fields of a file. @throws InvalidFile with all problems, one per line */
export function parseFields({ fields, body }: ProposalFile): ProposalFields {
  const parsed: Record<string, unknown> = {};
  const problems: string[] = [];
  const attempt = (name: string, parse: () => unknown): void => {
    try {
      parsed[name] = parse();
    } catch (error) {
      if (!(error instanceof InvalidFile)) throw error;
      problems.push(`${name}: ${error.message}`);
    }
  };
  for (const [name, text] of Object.entries(fields)) {
    if (Object.hasOwn(PARSERS, name)) attempt(name, () => PARSERS[name as keyof typeof PARSERS](text));
    else problems.push(`${name}: unknown key, expected one of ${Object.keys(PARSERS).join(', ')}`);
  }
  if (body.trim() !== '') attempt('content', () => parseContent(body));
  if (problems.length > 0) throw new InvalidFile(problems.join('\n'));
  return parsed;
}

/** @throws InvalidFile that names the file */
export function readProposalFile(path: string): ProposalFields {
  return withSource(path, () => parseFields(parseProposalFile(readTextFile(path))));
}

/** Adds the defaults of a new proposal. @param now Unix seconds @throws InvalidFile with all missing fields */
export function completeDraft({ id: _id, ...fields }: ProposalFields, now: number): ProposalDraft {
  const required = ['headline', 'category', 'user', 'target', 'address', 'content'] as const;
  const missing = required.filter((name) => fields[name] === undefined);
  if (missing.length > 0) throw new InvalidFile(missing.map((name) => `${name}: missing`).join('\n'));
  return { status: 1, posted: now, ...fields } as ProposalDraft;
}

/**
 * Control characters, line ends, direction marks and invisible characters, which can make different names look the same. The
 * joiners U+200C and U+200D and variation selectors are allowed: writing systems and emoji need them.
 */
const FORBIDDEN_IN_LINE =
  /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u2028\u2029]|(?![\u200c\u200d\p{Variation_Selector}])\p{Default_Ignorable_Code_Point}/u;
/** U+FFFE and U+FFFF are not allowed in XML, so the feed could not be read. */
const FORBIDDEN_IN_CONTENT =
  // eslint-disable-next-line no-control-regex -- line ends and tabs are the only allowed control characters
  /[\p{Cs}\p{Noncharacter_Code_Point}\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/u;

function parseLine(text: string, min: number, max: number): string {
  const trimmed = text.trim();
  if (FORBIDDEN_IN_LINE.test(trimmed)) throw new InvalidFile('contains a line end, control or invisible character');
  const length = [...trimmed].length;
  const visible = [...trimmed.replace(/\p{Default_Ignorable_Code_Point}/gu, '')].length;
  if (visible < min || length > max)
    throw new InvalidFile(`expected ${min} to ${max} characters, got ${visible < min ? visible : length}`);
  return trimmed;
}

function parseContent(text: string): string {
  if (FORBIDDEN_IN_CONTENT.test(text)) throw new InvalidFile('contains a control character or noncharacter');
  const bytes = Buffer.byteLength(text);
  if (text.trim().length < MIN_LENGTHS.content || bytes > LIMITS.content)
    throw new InvalidFile(`expected ${MIN_LENGTHS.content} characters to ${LIMITS.content} bytes, got ${bytes} bytes`);
  const elements = countElements(text);
  if (elements > MAX_ELEMENTS)
    throw new InvalidFile(`too much markup: ${elements} elements, at most ${MAX_ELEMENTS} are allowed`);
  const rendered = renderUnsanitized(text);
  if (rendered.length > MAX_HTML)
    throw new InvalidFile(`too much markup: ${rendered.length} characters of HTML, at most ${MAX_HTML} are allowed`);
  // Entities and percent-encoded URLs are decoded only now.
  if (FORBIDDEN_IN_CONTENT.test(rendered)) throw new InvalidFile('contains a control character or noncharacter');
  return text.replace(/\r\n?/g, '\n').replace(/^\n+/, '').trimEnd();
}
