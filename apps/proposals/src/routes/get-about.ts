import { aboutPage } from '../pages/about';
import { declareRoute, HTML_TYPE, LIMITED, SHORT_CACHING } from './route';

export const getAbout = declareRoute({
  method: 'GET',
  path: '/about',
  summary: 'How proposals are funded, and how programs read them, as a page.',
  guards: LIMITED,
  answer: { contentType: HTML_TYPE, description: 'A page' },
  caching: SHORT_CACHING,
  errors: [],
  handle: async ({ answers, listing, site }) =>
    (await answers.get(listing.revision(), 'about', () => site.page(aboutPage()))).reply(),
});
