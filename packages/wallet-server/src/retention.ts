import { errorText, yieldToEventLoop } from '@wrkz/service-kit';
import { utcDayOf, type WalletDb } from '@wrkz/wallet-core';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export const RETENTION = {
  /** Stored responses of idempotency keys. The newest ones are retained regardless of age. */
  responses: { days: 30, newest: 10_000 },
  /** Daily sums of scoped keys. The latest days of each key are retained regardless of age. */
  spending: { days: 35, latest: 35 },
};

interface Dependencies {
  readonly current: () => WalletDb | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly warn: (text: string) => void;
}

export interface RetentionJob {
  /** Runs the job immediately, for a wallet that was just opened. */
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

/** @param isOpen checked between steps, because the wallet may be closed meanwhile */
export async function deleteExpired(
  { requests, sends, spending }: Pick<WalletDb, 'requests' | 'sends' | 'spending'>,
  now: number,
  isOpen: () => boolean,
  retention = RETENTION,
): Promise<void> {
  spending.dropBefore(utcDayOf(now) - retention.spending.days, retention.spending.latest);
  const before = now - retention.responses.days * DAY_MS;
  const { newest } = retention.responses;
  // A key is retained until its transactions can neither be mined nor reverted.
  const isSettled = (hash: string): boolean => {
    const send = sends.get(hash);
    return send === undefined || send.state === 'settled' || (send.state === 'givenUp' && send.signed === undefined);
  };
  while (isOpen() && requests.dropOld({ before, newest }, isSettled)) await yieldToEventLoop();
}
