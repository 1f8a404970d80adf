import { describeAmount } from '@wrkz/core-types';
import { html, type Markup } from '@wrkz/pages';
import type { ListedProposal } from '../listing';
import { STATUS, type Category, type ProposalStatus } from '../store/proposal';

interface StatusText {
  /** In queries, files and commands. */
  readonly name: string;
  /** On pages. */
  readonly label: string;
  readonly meaning: string;
  /** CSS class of the label. */
  readonly look: string;
}

export const STATUSES: Readonly<Record<ProposalStatus, StatusText>> = {
  [STATUS.disabled]: {
    name: 'disabled',
    label: 'Disabled',
    meaning: 'Withdrawn or rejected. It is not in the list.',
    look: '',
  },
  [STATUS.proposal]: {
    name: 'proposal',
    label: 'Proposed',
    meaning: 'An idea under discussion. Donations are already welcome.',
    look: 'calm',
  },
  [STATUS.funding]: {
    name: 'funding',
    label: 'Funding',
    meaning: 'Accepted. The work begins when the target is reached.',
    look: 'accent',
  },
  [STATUS.wip]: { name: 'wip', label: 'In progress', meaning: 'The work has begun.', look: 'warn' },
  [STATUS.completed]: { name: 'completed', label: 'Completed', meaning: 'Finished and paid.', look: 'good' },
};

/** The statuses of listed proposals, in the order of a proposal's life. */
export const LISTED_STATUSES: readonly ProposalStatus[] = [
  STATUS.proposal,
  STATUS.funding,
  STATUS.wip,
  STATUS.completed,
];

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
