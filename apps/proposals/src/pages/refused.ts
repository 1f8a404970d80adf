import { html } from '@wrkz/pages';
import type { PageContent } from './site';

const TITLES: Readonly<Record<number, string>> = {
  404: 'This page is not here',
  429: 'One moment, please',
};

/** What people can use more than the words that programs get. */
const LEADS: Readonly<Record<number, string>> = {
  404: 'The address may be mistyped, or what was here has gone',
};

/** What people see in the place of a page that was refused. */
export function refusedPage(status: number, text: string): PageContent {
  const title = TITLES[status] ?? (status < 500 ? 'That did not work' : 'Something went wrong');
  return {
    title,
    description: text,
    main: html`<div class="card nothing">
      <h1>${title}</h1>
      <p class="lead">${sentence(LEADS[status] ?? text)}</p>
      <p><a class="button" href="/">To the proposals</a></p>
    </div>`,
  };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
