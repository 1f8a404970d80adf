/** What separates the words of a command line in the C locale. */
const BLANK = /[ \t\n\v\f\r]/;

/**
 * Splits a command line into its words. Blanks separate; single or double quotes group, also in the middle of a word; an
 * empty pair is an empty word, a quote left open runs to the end. There are no escapes and no shell.
 */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (const char of line) {
    if (quote !== undefined) {
      if (char === quote) quote = undefined;
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (!BLANK.test(char)) {
      word = (word ?? '') + char;
    } else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}

/**
 * Puts values into one word of a command, after it was split, so that no value makes a second one. `%%` is a percent sign;
 * an unknown `%x` and a trailing `%` stay as they are; what was put in is not looked at again.
 */
export function fillPlaceholders(word: string, values: Readonly<Record<string, string>>): string {
  return word.replace(/%([^])/gu, (whole, letter: string) =>
    letter === '%' ? '%' : Object.hasOwn(values, letter) ? (values[letter] ?? '') : whole,
  );
}
