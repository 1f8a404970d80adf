import { describeAmount } from '@wrkz/core-types';
import { html, type Markup } from '@wrkz/pages';
import type { ListedProposal } from '../listing';

/** A share as people read it: `1.02 %`, `12,000.00 %`. */
export function shareText(percent: number): string {
  return `${percent.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })} %`;
}

/** What has come in of the target, in figures and as a bar; the target alone when nobody follows the donations. */
export function fundingMeter({ proposal, funding, fundedPercent }: ListedProposal): Markup {
  const target = describeAmount(proposal.target);
  if (funding === undefined) {
    return html`<p class="figures"><span class="raised">${target}</span> <span class="muted">asked for</span></p>`;
  }
  return html`<p class="figures">
      <span class="raised">${describeAmount(funding.received)}</span>
      <span class="muted">of ${target}</span>
      <span class="share">${shareText(fundedPercent)}</span>
    </p>
    <progress class="meter" max="100" value="${Math.min(fundedPercent, 100)}" aria-label="Funded">
      ${shareText(fundedPercent)}
    </progress>`;
}
