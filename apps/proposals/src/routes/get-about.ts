import { aboutPage } from '../pages/about';
import { declareListingRoute, HTML_TYPE, COUNTED, SHORT_CACHING } from './route';

export const getAbout = declareListingRoute({
  method: 'GET',
  path: '/about',
  summary: 'How proposals are funded, and how programs read them, as a page.',
  guards: COUNTED,
  response: { contentType: HTML_TYPE, description: 'A page' },
  caching: SHORT_CACHING,
  errors: [],
  handle: async ({ answers, listing, site }) =>
    (await answers.get(listing.revision(), 'about', () => site.page(aboutPage()))).reply(),
});
