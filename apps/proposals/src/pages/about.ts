import { proposalsApi } from '@wrkz/api';
import { html } from '@wrkz/pages';
import { STATUS } from '../store/proposal';
import { CATEGORY_LABELS, LISTED_STATUSES, STATUSES, statusLabel } from './labels';
import type { PageContent } from './site';

/** How proposals are funded, and the API for programs. */
export function aboutPage(): PageContent {
  return {
    title: 'How it works',
    description: 'How proposals are funded, what counts, and how programs read the list.',
    path: '/about',
    main: html`<h1>How it works</h1>
      <div class="prose about">
        <p class="lead">
          An author proposes a piece of work. The community sends coins to the address of the proposal. The work begins
          when the target is reached.
        </p>
        <h2>Statuses of a proposal</h2>
        <dl class="statuses">
          ${LISTED_STATUSES.map(
            (status) =>
              html`<div>
                <dt>${statusLabel(status)}</dt>
                <dd>${STATUSES[status].meaning}</dd>
              </div>`,
          )}
        </dl>
        <h2>What counts as funded</h2>
        <p>
          Each proposal has its own address. A donation counts when it is in a block and unlocked: about 35 blocks, or
          half an hour, after it was sent. Until then it is shown as locked. If a chain reorganisation removes a
          donation, it no longer counts.
        </p>
        <h2 id="api">For programs</h2>
        <p>
          <code>GET /api/1/proposals</code> returns the list. Parameters: <code>status</code> (0 to 5, default 1),
          <code>cat</code>, <code>limit</code> (default 20, max ${proposalsApi.MAX_LISTED}) and <code>offset</code>:
        </p>
        <pre tabindex="0"><code>/api/1/proposals?status=${STATUS.funding}&amp;limit=5</code></pre>
        <p>
          Categories are ${Object.keys(CATEGORY_LABELS).map((name, i) => html`${i > 0 && ', '}<code>${name}</code>`)}.
          <code>GET /api/1/qr?address=</code> returns a QR code of an address. Pages of any origin may call both. See
          also the <a href="/docs">reference</a>, the <a href="/openapi.json">OpenAPI document</a> and the
          <a href="/feed.xml">Atom feed</a> of the newest proposals.
        </p>
      </div>`,
  };
}
