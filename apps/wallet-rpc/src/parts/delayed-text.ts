import type { DelayedTransaction, FinishedSend } from '@wrkz/wallet-core';

/** What of a finished transaction stands beside its bytes. */
type Remembered = Omit<FinishedSend, 'bytes' | 'hash'>;

interface WrittenInteger {
  readonly integer: string;
}

/** What is known of a finished transaction as JSON; amounts stand as decimal digits. */
export function delayedText({ fee, mixin, defaultMixin, intent }: FinishedSend): string {
  const remembered: Remembered = { fee, mixin, defaultMixin, intent };
  return JSON.stringify(remembered, (_name, value: unknown): unknown =>
    typeof value === 'bigint' ? ({ integer: value.toString() } satisfies WrittenInteger) : value,
  );
}

/** The finished transaction of a row. */
export function finishedSend({ hash, bytes, intent }: DelayedTransaction): FinishedSend {
  const remembered = JSON.parse(intent, (_name, value: unknown): unknown =>
    isWrittenInteger(value) ? BigInt(value.integer) : value,
  ) as Remembered;
  return { ...remembered, hash, bytes };
}

function isWrittenInteger(value: unknown): value is WrittenInteger {
  if (typeof value !== 'object' || value === null) return false;
  const names = Object.keys(value);
  return names.length === 1 && names[0] === 'integer';
}
