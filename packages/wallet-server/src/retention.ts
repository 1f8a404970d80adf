import { errorText, yieldToEventLoop } from '@wrkz/service-kit';
import { utcDayOf, type WalletDb } from '@wrkz/wallet-core';

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
  readonly current: () => WalletDb | undefined;
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
    const db = current();
    if (db === undefined) return;
    deleteExpired(db, now(), () => current() === db).catch((error: unknown) =>
      warn(`expired rows of the wallet database could not be deleted: ${errorText(error)}`),
    );
  };
  const timer = setInterval(run, HOUR_MS);
  timer.unref();
  return { run, stop: () => clearInterval(timer) };
}

/** @param isOpen checked between two steps: the wallet may be closed meanwhile */
export async function deleteExpired(
  { requests, sends, spending }: Pick<WalletDb, 'requests' | 'sends' | 'spending'>,
  now: number,
  isOpen: () => boolean,
  retention = RETENTION,
): Promise<void> {
  spending.dropBefore(utcDayOf(now) - retention.spending.days, retention.spending.latest);
  const before = now - retention.answers.days * DAY_MS;
  const { newest } = retention.answers;
  // A key lives at least until its transactions can neither be mined nor undone any more.
  const isSettled = (hash: string): boolean => {
    const send = sends.get(hash);
    return send === undefined || send.state === 'settled' || (send.state === 'givenUp' && send.signed === undefined);
  };
  while (isOpen() && requests.dropOld({ before, newest }, isSettled)) await yieldToEventLoop();
}
