import { errorText } from '@wrkz/service-kit';
import { type Document, parseDocument, stringify } from 'yaml';

/** A file in two parts: what stands between the lines `---`, every value as text, and the Markdown behind it. */
export interface FrontMatterFile {
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A file that cannot be read as one. Its message is for the operator. */
export class BadFrontMatter extends Error {
  override readonly name = 'BadFrontMatter';
}

const FRAME = /^---[ \t]*\n(?<matter>[^]*?\n)??---[ \t]*(?:\n(?<body>[^]*))?$/;

/**
 * Reads a file with a front matter in YAML, of which nothing but texts is taken: `0.10` and `2026-11-22` stay as they were
 * written.
 * @throws BadFrontMatter
 */
export function parseFrontMatter(text: string): FrontMatterFile {
  const frame = FRAME.exec(text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n'));
  if (frame === null) throw new BadFrontMatter('it does not begin with a front matter between two lines ---');
  const { matter = '', body = '' } = frame.groups ?? {};
  const document = parseDocument(matter, { schema: 'failsafe', uniqueKeys: true, logLevel: 'error' });
  const [fault] = document.errors;
  if (fault !== undefined) throw new BadFrontMatter(`front matter: ${fault.message.split('\n', 1)[0] ?? ''}`);
  const value = document.contents === null ? {} : plainValue(document);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new BadFrontMatter('front matter: expected lines of the form key: value');
  const fields: Record<string, string> = {};
  for (const [name, field] of Object.entries(value)) {
    if (typeof field !== 'string') throw new BadFrontMatter(`front matter: ${name} is no text`);
    fields[name] = field;
  }
  return { fields, body: body.replace(/^\n+/, '') };
}

function plainValue(document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    throw new BadFrontMatter(`front matter: ${errorText(error)}`);
  }
}

/** The text of such a file. */
export function frontMatterText({ fields, body }: FrontMatterFile): string {
  return `---\n${stringify(fields, { lineWidth: 0 })}---\n\n${body}${body.endsWith('\n') ? '' : '\n'}`;
}
