import { proposalsApi } from '@wrkz/api';
import { AddressError, decodeAddress, formatAmount, parseAmount } from '@wrkz/core-types';
import { isoTime } from '@wrkz/pages';
import { countElements, MAX_ELEMENTS } from '../markdown';
import { LIMITS, MAX_TARGET, type Proposal, type ProposalDraft, type ProposalStatus } from '../store/proposal';
import { BadFrontMatter, type FrontMatterFile } from './front-matter';

/** The shortest texts, as the original has them. */
const SHORTEST = { headline: 9, content: 21 } as const;
/** One coin. */
const LEAST_TARGET = 100n;

/**
 * Characters that no line of text needs: controls, line ends, marks that turn the direction of what follows, and what nobody
 * sees, with which two names look the same. The joiners U+200C and U+200D stay, as scripts and emoji need them.
 */
const ODD_CHARACTERS =
  /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;
// eslint-disable-next-line no-control-regex -- a text has line ends and tabs, and no other control characters
const ODD_IN_CONTENT = /[\p{Cs}\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/u;

/** What a file says of a proposal; what it does not name is left out. */
export interface ReadFields extends Partial<ProposalDraft> {
  readonly id?: number;
}

type Reader = (text: string) => unknown;

/** How each key of a front matter is read. Each throws BadFrontMatter with what is expected. */
const READERS = {
  id: (text) => {
    if (!/^[1-9]\d{0,14}$/.test(text)) throw new BadFrontMatter('expected a number from 1 on');
    return Number(text);
  },
  headline: (text) => line(text, SHORTEST.headline, LIMITS.headline),
  category: (text) => {
    const category = proposalsApi.PROPOSAL_CATEGORIES.find((name) => name === text.trim());
    if (category === undefined)
      throw new BadFrontMatter(`expected one of ${proposalsApi.PROPOSAL_CATEGORIES.join(', ')}`);
    return category;
  },
  user: (text) => line(text, 1, LIMITS.user),
  target: (text) => {
    const target = parseAmount(text);
    if (target === undefined || target < LEAST_TARGET || target > MAX_TARGET)
      throw new BadFrontMatter(`expected coins from 1 to ${formatAmount(MAX_TARGET)}, at most two decimals`);
    return target;
  },
  address: (text) => {
    try {
      decodeAddress(text.trim());
    } catch (error) {
      if (error instanceof AddressError) throw new BadFrontMatter(error.message);
      throw error;
    }
    return text.trim();
  },
  status: (text) => statusOf(text),
  posted: (text) => {
    const trimmed = text.trim();
    const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(trimmed);
    const time = isTime ? Date.parse(trimmed) : NaN;
    if (!(time >= 0))
      throw new BadFrontMatter('expected a date or time in UTC, such as 2026-11-22 or 2026-11-22T14:05:00Z');
    return time / 1000;
  },
} as const satisfies Record<string, Reader>;

/** 0 to 4, or its name. @throws BadFrontMatter */
export function statusOf(text: string): ProposalStatus {
  const names = proposalsApi.PROPOSAL_STATUSES;
  const at = names.findIndex((name, number) => [name, String(number)].includes(text.trim()));
  if (at < 0) throw new BadFrontMatter(`expected 0 to ${names.length - 1}, or one of ${names.join(', ')}`);
  return at as ProposalStatus;
}

/** Reads and checks what a file says. @throws BadFrontMatter with every fault, a line each */
export function readFields({ fields, body }: FrontMatterFile): ReadFields {
  const read: Record<string, unknown> = {};
  const faults: string[] = [];
  const attempt = (name: string, act: () => unknown): void => {
    try {
      read[name] = act();
    } catch (error) {
      if (!(error instanceof BadFrontMatter)) throw error;
      faults.push(`${name}: ${error.message}`);
    }
  };
  for (const [name, text] of Object.entries(fields)) {
    if (Object.hasOwn(READERS, name)) attempt(name, () => READERS[name as keyof typeof READERS](text));
    else faults.push(`${name}: there is no such key (${Object.keys(READERS).join(', ')})`);
  }
  if (body.trim() !== '') attempt('content', () => content(body));
  if (faults.length > 0) throw new BadFrontMatter(faults.join('\n'));
  return read;
}

/** What a new proposal needs; the status is 1 and the date today's unless the file says otherwise. @throws BadFrontMatter */
export function completeDraft(read: ReadFields, now: number): ProposalDraft {
  const missing = (['headline', 'category', 'user', 'target', 'address', 'content'] as const).filter(
    (name) => read[name] === undefined,
  );
  if (missing.length > 0) throw new BadFrontMatter(missing.map((name) => `${name}: it is missing`).join('\n'));
  const { id: _id, ...draft } = read;
  return { status: 1, posted: now, ...draft } as ProposalDraft;
}

/** A proposal as a file that says all of it. */
export function proposalFile({
  id,
  headline,
  category,
  user,
  target,
  address,
  status,
  posted,
  content,
}: Proposal): FrontMatterFile {
  const fields = {
    id: String(id),
    headline,
    category,
    user,
    target: formatAmount(target),
    address,
    status: proposalsApi.PROPOSAL_STATUSES[status],
    posted: isoTime(posted),
  };
  return { fields, body: content };
}

function line(text: string, shortest: number, longest: number): string {
  const trimmed = text.trim();
  if (ODD_CHARACTERS.test(trimmed)) throw new BadFrontMatter('it holds line ends or control characters');
  const length = [...trimmed].length;
  if (length < shortest || length > longest)
    throw new BadFrontMatter(`expected ${shortest} to ${longest} characters, got ${length}`);
  return trimmed;
}

function content(text: string): string {
  if (ODD_IN_CONTENT.test(text)) throw new BadFrontMatter('it holds control characters');
  const bytes = Buffer.byteLength(text);
  if (text.trim().length < SHORTEST.content || bytes > LIMITS.content)
    throw new BadFrontMatter(`expected ${SHORTEST.content} characters to ${LIMITS.content} bytes, got ${bytes} bytes`);
  const elements = countElements(text);
  if (elements > MAX_ELEMENTS)
    throw new BadFrontMatter(`too much markup: ${elements} elements, at most ${MAX_ELEMENTS} are allowed`);
  return text.replace(/\r\n?/g, '\n').replace(/^\n+/, '').trimEnd();
}
