import type { HashIndexLimits } from '../../src/hash-index/hash-index';

/** So small that a few blocks make runs of several pages and merges over several levels. */
export const SMALL_RUNS: HashIndexLimits = { fanIn: 2, pageEntries: 3 };

/** Small enough for the chains of tests to merge often. */
export const SHORT_RUNS: HashIndexLimits = { fanIn: 3, pageEntries: 20 };
