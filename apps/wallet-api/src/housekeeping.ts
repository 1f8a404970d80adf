import { setImmediate as nextTurn } from 'node:timers/promises';
import { errorText } from '@wrkz/service-kit';
import { dayOf, type SideFile } from '@wrkz/wallet-core';
import type { OpenWallet } from './open-wallet';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** How long something is kept. */
export const KEPT = {
  /** Answers to requests with an Idempotency-Key; the newest ones stay whatever their age. */
  answers: { days: 30, newest: 10_000 },
  /** What a key has sent, by day; of each key its latest days stay whatever their age. */
  spending: { days: 35, latest: 35 },
};

export interface HousekeepingParts {
  readonly held: OpenWallet;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly warn: (text: string) => void;
}

/**
 * Drops from side files what is old, once a wallet is open and every hour (docs/operations/wallet-api.md#files).
 * @returns ends it
 */
export function keepHouse({ held, now, warn }: HousekeepingParts): () => void {
  const tidy = (): void => {
    const { current } = held;
    if (current === undefined) return;
    dropOld(current.sideFile, now(), () => held.current?.sideFile === current.sideFile).catch((error: unknown) =>
      warn(`old entries of the side file could not be dropped: ${errorText(error)}`),
    );
  };
  held.on('opened', tidy);
  const timer = setInterval(tidy, HOUR_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    held.off('opened', tidy);
  };
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
