import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { errorText } from '@wrkz/service-kit';
import { dayOf, type SideFile } from '@wrkz/wallet-core';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Retention periods. */
export const RETENTION = {
  /** Responses stored for idempotency keys; the newest ones stay at any age. */
  answers: { days: 30, newest: 10_000 },
  /** Amounts sent by scoped keys, per day; the latest days of each key stay at any age. */
  spending: { days: 35, latest: 35 },
};

interface Dependencies {
  /** The database of the open wallet. */
  readonly current: () => SideFile | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly warn: (text: string) => void;
}

export interface RetentionJob {
  /** Runs the job now, for a wallet that was just opened. */
  readonly run: () => void;
  readonly stop: () => void;
}

/** Deletes expired rows from the wallet database every hour (docs/operations/wallet-api.md#files). */
export function startRetentionJob({ current, now, warn }: Dependencies): RetentionJob {
  const run = (): void => {
    const sideFile = current();
    if (sideFile === undefined) return;
    deleteExpired(sideFile, now(), () => current() === sideFile).catch((error: unknown) =>
      warn(`expired entries of the side file could not be deleted: ${errorText(error)}`),
    );
  };
  const timer = setInterval(run, HOUR_MS);
  timer.unref();
  return { run, stop: () => clearInterval(timer) };
}

/** @param isOpen checked between two steps: the wallet may be closed meanwhile */
export async function deleteExpired(
  { answers, spending }: Pick<SideFile, 'answers' | 'spending'>,
  now: number,
  isOpen: () => boolean,
  retention = RETENTION,
): Promise<void> {
  spending.dropBefore(dayOf(now) - retention.spending.days, retention.spending.latest);
  const before = now - retention.answers.days * DAY_MS;
  while (isOpen() && answers.dropAnswered({ before, newest: retention.answers.newest })) await yieldToEventLoop();
}
