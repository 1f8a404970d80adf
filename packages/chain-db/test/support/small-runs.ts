import type { HashIndexLimits } from '../../src/hash-index/hash-index';

/** So small that a few blocks make runs of several pages and merges over several levels, a few entries a step. */
export const SMALL_RUNS: HashIndexLimits = { recent: 5, fanIn: 2, step: 6, page: 3 };

/** Small enough for the chains of tests, large enough that most of their time is not spent on commits of merges. */
export const SHORT_RUNS: HashIndexLimits = { recent: 60, fanIn: 3, step: 120, page: 20 };
