import { z } from 'zod';
import { decimal, integer } from '../scalars';

/** What a proposal may be about. */
export const PROPOSAL_CATEGORIES = ['wallets', 'marketing', 'core', 'misc', 'design'] as const;

/** The names of the statuses 0 to 4. 5 may be asked for and bears no name; no proposal has it. */
export const PROPOSAL_STATUSES = ['disabled', 'proposal', 'funding', 'wip', 'completed'] as const;

/** The highest status that may be asked for. */
export const HIGHEST_STATUS = 5;

/** A proposal as the listing has it, its members in the order of their names. */
export const proposalRecord = z.object({
  addr_donation: z.string().meta({ description: 'Address for donations' }),
  category: z.enum(PROPOSAL_CATEGORIES),
  content_markdown: z.string().meta({ description: 'The text as it was written, in Markdown' }),
  date_posted: z.string().meta({ description: 'For people, UTC: Jan 30 2021 06:11:15' }),
  date_posted_epoch: z.string().meta({ description: 'Unix seconds in decimal digits' }),
  funded_pct: decimal.meta({ description: 'Share of the target that was received, in percent, two decimals' }),
  funds_target: decimal.meta({ description: 'Whole coins' }),
  headline: z.string(),
  id: integer,
  status: integer,
  user: z.string().meta({ description: 'Who posted it' }),
});
