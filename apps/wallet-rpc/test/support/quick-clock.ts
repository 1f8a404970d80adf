import { MACHINE_CLOCK, type WaitClock } from '@wrkz/service-kit';

/** Waits between requests to a node are this many times shorter than outside of tests. */
const SPEED = 50;

/** Shortens the waits of a wallet: 5 s become 100 ms. */
export const QUICK_CLOCK: WaitClock = {
  wait: (milliseconds, signal) => MACHINE_CLOCK.wait(milliseconds / SPEED, signal),
};
