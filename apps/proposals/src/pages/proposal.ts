import { describeAmount, formatAmount } from '@wrkz/core-types';
import { countText, dayElement, html, isoTime, timeText, trustedMarkup, type Fragment, type Markup } from '@wrkz/pages';
import type { ListedProposal } from '../listing';
import type { Contribution } from '../store/funding-store';
import { STATUS } from '../store/proposal';
import { fundingMeter } from './funding-meter';
import type { PageContent } from './site';
import { categoryLabel, statusLabel, STATUS_WORDS } from './words';

/** Donations in the table; the newest. */
const SHOWN = 100;

/** An amount that somebody wants a QR code for: read, or as it was written when it is none. */
export type AskedAmount = { readonly amount: bigint } | { readonly wrong: string } | undefined;

export interface ProposalFacts {
  readonly listed: ListedProposal;
  /** The text, rendered and inert. */
  readonly html: string;
  /** Its first words. */
  readonly excerpt: string;
  readonly contributions: readonly Contribution[];
  readonly asked: AskedAmount;
  readonly checkedAt: number | undefined;
  readonly isStale: boolean;
}

/** A payment URI of phone wallets: `wrkz:<address>?amount=1.50`, the amount in coins. */
export function paymentUri(address: string, amount?: bigint): string {
  return `wrkz:${address}${amount === undefined ? '' : `?amount=${formatAmount(amount)}`}`;
}

/** One proposal: its text, what has come in, and how to contribute. */
export function proposalPage(facts: ProposalFacts): PageContent {
  const { listed, excerpt } = facts;
  const { headline, status, category, user, posted } = listed.proposal;
  return {
    title: headline,
    description: excerpt === '' ? headline : excerpt,
    main: html`<p class="back"><a href="/">All proposals</a></p>
      <article class="proposal-page">
        <header>
          <p class="labels">${statusLabel(status)} ${categoryLabel(category)}</p>
          <h1>${headline}</h1>
          <p class="muted">Posted by ${user} on ${dayElement(posted)}</p>
        </header>
        <div class="columns">
          <div class="reading">
            <div class="text prose">${trustedMarkup(facts.html)}</div>
            ${contributionTable(facts)}
          </div>
          <div class="side">${fundingCard(facts)} ${donationCard(facts)}</div>
        </div>
      </article>`,
  };
}

function fundingCard({ listed, checkedAt, isStale }: ProposalFacts): Markup {
  const { funding, proposal } = listed;
  return html`<section class="card raising" aria-labelledby="funding">
    <h2 id="funding">Funding</h2>
    <div class="funds">${fundingMeter(listed)}</div>
    ${
      funding &&
      funding.pending > 0n &&
      html`<p class="small">${describeAmount(funding.pending)} more has arrived and is still locked.</p>`
    }
    <p class="small muted">
      ${
        funding === undefined
          ? 'Donations to this address are not followed here.'
          : html`Confirmed and unlocked coins, as of
              <time datetime="${isoTime(funding.checked)}">${timeText(funding.checked)}</time>.`
      }
    </p>
    ${
      isStale &&
      checkedAt !== undefined &&
      html`<p class="small"><span class="label warn">Not up to date</span> The wallet has not answered since then.</p>`
    }
    <p class="small muted">
      <strong>${STATUS_WORDS[proposal.status].label}.</strong> ${STATUS_WORDS[proposal.status].meaning}
    </p>
  </section>`;
}

function donationCard({ listed, asked }: ProposalFacts): Fragment {
  const { id, address, status } = listed.proposal;
  if (status === STATUS.disabled || status === STATUS.completed) return false;
  const amount = asked !== undefined && 'amount' in asked ? asked.amount : undefined;
  const query = amount === undefined ? '' : `?amount=${formatAmount(amount)}`;
  const what =
    amount === undefined ? 'the donation address' : `a payment of ${describeAmount(amount)} to this proposal`;
  return html`<section class="card donate" aria-labelledby="donate">
    <h2 id="donate">Contribute</h2>
    <img class="qr" src="/proposal/${id}/qr.svg${query}" alt="QR code of ${what}" width="264" height="264" />
    <p class="small muted caption">
      <span
        >${amount === undefined ? 'Donation address' : html`Payment of <strong>${describeAmount(amount)}</strong>`}</span
      >
      <span>
        To keep: <a href="/proposal/${id}/qr.svg${query}">SVG</a>, <a href="/proposal/${id}/qr.png${query}">PNG</a>
      </span>
    </p>
    <p><code class="address" id="address">${address}</code></p>
    <p class="actions">
      <button class="button" type="button" data-copy="address" data-status="copied" hidden>Copy the address</button>
      <a class="button plain" href="${paymentUri(address, amount)}">Open in a wallet</a>
    </p>
    <p class="small" id="copied" role="status"></p>
    ${amountForm(asked)}
  </section>`;
}

function amountForm(asked: AskedAmount): Markup {
  const wrong = asked !== undefined && 'wrong' in asked;
  const value = asked === undefined ? '' : 'wrong' in asked ? asked.wrong : formatAmount(asked.amount);
  return html`<form class="amount" action="#donate" method="get">
    <div class="field">
      <label for="amount">QR code with an amount, in WRKZ</label>
      <input
        id="amount"
        name="amount"
        inputmode="decimal"
        autocomplete="off"
        maxlength="24"
        value="${value}"
        ${wrong && html`aria-invalid="true" aria-describedby="amount-wrong"`}
      />
    </div>
    <button class="button plain" type="submit">Show</button>
    ${wrong && html`<p class="small wrong" id="amount-wrong">Please give an amount such as 250 or 12.50.</p>`}
  </form>`;
}

function contributionTable({ listed, contributions }: ProposalFacts): Fragment {
  if (listed.funding === undefined) return false;
  if (contributions.length === 0) {
    return html`<section class="contributions" aria-labelledby="contributions">
      <h2 id="contributions">Contributions</h2>
      <p class="muted">Nothing has come in yet. A contribution shows up here once it stands in a block.</p>
    </section>`;
  }
  return html`<section class="contributions" aria-labelledby="contributions">
    <h2 id="contributions">${countText(contributions.length, 'contribution')}</h2>
    <div class="scroll" tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col">Date and transaction</th>
            <th scope="col" class="number">Amount, WRKZ</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          ${contributions.slice(0, SHOWN).map(contributionRow)}
        </tbody>
      </table>
    </div>
    ${contributions.length > SHOWN && html`<p class="muted small">The newest ${SHOWN} are shown.</p>`}
  </section>`;
}

function contributionRow({ hash, amount, time, unlocked }: Contribution): Markup {
  const state = unlocked ? html`<span class="label good">Counted</span>` : html`<span class="label warn">Locked</span>`;
  return html`<tr>
    <td>
      ${dayElement(time)}<br /><code class="hash muted" title="${hash}">${hash.slice(0, 8)}…${hash.slice(-6)}</code>
    </td>
    <td class="number">${describeAmount(amount).split(' ', 1)}</td>
    <td>${state}</td>
  </tr>`;
}
