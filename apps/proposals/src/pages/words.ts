import { html, type Markup } from '@wrkz/pages';
import { STATUS, type Category, type ProposalStatus } from '../store/proposal';

interface StatusWords {
  readonly name: string;
  readonly label: string;
  /** What it means, for people. */
  readonly meaning: string;
  /** The look of its label. */
  readonly look: string;
}

/** How people read the statuses. */
export const STATUS_WORDS: Readonly<Record<ProposalStatus, StatusWords>> = {
  [STATUS.disabled]: {
    name: 'disabled',
    label: 'Disabled',
    meaning: 'Taken back or refused. It is no longer listed here.',
    look: '',
  },
  [STATUS.proposal]: {
    name: 'proposal',
    label: 'Proposed',
    meaning: 'An idea that is talked about. Donations are welcome already.',
    look: 'calm',
  },
  [STATUS.funding]: {
    name: 'funding',
    label: 'Funding',
    meaning: 'Agreed on. It begins when enough coins have come in.',
    look: 'accent',
  },
  [STATUS.wip]: { name: 'wip', label: 'In progress', meaning: 'Somebody is working on it.', look: 'warn' },
  [STATUS.completed]: { name: 'completed', label: 'Completed', meaning: 'Done and paid.', look: 'good' },
};

/** The statuses that pages list, in the order of a proposal's life. */
export const LISTED_STATUSES: readonly ProposalStatus[] = [
  STATUS.proposal,
  STATUS.funding,
  STATUS.wip,
  STATUS.completed,
];

export const CATEGORY_WORDS: Readonly<Record<Category, string>> = {
  wallets: 'Wallets',
  marketing: 'Marketing',
  core: 'Core',
  misc: 'Miscellaneous',
  design: 'Design',
};

export function statusLabel(status: ProposalStatus): Markup {
  const { label, look } = STATUS_WORDS[status];
  return html`<span class="label ${look}">${label}</span>`;
}

export function categoryLabel(category: Category): Markup {
  return html`<span class="label">${CATEGORY_WORDS[category]}</span>`;
}
