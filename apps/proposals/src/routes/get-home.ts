import { proposalsApi } from '@wrkz/api';
import { z } from 'zod';
import { homePage, PER_PAGE, type HomeView } from '../pages/home';
import { LISTED_STATUSES, STATUS_WORDS } from '../pages/words';
import { ProposalRefusal } from '../refusals';
import { declareListingRoute, HTML_TYPE, COUNTED, SHORT_CACHING } from './route';

const { first, isIntegerText, PROPOSAL_CATEGORIES, proposalErrors } = proposalsApi;
const HIGHEST_PAGE = 100_000;

const text = (description: string) => first(z.string()).optional().meta({ type: 'string', description });

export const getHome = declareListingRoute({
  method: 'GET',
  path: '/',
  summary: 'The list of proposals, as a page.',
  guards: COUNTED,
  query: z.object({
    status: text(`One of ${LISTED_STATUSES.map((status) => STATUS_WORDS[status].name).join(', ')}`),
    cat: text(`One of ${PROPOSAL_CATEGORIES.join(', ')}`),
    page: text('From 1'),
  }),
  response: { contentType: HTML_TYPE, description: 'A page' },
  caching: SHORT_CACHING,
  errors: [proposalErrors.noSuchPage],
  handle: async ({ listing, answers, markdown, site }, { query }) => {
    const view = viewOf(query);
    const key = ['home', view.status ?? '', view.category ?? '', view.page].join();
    const answer = await answers.get(listing.revision(), key, () => {
      const listed = listing.list({ ...view, limit: PER_PAGE, offset: PER_PAGE * (view.page - 1) });
      const proposals = listed.map((one) => ({ listed: one, excerpt: markdown.excerpt(one.proposal.content) }));
      return site.page(homePage({ view, counts: listing.counts(), proposals }));
    });
    return answer.reply();
  },
});

/** @throws ProposalRefusal for a filter that does not exist */
function viewOf(query: { status?: string | undefined; cat?: string | undefined; page?: string | undefined }): HomeView {
  const { status: statusName = '', cat = '', page = '1' } = query;
  const status = LISTED_STATUSES.find((one) => STATUS_WORDS[one].name === statusName);
  const category = PROPOSAL_CATEGORIES.find((one) => one === cat);
  const isWrong = (statusName !== '' && status === undefined) || (cat !== '' && category === undefined);
  const number = isIntegerText(page) ? Number(page) : 0;
  if (isWrong || number < 1 || number > HIGHEST_PAGE) throw new ProposalRefusal('noSuchPage');
  return { status, category, page: number };
}
