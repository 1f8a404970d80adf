import { DECIMAL_PLACES, MAX_WALLET_OUTPUT, TICKER } from './networks/constants';
import { MAX_UINT64 } from './varint';

const UNIT = 10n ** BigInt(DECIMAL_PLACES);

/** An amount of atomic units as text: at least one digit, a point, exactly two digits. Negative amounts have a sign. */
export function formatAmount(amount: bigint): string {
  const size = amount < 0n ? -amount : amount;
  const fraction = (size % UNIT).toString().padStart(DECIMAL_PLACES, '0');
  return `${amount < 0n ? '-' : ''}${size / UNIT}.${fraction}`;
}

/** An amount for display: thousands separated, with the ticker, e.g. `1,234,567.89 WRKZ`. */
export function describeAmount(amount: bigint): string {
  const [whole = '', fraction = ''] = formatAmount(amount).split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction} ${TICKER}`;
}

/**
 * The atomic units of a text such as `12`, `12.3` or `.5`; zeros after the second digit are allowed.
 * undefined for anything else or more than 64 bits.
 */
export function parseAmount(text: string): bigint | undefined {
  const match = /^\s*(\d*)(?:\.(\d*?)0*)?\s*$/.exec(text);
  const whole = match?.[1] ?? '';
  const fraction = match?.[2] ?? '';
  if (match === null || !/\d/.test(text) || fraction.length > DECIMAL_PLACES) return undefined;
  const amount = BigInt(whole + fraction.padEnd(DECIMAL_PLACES, '0'));
  return amount <= MAX_UINT64 ? amount : undefined;
}

/** 1 to 9 times every power of ten up to 10^18 that fits 64 bits: the 171 amounts that outputs are made of. */
export const prettyAmounts: readonly bigint[] = Array.from(
  { length: 19 * 9 },
  (_, i) => BigInt((i % 9) + 1) * 10n ** BigInt(Math.floor(i / 9)),
);
const prettySet: ReadonlySet<bigint> = new Set(prettyAmounts);

/** Whether an amount is one digit followed by zeros. */
export function isPrettyAmount(amount: bigint): boolean {
  return prettySet.has(amount);
}

/**
 * An amount as its decimal digits times their powers of ten, lowest first. Low digits whose running sum is at most the
 * dust threshold are one sum, before the first larger part
 * (docs/protocol/wallet.md#amounts-in-digits).
 */
export function decomposeAmount(amount: bigint, dustThreshold: bigint): bigint[] {
  const parts: bigint[] = [];
  let dust = 0n;
  let isDustPending = true;
  const flushDust = (): void => {
    if (isDustPending && dust !== 0n) {
      parts.push(dust);
      isDustPending = false;
    }
  };
  for (let rest = amount, order = 1n; rest > 0n; rest /= 10n, order *= 10n) {
    const part = (rest % 10n) * order;
    if (dust + part <= dustThreshold) {
      dust += part;
    } else {
      flushDust();
      if (part !== 0n) parts.push(part);
    }
  }
  flushDust();
  return parts;
}

/** A larger amount would need more outputs than a transaction can have. */
const MAX_SPLIT_AMOUNT = 10n ** 16n;

/**
 * The outputs that a wallet creates for an amount: its digits times their powers of ten, lowest first. A part above the
 * largest output of wallets (500,000,000,000) is split into 10, 100, ... equal parts. RangeError above 10^16.
 */
export function splitIntoDenominations(amount: bigint): bigint[] {
  if (amount > MAX_SPLIT_AMOUNT) throw new RangeError('the amount is too large to be split into outputs');
  return decomposeAmount(amount, 0n).flatMap((part) => {
    let size = part;
    let count = 1;
    for (; size > MAX_WALLET_OUTPUT; size /= 10n) count *= 10;
    return new Array<bigint>(count).fill(size);
  });
}
