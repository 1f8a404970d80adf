import { REFERENCE_HEADERS, referencePage } from './page';

export { REFERENCE_HEADERS, referencePage };

/** The page with its headers, as a route takes it. */
export const REFERENCE_RENDERER = { page: referencePage, headers: REFERENCE_HEADERS };
