import { splitCommand } from './command-template';

/** Where events go: what an operator wrote as the value of a hook, understood. */
export type HookTarget =
  { readonly kind: 'webhook'; readonly url: string } | { readonly kind: 'command'; readonly words: readonly string[] };

/** A value that names no receiver. */
export interface UnusableTarget {
  readonly kind: 'unusable';
  readonly why: string;
}

/** An http or https URL in any case is a webhook, anything else a command line. */
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

/** A receiver as logs name it. Arguments, queries and credentials may hold tokens, so they are left out. */
export function describeTarget(target: HookTarget): string {
  if (target.kind === 'command') {
    const [program = '', ...rest] = target.words;
    return rest.length === 0 ? program : `${program} with ${String(rest.length)} argument(s)`;
  }
  const { protocol, host, pathname, search } = new URL(target.url);
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?...'}`;
}
