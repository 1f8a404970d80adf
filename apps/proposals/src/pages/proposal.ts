import { describeAmount, formatAmount } from '@wrkz/core-types';
import { countText, dayElement, html, isoTime, timeText, trustedMarkup, type Fragment, type Markup } from '@wrkz/pages';
import type { ListedProposal } from '../listing';
import type { Contribution } from '../store/funding';
import { STATUS } from '../store/proposal';
import { categoryLabel, fundingMeter, STATUSES, statusLabel } from './labels';
import type { PageContent } from './site';

/** Max number of donations in the table. */
const MAX_SHOWN = 100;

/** The amount of a payment QR code in atomic units, or the text of an invalid query. */
export type RequestedAmount = { readonly amount: bigint } | { readonly invalid: string } | undefined;

export interface ProposalData {
  readonly listed: ListedProposal;
  /** Rendered content. */
  readonly html: string;
  readonly excerpt: string;
  readonly contributions: readonly Contribution[];
  readonly requested: RequestedAmount;
  readonly checkedAt: number | undefined;
  readonly isStale: boolean;
}

/** A payment URI of phone wallets: `wrkz:<address>?amount=1.50`, the amount in coins. */
export function paymentUri(address: string, amount?: bigint): string {
  return `wrkz:${address}${amount === undefined ? '' : `?amount=${formatAmount(amount)}`}`;
}

/** A proposal with its donations and its donation address. */
export function proposalPage(data: ProposalData): PageContent {
  const { listed, excerpt } = data;
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
            <div class="text prose">${trustedMarkup(data.html)}</div>
            ${contributionTable(data)}
          </div>
          <div class="side">${fundingCard(data)} ${donationCard(data)}</div>
        </div>
      </article>`,
  };
}

function fundingCard({ listed, checkedAt, isStale }: ProposalData): Markup {
  const { funding, proposal } = listed;
  return html`<section class="card raising" aria-labelledby="funding">
    <h2 id="funding">Funding</h2>
    <div class="funds">${fundingMeter(listed)}</div>
    ${
      funding &&
      funding.pending > 0n &&
      html`<p class="small">${describeAmount(funding.pending)} more is confirmed but still locked.</p>`
    }
    <p class="small muted">
      ${
        funding === undefined
          ? 'Donations to this address are not followed.'
          : html`Confirmed and unlocked coins, as of
              <time datetime="${isoTime(funding.checked)}">${timeText(funding.checked)}</time>.`
      }
    </p>
    ${
      isStale &&
      checkedAt !== undefined &&
      html`<p class="small">
        <span class="label warn">Not up to date</span> The wallet has been unavailable since then.
      </p>`
    }
    <p class="small muted"><strong>${STATUSES[proposal.status].label}.</strong> ${STATUSES[proposal.status].meaning}</p>
  </section>`;
}

function donationCard({ listed, requested }: ProposalData): Fragment {
  const { id, address, status } = listed.proposal;
  if (status === STATUS.disabled || status === STATUS.completed) return false;
  const amount = requested !== undefined && 'amount' in requested ? requested.amount : undefined;
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
        Download: <a href="/proposal/${id}/qr.svg${query}">SVG</a>, <a href="/proposal/${id}/qr.png${query}">PNG</a>
      </span>
    </p>
    <p><code class="address" id="address">${address}</code></p>
    <p class="actions">
      <button class="button" type="button" data-copy="address" data-status="copied" hidden>Copy the address</button>
      <a class="button plain" href="${paymentUri(address, amount)}">Open in a wallet</a>
    </p>
    <p class="small" id="copied" role="status"></p>
    ${amountForm(requested)}
  </section>`;
}

function amountForm(requested: RequestedAmount): Markup {
  const isInvalid = requested !== undefined && 'invalid' in requested;
  const value =
    requested === undefined ? '' : 'invalid' in requested ? requested.invalid : formatAmount(requested.amount);
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
        ${isInvalid && html`aria-invalid="true" aria-describedby="amount-wrong"`}
      />
    </div>
    <button class="button plain" type="submit">Show</button>
    ${isInvalid && html`<p class="small wrong" id="amount-wrong">Enter an amount such as 250 or 12.50.</p>`}
  </form>`;
}

function contributionTable({ listed, contributions }: ProposalData): Fragment {
  if (listed.funding === undefined) return false;
  if (contributions.length === 0) {
    return html`<section class="contributions" aria-labelledby="contributions">
      <h2 id="contributions">Contributions</h2>
      <p class="muted">There are no contributions yet. A contribution is listed once it is in a block.</p>
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
          ${contributions.slice(0, MAX_SHOWN).map(contributionRow)}
        </tbody>
      </table>
    </div>
    ${contributions.length > MAX_SHOWN && html`<p class="muted small">The newest ${MAX_SHOWN} are shown.</p>`}
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
