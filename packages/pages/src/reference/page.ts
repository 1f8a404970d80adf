import { createHash } from 'node:crypto';
import { html, trustedMarkup, type Markup } from '../html';
import { REFERENCE_STYLE } from './style';

/** A member of a request or an answer. */
export interface ShownMember {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly text: string;
  /** Where it stands in a request. */
  readonly place?: string;
}

export interface ShownError {
  readonly code: string;
  readonly text: string;
  readonly when: string;
}

/** A route or a method. */
export interface ShownEntry {
  readonly name: string;
  readonly summary: string;
  /** Text with code between backticks. */
  readonly description?: string;
  readonly notes: readonly string[];
  readonly members: readonly ShownMember[];
  readonly answer: { readonly text: string; readonly members: readonly ShownMember[] };
  readonly errors: readonly ShownError[];
}

/** What a reference page shows of a service. */
export interface ShownReference {
  readonly title: string;
  readonly description: string;
  readonly routes: readonly ShownEntry[];
  readonly methods: readonly ShownEntry[];
}

/** The headers of a reference page: nothing is loaded, nothing runs, and its one style sheet is named by its digest. */
export const REFERENCE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(REFERENCE_STYLE).digest('base64')}'`,
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** The page, whole: without a script, and without anything to load. */
export function referencePage({ title, description, routes, methods }: ShownReference): string {
  const parts = [
    { title: 'Routes', entries: routes },
    { title: 'Methods', entries: methods },
  ].filter(({ entries }) => entries.length > 0);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${trustedMarkup(`<style>${REFERENCE_STYLE}</style>`)}
      </head>
      <body>
        <header>
          <h1>${title}</h1>
          <p>${description}</p>
        </header>
        <nav aria-label="Contents">
          ${parts.map(
            (part) =>
              html`<h2>${part.title}</h2>
                <ul>
                  ${part.entries.map(({ name }) => html`<li><a href="#${anchor(name)}">${name}</a></li>`)}
                </ul>`,
          )}
        </nav>
        <main>
          ${parts.map(
            (part) =>
              html`<h2>${part.title} in detail</h2>
                ${part.entries.map(entrySection)}`,
          )}
        </main>
      </body>
    </html> `.toString();
}

/** Text between backticks becomes `<code>`. */
const withCode = (text: string): (string | Markup)[] =>
  text.split('`').map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`));

const anchor = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');

function entrySection({ name, summary, description = '', notes, members, answer, errors }: ShownEntry): Markup {
  return html`<section id="${anchor(name)}">
    <h3>${name}</h3>
    <p>${summary}</p>
    ${description !== '' && html`<p>${withCode(description)}</p>`}
    ${notes.length > 0 && html`<p class="muted">${notes.join(' · ')}</p>`}
    ${
      members.length > 0 &&
      html`<h4>Request</h4>
        ${memberTable(members)}`
    }
    <h4>Response</h4>
    <p>${answer.text}</p>
    ${
      answer.members.length > 0 &&
      html`<details>
        <summary>Fields of the response (${answer.members.length})</summary>
        ${memberTable(answer.members)}
      </details>`
    }
    ${
      errors.length > 0 &&
      html`<details>
        <summary>Errors (${errors.length})</summary>
        ${errorTable(errors)}
      </details>`
    }
  </section>`;
}

function memberTable(members: readonly ShownMember[]): Markup {
  return table(
    ['Name', 'Type', ''],
    members.map(({ name, type, required, text, place }) => [
      html`<code>${name}</code>`,
      type,
      [place && `in ${place}`, required ? '' : 'optional', text]
        .filter((part) => part !== undefined && part !== '')
        .join('; '),
    ]),
  );
}

function errorTable(errors: readonly ShownError[]): Markup {
  return table(
    ['Code', 'Text', 'When'],
    errors.map(({ code, text, when }) => [code, text === '' ? 'no body' : text, when]),
  );
}

function table(head: readonly string[], rows: readonly (readonly (Markup | string)[])[]): Markup {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${head.join(', ')}">
    <table>
      <thead>
        <tr>
          ${head.map((text) => html`<th scope="col">${text === '' ? 'More' : text}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
