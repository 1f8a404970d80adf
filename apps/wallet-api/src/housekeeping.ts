import { setImmediate as nextTurn } from 'node:timers/promises';
import { errorText } from '@wrkz/service-kit';
import { dayOf, type SideFile } from '@wrkz/wallet-core';
import type { OpenWallet } from './open-wallet';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** How long answers to requests with an Idempotency-Key are kept; the newest ones stay whatever their age. */
const ANSWERS = { ageMs: 30 * DAY_MS, newest: 10_000 };
/** How many days of what a key has sent are kept; of each key its latest ones stay whatever their age. */
const SPENDING = { days: 35, latest: 35 };

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
): Promise<void> {
  spending.dropBefore(dayOf(now) - SPENDING.days, SPENDING.latest);
  while (goOn() && answers.dropAnswered({ before: now - ANSWERS.ageMs, newest: ANSWERS.newest })) await nextTurn();
}
