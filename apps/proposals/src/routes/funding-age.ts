import type { ProposalsContext } from '../context';

/** Tells how many seconds ago the wallet was asked, where somebody asks it. */
export const FUNDING_AGE_HEADER = 'X-Funding-Age';

export function fundingAge({ listing, now }: Pick<ProposalsContext, 'listing' | 'now'>): Record<string, string> {
  const checkedAt = listing.checkedAt();
  if (checkedAt === undefined) return {};
  return { [FUNDING_AGE_HEADER]: String(Math.max(0, Math.floor(now() / 1000) - checkedAt)) };
}
