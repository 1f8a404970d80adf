import { Reply, type Guards, type Route } from '../routes/declaration';
import type { ServiceDescription } from './description';
import { type Declared, serviceReference, type ServiceReference } from './reference';

/** Makes a page of a reference, and says under which headers it may be shown. */
export interface DocsRenderer {
  readonly page: (reference: ServiceReference) => string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The page asks for no key, which nobody can type into a browser; it holds what the repository's pages hold. */
const NO_KEY: Guards = { key: false, limit: true };

/**
 * GET /docs: the declarations as a page. It is made once, at the first request; `declared` may hold this very route.
 * @param rest guards of a service that counts otherwise, and labels where every route has such
 */
export function docsRoute<Context, Labels>(
  service: ServiceDescription<Context, Labels>,
  declared: () => Declared<Context, Labels>,
  { page, headers }: DocsRenderer,
  rest: { readonly guards?: Guards; readonly labels?: Labels } = {},
): Route<Context, Labels> {
  let made: string | undefined;
  return {
    method: 'GET',
    path: '/docs',
    summary: 'A page for people about these routes and methods.',
    guards: NO_KEY,
    ...rest,
    answer: { contentType: 'text/html; charset=utf-8', description: 'The page, whole: it loads nothing' },
    errors: [],
    handle: () => new Reply(200, (made ??= page(serviceReference(service, declared()))), headers),
  };
}
