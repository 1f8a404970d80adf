import { MACHINE_CLOCK, type SyncClock } from '@wrkz/wallet-core';

/** How many times sooner a wallet asks its node again than one outside of tests. */
const QUICKER = 50;

/** A wallet's waits between its questions, cut down: five seconds to 100 ms, the minute between looks at sends to 1.2 s. */
export const QUICK_CLOCK: SyncClock = {
  now: () => MACHINE_CLOCK.now(),
  wait: (milliseconds, signal) => MACHINE_CLOCK.wait(milliseconds / QUICKER, signal),
};
