/** Markup that is safe to put into a page as it is. Only `html` and `trustedMarkup` make it. */
export class Markup {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** What may stand in a template: text is escaped, markup is not, lists are joined, nothing and `false` are left out. */
export type Fragment = Markup | string | number | bigint | false | undefined | readonly Fragment[];

/** A template whose values are escaped unless they are markup: html`<p>${text}</p>`. Attributes stand in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly Fragment[]): Markup {
  let text = parts[0] ?? '';
  values.forEach((value, i) => (text += markupText(value) + (parts[i + 1] ?? '')));
  return new Markup(text);
}

/** Takes text for markup: of a file of our own, or of what a sanitizer gave back. */
export function trustedMarkup(text: string): Markup {
  return new Markup(text);
}

function markupText(value: Fragment): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Markup) return value.toString();
  return isList(value) ? value.map(markupText).join('') : escapeText(String(value));
}

function isList(value: Fragment): value is readonly Fragment[] {
  return Array.isArray(value);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text for HTML or XML, within elements and attributes. Characters that XML cannot hold become U+FFFD. */
export function escapeText(text: string): string {
  return (
    text
      // eslint-disable-next-line no-control-regex -- these are what XML cannot hold, halves of pairs among them
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Cs}]/gu, '\ufffd')
      .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
  );
}
