import { describeAmount } from '@wrkz/core-types';
import { html, type Markup } from '@wrkz/pages';
import type { ListedProposal } from '../listing';
import { STATUS, type Category, type ProposalStatus } from '../store/proposal';

interface StatusText {
  /** Name in queries, files and commands. */
  readonly name: string;
  /** Text on pages. */
  readonly label: string;
  /** CSS class of the label. */
  readonly look: string;
  readonly meaning: string;
}

export const STATUSES: Readonly<Record<ProposalStatus, StatusText>> = {
  0: { name: 'disabled', label: 'Disabled', look: '', meaning: 'Withdrawn or rejected. It is not in the list.' },
  1: { name: 'proposal', label: 'Proposed', look: 'calm', meaning: 'Under discussion. Donations are already welcome.' },
  2: { name: 'funding', label: 'Funding', look: 'accent', meaning: 'Accepted. The work begins at the target.' },
  3: { name: 'wip', label: 'In progress', look: 'warn', meaning: 'The work has begun.' },
  4: { name: 'completed', label: 'Completed', look: 'good', meaning: 'Finished and paid.' },
};

/** The statuses of listed proposals, in the order of a proposal's life. */
export const LISTED_STATUSES = [STATUS.proposal, STATUS.funding, STATUS.wip, STATUS.completed] as const;

export const CATEGORY_LABELS: Readonly<Record<Category, string>> = {
  wallets: 'Wallets',
  marketing: 'Marketing',
  core: 'Core',
  misc: 'Miscellaneous',
  design: 'Design',
};

export function statusLabel(status: ProposalStatus): Markup {
  const { label, look } = STATUSES[status];
  return html`<span class="label ${look}">${label}</span>`;
}

export function categoryLabel(category: Category): Markup {
  return html`<span class="label">${CATEGORY_LABELS[category]}</span>`;
}

/** Received amount, target and percentage with a progress bar; only the target if donations are not followed. */
export function fundingMeter({ proposal, funding, fundedPercent }: ListedProposal): Markup {
  const target = describeAmount(proposal.target);
  if (funding === undefined)
    return html`<p class="figures"><span class="raised">${target}</span> <span class="muted">asked for</span></p>`;
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  const percentText = `${fundedPercent.toLocaleString('en-US', digits)} %`;
  return html`<p class="figures">
      <span class="raised">${describeAmount(funding.received)}</span>
      <span class="muted">of ${target}</span>
      <span class="share">${percentText}</span>
    </p>
    <progress class="meter" max="100" value="${Math.min(fundedPercent, 100)}" aria-label="Funded">
      ${percentText}
    </progress>`;
}
