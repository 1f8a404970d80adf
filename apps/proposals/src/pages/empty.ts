import { html, type Markup } from '@wrkz/pages';

const EXAMPLE = `---
headline: A wallet for older phones
category: wallets
user: alice
target: 250000
address: Wrkz...
status: funding
---

What is to be built, by whom and until when, in Markdown.
`;

/** What stands in the place of the list while there is nothing to list. */
export function emptyPage(): Markup {
  return html`<section class="card nothing prose" aria-labelledby="empty">
    <h2 id="empty">There are no proposals yet</h2>
    <p>Come back soon, or follow the <a href="/feed.xml">feed</a> to hear of the first one.</p>
    <h3>If this is your site</h3>
    <p>
      Proposals are added on the machine that runs it. Write one into a file, such as <code>proposal.md</code>, with a
      donation address of a wallet that you watch over:
    </p>
    <pre tabindex="0"><code>${EXAMPLE}</code></pre>
    <p>Then add it; it shows up here at once, without a restart:</p>
    <pre tabindex="0"><code>wrkz-proposals admin add proposal.md</code></pre>
    <p>
      <code>wrkz-proposals admin --help</code> lists the other commands, and <code>wrkz-proposals --demo</code> shows
      the site with made-up proposals.
    </p>
  </section>`;
}
