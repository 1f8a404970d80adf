/** The receiver of events: the parsed value of a hook option. */
export type HookTarget =
  { readonly kind: 'webhook'; readonly url: string } | { readonly kind: 'command'; readonly words: readonly string[] };

/** A value that is not a receiver. */
export interface UnusableTarget {
  readonly kind: 'unusable';
  readonly why: string;
}

interface HookTexts {
  readonly name: string;
  readonly help: string;
}

/** A notification hook: each value is a URL or a command; empty values are ignored. */
export function hookOption<const T extends HookTexts>(texts: T) {
  return { ...texts, default: [] } as const;
}

/** Options for all hooks of a program. */
export function hookSettings(duringSync: string) {
  return [
    { name: 'notify-during-sync', default: false, help: duringSync },
    {
      name: 'notify-secret-file',
      default: '',
      help: 'File with the secret that signs webhooks (Standard Webhooks, HMAC-SHA256); empty for none',
    },
  ] as const;
}

/** An http or https URL is a webhook, anything else a command line. */
export function parseTarget(value: string): HookTarget | UnusableTarget {
  const text = value.trim();
  if (/^https?:\/\//i.test(text)) {
    return URL.canParse(text)
      ? { kind: 'webhook', url: text }
      : { kind: 'unusable', why: 'invalid webhook URL; notifier disabled' };
  }
  const words = splitCommand(text);
  return words[0] === undefined || words[0] === ''
    ? { kind: 'unusable', why: 'empty command; notifier disabled' }
    : { kind: 'command', words };
}

/** A receiver for log lines, without arguments, queries and credentials, which may be secret. */
export function describeTarget(target: HookTarget): string {
  if (target.kind === 'command') {
    const [program = '', ...rest] = target.words;
    return rest.length === 0 ? program : `${program} with ${String(rest.length)} argument(s)`;
  }
  const { protocol, host, pathname, search } = new URL(target.url);
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?...'}`;
}

/** The separators of a command line in the C locale. */
const BLANK = /[ \t\n\v\f\r]/;

/**
 * Splits a command line into words. Single or double quotes group, also within a word; an empty pair is an empty word, and an
 * unclosed quote extends to the end. There are no escapes and no shell.
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
 * Replaces `%x` in one word of a command, after splitting: a value never becomes several words, and is not expanded again. `%%`
 * is a percent sign; an unknown `%x` and a trailing `%` are unchanged.
 */
export function fillPlaceholders(word: string, values: Readonly<Record<string, string>>): string {
  return word.replace(/%([^])/gu, (whole, letter: string) =>
    letter === '%' ? '%' : Object.hasOwn(values, letter) ? (values[letter] ?? '') : whole,
  );
}
