/** Control characters, line and paragraph separators, and the marks that reorder text on a terminal. */
// eslint-disable-next-line no-control-regex -- these are what must not reach a log
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** A longer message is cut: a log line is no place for a body. */
export const MAX_TEXT = 4096;

/** Text that stays on its line and moves no cursor, whatever a stranger put into it. */
export function plainText(text: string): string {
  const safe = text.replace(UNSAFE, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\r') return '\\r';
    if (character === '\t') return ' ';
    return escaped(character);
  });
  return cut(safe);
}

/** JSON text whose strings hold no such character either; parsed again it is the same. */
export function plainJson(json: string): string {
  return json.replace(UNSAFE, escaped);
}

export function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
