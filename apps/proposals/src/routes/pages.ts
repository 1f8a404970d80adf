import { proposalsApi } from '@wrkz/api';
import { ASSET_CACHING } from '@wrkz/pages';
import { z } from 'zod';
import { HTML_TYPE, ProposalsError } from '../errors';
import { aboutPage } from '../pages/about';
import { atomFeed, FEED_LENGTH, FEED_TYPE, type AtomEntry } from '../pages/feed';
import { homePage, type HomeView, PER_PAGE } from '../pages/home';
import { LISTED_STATUSES, STATUSES } from '../pages/labels';
import { proposalPage } from '../pages/proposal';
import type { Site } from '../pages/site';
import { declareProposalsRoute, LIMITED, SHORT_CACHING, UNLIMITED } from './declare';
import { amountQuery, findProposal, parseRequestedAmount, proposalParams } from './qr';

const { first, isIntegerText, PROPOSAL_CATEGORIES, proposalErrors } = proposalsApi;
const MAX_PAGE = 100_000;

const optionalText = (description: string) => first(z.string()).optional().meta({ type: 'string', description });

/** Fields that all pages have in common. */
const PAGE = {
  method: 'GET',
  guards: LIMITED,
  response: { contentType: HTML_TYPE, description: 'A page' },
  caching: SHORT_CACHING,
} as const;

const homeQuery = z.object({
  status: optionalText(`One of ${LISTED_STATUSES.map((status) => STATUSES[status].name).join(', ')}`),
  cat: optionalText(`One of ${PROPOSAL_CATEGORIES.join(', ')}`),
  page: optionalText('From 1'),
});

export const getHome = declareProposalsRoute({
  ...PAGE,
  path: '/',
  summary: 'The list of proposals, as a page.',
  query: homeQuery,
  errors: [proposalErrors.noSuchPage],
  handle: async ({ listing, responses, markdown, site }, { query }) => {
    const view = parseView(query);
    const key = ['home', view.status ?? '', view.category ?? '', view.page].join();
    const response = await responses.get(listing.revision(), key, () => {
      const listed = listing.list({ ...view, limit: PER_PAGE, offset: PER_PAGE * (view.page - 1) });
      const proposals = listed.map((one) => ({ listed: one, excerpt: markdown.excerpt(one.proposal.content) }));
      return site.page(homePage({ view, counts: listing.reader.counts(), proposals }));
    });
    return response.reply();
  },
});

/** @throws ProposalsError for an unknown filter or page number */
function parseView({ status: statusName = '', cat = '', page = '1' }: z.output<typeof homeQuery>): HomeView {
  const status = LISTED_STATUSES.find((one) => STATUSES[one].name === statusName);
  const category = PROPOSAL_CATEGORIES.find((one) => one === cat);
  const isUnknown = (statusName !== '' && status === undefined) || (cat !== '' && category === undefined);
  const pageNumber = isIntegerText(page) ? Number(page) : 0;
  if (isUnknown || pageNumber < 1 || pageNumber > MAX_PAGE) throw new ProposalsError('noSuchPage');
  return { status, category, page: pageNumber };
}

export const getProposal = declareProposalsRoute({
  ...PAGE,
  path: '/proposal/{id}',
  summary: 'A proposal, as a page. With an amount, its QR code is a payment of that amount.',
  params: proposalParams,
  query: amountQuery,
  errors: [proposalErrors.notFound],
  handle: async (context, { path, query }) => {
    const { listing, responses, markdown, site } = context;
    // Before the proposal is read: a command may change it in between.
    const revision = listing.revision();
    const listed = findProposal(context, path);
    const requested = parseRequestedAmount(query.amount);
    const amountKey = Object.entries(requested ?? {}).join();
    const response = await responses.get(revision, `proposal,${path.id},${amountKey}`, async () =>
      site.page(
        proposalPage({
          listed,
          requested,
          html: await markdown.render(listed.proposal.content),
          excerpt: markdown.excerpt(listed.proposal.content),
          contributions: listing.contributions(listed.proposal.address),
          checkedAt: listing.checkedAt(),
          isStale: listing.isStale(),
        }),
      ),
    );
    return response.reply();
  },
});

export const getAbout = declareProposalsRoute({
  ...PAGE,
  path: '/about',
  summary: 'How proposals are funded, and how programs read them, as a page.',
  errors: [],
  handle: async ({ responses, listing, site }) =>
    (await responses.get(listing.revision(), 'about', () => site.page(aboutPage()))).reply(),
});

export const getFeed = declareProposalsRoute({
  ...PAGE,
  path: '/feed.xml',
  summary: 'The newest proposals as an Atom feed.',
  response: { contentType: FEED_TYPE, description: 'An Atom feed' },
  errors: [],
  handle: async ({ responses, listing, markdown, site }) => {
    const response = await responses.get(listing.revision(), 'feed', async () => {
      const entries: AtomEntry[] = [];
      for (const listed of listing.list({ limit: FEED_LENGTH, offset: 0 }))
        entries.push({ listed, html: await markdown.render(listed.proposal.content) });
      return atomFeed(site, entries);
    });
    return response.reply();
  },
});

/** One route per file. The path has a digest of the content. */
export function assetRoutes({ assets }: Pick<Site, 'assets'>) {
  return assets.map(({ path, contentType, bytes }) =>
    declareProposalsRoute({
      method: 'GET',
      path,
      summary: 'A file of the pages.',
      guards: UNLIMITED,
      params: z.object({}),
      response: { contentType, description: 'The file' },
      caching: ASSET_CACHING,
      errors: [],
      handle: () => bytes,
    }),
  );
}
