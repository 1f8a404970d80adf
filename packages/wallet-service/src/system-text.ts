import { getSystemErrorMap } from 'node:util';

/** Errors of which the C library speaks in other words than Node.js. */
const TEXTS: Readonly<Record<string, string>> = {
  EEXIST: 'File exists',
  EISDIR: 'Is a directory',
  ELOOP: 'Too many levels of symbolic links',
  ENAMETOOLONG: 'File name too long',
};

/** The text of a system error by its code; undefined for what is none. */
export function systemText(code: string): string | undefined {
  if (TEXTS[code] !== undefined) return TEXTS[code];
  for (const [name, text] of getSystemErrorMap().values()) {
    if (name === code) return text.charAt(0).toUpperCase() + text.slice(1);
  }
  return undefined;
}
