import { setImmediate as nextTurn } from 'node:timers/promises';
import { errorText } from '@wrkz/service-kit';
import { dayOf, type SideFile } from '@wrkz/wallet-core';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** How long something is kept. */
export const KEPT = {
  /** Answers to requests with an idempotency key; the newest ones stay whatever their age. */
  answers: { days: 30, newest: 10_000 },
  /** What a key has sent, by day; of each key its latest days stay whatever their age. */
  spending: { days: 35, latest: 35 },
};

export interface HousekeepingParts {
  /** The side file of the wallet that is open. */
  readonly current: () => SideFile | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly warn: (text: string) => void;
}

export interface Housekeeping {
  /** Does it at once, for a wallet that was just opened. */
  readonly tidy: () => void;
  readonly stop: () => void;
}

/** Drops from side files what is old, every hour (docs/operations/wallet-api.md#files). */
export function keepHouse({ current, now, warn }: HousekeepingParts): Housekeeping {
  const tidy = (): void => {
    const sideFile = current();
    if (sideFile === undefined) return;
    dropOld(sideFile, now(), () => current() === sideFile).catch((error: unknown) =>
      warn(`old entries of the side file could not be dropped: ${errorText(error)}`),
    );
  };
  const timer = setInterval(tidy, HOUR_MS);
  timer.unref();
  return { tidy, stop: () => clearInterval(timer) };
}

/** @param goOn asked between the steps: the wallet may be closed meanwhile */
export async function dropOld(
  { answers, spending }: Pick<SideFile, 'answers' | 'spending'>,
  now: number,
  goOn: () => boolean,
  kept = KEPT,
): Promise<void> {
  spending.dropBefore(dayOf(now) - kept.spending.days, kept.spending.latest);
  const before = now - kept.answers.days * DAY_MS;
  while (goOn() && answers.dropAnswered({ before, newest: kept.answers.newest })) await nextTurn();
}
