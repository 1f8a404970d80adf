import { proposalsApi } from '@wrkz/api';
import { html } from '@wrkz/pages';
import { STATUS } from '../store/proposal';
import type { PageContent } from './site';
import { CATEGORY_WORDS, LISTED_STATUSES, STATUS_WORDS, statusLabel } from './words';

/** What the site is about, for people, and how programs ask it. */
export function aboutPage(): PageContent {
  return {
    title: 'How it works',
    description: 'How proposals are funded, what counts, and how programs read the list.',
    at: '/about',
    main: html`<h1>How it works</h1>
      <div class="prose about">
        <p class="lead">
          Somebody proposes a piece of work, the community sends coins to the proposal&#39;s own address, and the work
          begins when enough has come in.
        </p>
        <h2>The life of a proposal</h2>
        <dl class="statuses">
          ${LISTED_STATUSES.map(
            (status) =>
              html`<div>
                <dt>${statusLabel(status)}</dt>
                <dd>${STATUS_WORDS[status].meaning}</dd>
              </div>`,
          )}
        </dl>
        <h2>What counts as funded</h2>
        <p>
          Each proposal has an address of its own. What reaches it is counted once it stands in a block and is unlocked,
          so that it could be spent: some 35 blocks, or about half an hour, after it was sent. Until then it is listed
          as locked. When the chain turns and a transaction leaves it, its coins leave the sum as well.
        </p>
        <h2 id="api">For programs</h2>
        <p>
          The list is at <code>GET /api/1/proposals</code>, with <code>status</code> (0 to 5, by default 1),
          <code>cat</code>, <code>limit</code> (by default 20, at most ${proposalsApi.MAX_LISTED}) and
          <code>offset</code>:
        </p>
        <pre tabindex="0"><code>/api/1/proposals?status=${STATUS.funding}&amp;limit=5</code></pre>
        <p>
          Categories are ${Object.keys(CATEGORY_WORDS).map((name, i) => html`${i > 0 && ', '}<code>${name}</code>`)}.
          <code>GET /api/1/qr?address=</code> draws an address as a QR code. Both may be asked from pages of any origin.
          The <a href="/docs">reference</a> has the details, the <a href="/openapi.json">OpenAPI document</a> the same
          for programs, and the <a href="/feed.xml">Atom feed</a> the newest proposals.
        </p>
      </div>`,
  };
}
