/** Safe HTML, which is not escaped again. Created by `html` and `trustedMarkup`. */
export class Markup {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** Value in a template: text is escaped, markup is not, lists are joined, undefined and `false` are omitted. */
export type Fragment = Markup | string | number | bigint | false | undefined | readonly Fragment[];

/** A template that escapes its values, except markup: html`<p>${text}</p>`. Attributes need double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly Fragment[]): Markup {
  let text = parts[0] ?? '';
  values.forEach((value, i) => (text += markupText(value) + (parts[i + 1] ?? '')));
  return new Markup(text);
}

/** Marks HTML as safe. Only for files of this program and output of a sanitizer. */
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

/** Escapes text for HTML or XML elements and attributes. Characters that are invalid in XML become U+FFFD. */
export function escapeText(text: string): string {
  return (
    text
      // eslint-disable-next-line no-control-regex -- invalid in XML, like unpaired surrogates
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Cs}]/gu, '\ufffd')
      .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
  );
}
