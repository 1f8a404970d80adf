import { proposalsApi } from '@wrkz/api';
import { proposalPage, type AskedAmount } from '../pages/proposal';
import { declareListingRoute, HTML_TYPE, COUNTED, SHORT_CACHING } from './route';
import { amountQuery, askedAmount, proposalAt, proposalParams } from './proposal-path';

export const getProposal = declareListingRoute({
  method: 'GET',
  path: '/proposal/{id}',
  summary: 'One proposal, as a page. With an amount its QR code is a payment of so much.',
  guards: COUNTED,
  params: proposalParams,
  query: amountQuery,
  response: { contentType: HTML_TYPE, description: 'A page' },
  caching: SHORT_CACHING,
  errors: [proposalsApi.proposalErrors.notFound],
  handle: async (context, { path, query }) => {
    const { listing, answers, markdown, site } = context;
    const listed = proposalAt(context, path);
    const asked = askedAmount(query.amount);
    const answer = await answers.get(listing.revision(), `proposal,${path.id},${amountKey(asked)}`, async () =>
      site.page(
        proposalPage({
          listed,
          asked,
          html: await markdown.render(listed.proposal.content),
          excerpt: markdown.excerpt(listed.proposal.content),
          contributions: listing.contributions(listed.proposal.address),
          checkedAt: listing.checkedAt(),
          isStale: listing.isStale(),
        }),
      ),
    );
    return answer.reply();
  },
});

function amountKey(asked: AskedAmount): string {
  if (asked === undefined) return '';
  return 'amount' in asked ? String(asked.amount) : `wrong ${asked.wrong}`;
}
