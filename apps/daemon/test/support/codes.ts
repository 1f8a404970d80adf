/* Short names of frequent codes, so that a list of results fits on a line. */

export const MAIN = 'ADDED_TO_MAIN';
export const SIDE = 'ADDED_TO_ALTERNATIVE';
export const SWITCHED = 'ADDED_TO_ALTERNATIVE_AND_SWITCHED';
export const KNOWN = 'ALREADY_EXISTS';
