import { proposalsApi } from '@wrkz/api';
import { formatAmount } from '@wrkz/core-types';
import { stringifyJson } from '@wrkz/service-kit';
import type { z } from 'zod';
import { ProposalsError } from '../errors';
import type { ListedProposal } from '../listing';
import type { Category } from '../store/proposal';
import { declareProposalsRoute, FUNDING_AGE_HEADER, LIMITED, type ProposalsContext, SHORT_CACHING } from './declare';

const { proposalErrors, PROPOSAL_CATEGORIES } = proposalsApi;

export const getProposals = declareProposalsRoute({
  method: 'GET',
  path: '/api/1/proposals',
  summary: `Proposals of a status, newest first. ${FUNDING_AGE_HEADER} has the age of the donations in seconds.`,
  guards: LIMITED,
  query: proposalsApi.listQuery,
  response: proposalsApi.listResponse,
  caching: SHORT_CACHING,
  errors: [proposalErrors.wrongType, proposalErrors.outOfRange, proposalErrors.unknownCategory],
  handle: async (context, { query }) => {
    const { listing, responses } = context;
    const { status, cat, limit, offset } = query;
    const category = parseCategory(cat);
    const key = ['list', status, category ?? '', limit, offset].join();
    const response = await responses.get(listing.revision(), key, () => {
      const data = listing.list({ status, category, limit, offset }).map(toRecord);
      return `${stringifyJson({ data })}\n`;
    });
    return response.jsonReply(fundingAge(context));
  },
});

/** An empty category disables the filter. @throws ProposalsError */
function parseCategory(text = ''): Category | undefined {
  const category = PROPOSAL_CATEGORIES.find((name) => name === text);
  if (category === undefined && text !== '')
    throw new ProposalsError('unknownCategory', { categories: PROPOSAL_CATEGORIES.join(', ') });
  return category;
}

function toRecord({ proposal, fundedPercent }: ListedProposal): z.output<typeof proposalsApi.proposalRecord> {
  const { address, category, content, headline, id, posted, status, target, user } = proposal;
  return {
    addr_donation: address,
    category,
    content_markdown: content,
    date_posted: formatDate(posted),
    date_posted_epoch: String(posted),
    funded_pct: fundedPercent,
    funds_target: Number(formatAmount(target)),
    headline,
    id,
    status,
    user,
  };
}

/** `Jan 30 2021 06:11:15`, in UTC. */
function formatDate(unixSeconds: number): string {
  const [, day = '', month = '', year = '', time = ''] = new Date(unixSeconds * 1000).toUTCString().split(' ');
  return `${month} ${day} ${year} ${time}`;
}

/** The header with the age of the donations. Empty before the first successful poll. */
function fundingAge({ listing, now }: ProposalsContext): Record<string, string> {
  const checkedAt = listing.checkedAt();
  if (checkedAt === undefined) return {};
  return { [FUNDING_AGE_HEADER]: String(Math.max(0, Math.floor(now() / 1000) - checkedAt)) };
}
