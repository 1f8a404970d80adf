'use strict';

// Without this, a test worker frees its large heap at the end. On a busy machine that takes longer than jest waits, and jest
// reports a leak.
process.once('beforeExit', () => process.exit());
