import { proposalsApi } from '@wrkz/api';
import { formatAmount } from '@wrkz/core-types';
import { stringifyJson } from '@wrkz/service-kit';
import type { z } from 'zod';
import type { ListedProposal } from '../listing';
import { ProposalRefusal } from '../refusals';
import type { Category } from '../store/proposal';
import { FUNDING_AGE_HEADER, fundingAge } from './funding-age';
import { declareListingRoute, COUNTED, SHORT_CACHING } from './route';

const { proposalErrors, PROPOSAL_CATEGORIES } = proposalsApi;

export const getProposals = declareListingRoute({
  method: 'GET',
  path: '/api/1/proposals',
  summary: `Proposals of a status, newest first. ${FUNDING_AGE_HEADER} tells how many seconds old the income is.`,
  guards: COUNTED,
  query: proposalsApi.listQuery,
  response: proposalsApi.listResponse,
  caching: SHORT_CACHING,
  errors: [proposalErrors.wrongType, proposalErrors.outOfRange, proposalErrors.unknownCategory],
  handle: async (context, { query }) => {
    const { listing, answers } = context;
    const { status, cat, limit, offset } = query;
    const category = categoryOf(cat);
    const key = ['list', status, category ?? '', limit, offset].join();
    const answer = await answers.get(listing.revision(), key, () => {
      const data = listing.list({ status, category, limit, offset }).map(proposalRecord);
      return `${stringifyJson({ data })}\n`;
    });
    return answer.jsonReply(fundingAge(context));
  },
});

/** The category of a query; an empty one is no filter. @throws ProposalRefusal */
function categoryOf(text: string | undefined): Category | undefined {
  if (text === undefined || text === '') return undefined;
  const category = PROPOSAL_CATEGORIES.find((name) => name === text);
  if (category === undefined)
    throw new ProposalRefusal('unknownCategory', { categories: PROPOSAL_CATEGORIES.join(', ') });
  return category;
}

type Record = z.output<typeof proposalsApi.proposalRecord>;

function proposalRecord({ proposal, fundedPercent }: ListedProposal): Record {
  const { address, category, content, headline, id, posted, status, target, user } = proposal;
  return {
    addr_donation: address,
    category,
    content_markdown: content,
    date_posted: datePosted(posted),
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
function datePosted(unixSeconds: number): string {
  const [, day = '', month = '', year = '', time = ''] = new Date(unixSeconds * 1000).toUTCString().split(' ');
  return `${month} ${day} ${year} ${time}`;
}
