import type { HashIndexLimits } from '../../src/hash-index/hash-index';

/** Small enough that a few blocks cause runs of several pages and merges over several levels. */
export const SMALL_RUNS: HashIndexLimits = { fanIn: 2, pageEntries: 3 };

/** Small enough that the chains of tests cause frequent merges. */
export const SHORT_RUNS: HashIndexLimits = { fanIn: 3, pageEntries: 20 };
