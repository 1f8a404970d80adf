import { type AtomEntry, atomFeed, FEED_LENGTH, FEED_TYPE } from '../pages/feed';
import { declareListingRoute, COUNTED, SHORT_CACHING } from './route';

export const getFeed = declareListingRoute({
  method: 'GET',
  path: '/feed.xml',
  summary: 'The newest proposals as an Atom feed.',
  guards: COUNTED,
  response: { contentType: FEED_TYPE, description: 'An Atom feed' },
  caching: SHORT_CACHING,
  errors: [],
  handle: async ({ answers, listing, markdown, site }) => {
    const answer = await answers.get(listing.revision(), 'feed', async () => {
      const entries: AtomEntry[] = [];
      for (const listed of listing.list({ limit: FEED_LENGTH, offset: 0 }))
        entries.push({ listed, html: await markdown.render(listed.proposal.content) });
      return atomFeed(site, entries);
    });
    return answer.reply();
  },
});
