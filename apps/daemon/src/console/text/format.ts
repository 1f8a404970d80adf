/** The formats of figures on the console (docs/operations/console.md). */

export function yesNo(value: boolean): string {
  return value ? 'Yes' : 'No';
}

/** Two decimals; at most 99.99 while the target is not reached, 0.00 when either is 0. */
export function percentText(height: number, target: number): string {
  if (height <= 0 || target <= 0) return '0.00';
  const percent = (100 * Math.min(height, target)) / target;
  return (height < target ? Math.min(percent, 99.99) : percent).toFixed(2);
}

const RATES = ['H/s', 'KH/s', 'MH/s', 'GH/s'] as const;

/** Hashes a second by steps of 1000, each left behind only above it. */
export function rateText(hashesASecond: bigint): string {
  let value = Number(hashesASecond);
  let unit = 0;
  while (value > 1000 && unit < RATES.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(2)} ${RATES[unit] ?? ''}`;
}

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Bytes by steps of 1024. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < SIZES.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(2)} ${SIZES[unit] ?? ''}`;
}

interface Parts {
  readonly days: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
}

function parts(duration: number): Parts {
  const seconds = Math.max(0, Math.floor(duration));
  return {
    days: Math.floor(seconds / 86_400),
    hours: Math.floor(seconds / 3_600) % 24,
    minutes: Math.floor(seconds / 60) % 60,
    seconds: seconds % 60,
  };
}

/** Seconds as `status` and `print_cn` have them: `1d 2h 3m 4s`. */
export function uptimeText(duration: number): string {
  const { days, hours, minutes, seconds } = parts(duration);
  return `${days}d ${hours}h ${minutes}m ${seconds}s`;
}

/** Seconds as `print_pl` has them: `d1.h02.m03.s04`. */
export function intervalText(duration: number): string {
  const { days, hours, minutes, seconds } = parts(duration);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `d${days}.h${two(hours)}.m${two(minutes)}.s${two(seconds)}`;
}

/** Unix seconds as `2026-01-31 09:05:07`, UTC. */
export function dateText(timestamp: number): string {
  const time = new Date(timestamp * 1000);
  return Number.isNaN(time.getTime()) ? String(timestamp) : time.toISOString().slice(0, 19).replace('T', ' ');
}

/** A peer's id: 16 digits of hex. */
export function peerIdText(id: bigint): string {
  return id.toString(16).padStart(16, '0');
}
