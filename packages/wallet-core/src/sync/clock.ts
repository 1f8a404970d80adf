import { setTimeout } from 'node:timers/promises';
import type { WaitClock } from '@wrkz/service-kit/base';

/** The machine's timers. */
export const MACHINE_CLOCK: WaitClock = {
  wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
};
