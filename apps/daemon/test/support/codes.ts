/* Short names for what most blocks of a test come to, so that a list of answers fits on a line. */

export const MAIN = 'ADDED_TO_MAIN';
export const SIDE = 'ADDED_TO_ALTERNATIVE';
export const SWITCHED = 'ADDED_TO_ALTERNATIVE_AND_SWITCHED';
export const KNOWN = 'ALREADY_EXISTS';
