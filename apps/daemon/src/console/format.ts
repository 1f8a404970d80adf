/* Formats of numbers, times and tables on the console (docs/operations/console.md). */

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

/** Hashes per second in steps of 1000; exactly 1000 keeps the smaller unit. */
export function rateText(hashesPerSecond: bigint | number): string {
  let value = Number(hashesPerSecond);
  let unit = 0;
  while (value > 1000 && unit < RATES.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(2)} ${RATES[unit] ?? ''}`;
}

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Bytes in steps of 1024. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < SIZES.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(2)} ${SIZES[unit] ?? ''}`;
}

function split(duration: number) {
  const seconds = Math.max(0, Math.floor(duration));
  return {
    days: Math.floor(seconds / 86_400),
    hours: Math.floor(seconds / 3_600) % 24,
    minutes: Math.floor(seconds / 60) % 60,
    seconds: seconds % 60,
  };
}

/** Seconds as `1d 2h 3m 4s`, for `status` and `print_cn`. */
export function uptimeText(duration: number): string {
  const { days, hours, minutes, seconds } = split(duration);
  return `${days}d ${hours}h ${minutes}m ${seconds}s`;
}

/** Seconds as `d1.h02.m03.s04`, for `print_pl`. */
export function intervalText(duration: number): string {
  const { days, hours, minutes, seconds } = split(duration);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `d${days}.h${two(hours)}.m${two(minutes)}.s${two(seconds)}`;
}

/** Unix seconds as `2026-01-31 09:05:07`, UTC. */
export function dateText(timestamp: number): string {
  const time = new Date(timestamp * 1000);
  return Number.isNaN(time.getTime()) ? String(timestamp) : time.toISOString().slice(0, 19).replace('T', ' ');
}

/** A peer id as 16 hex digits. */
export function peerIdText(id: bigint): string {
  return id.toString(16).padStart(16, '0');
}

type Row = readonly string[];

/** Labels and values between two lines of dashes. A column is as wide as its widest entry. */
export function labelTable(rows: readonly (readonly [label: string, value: string])[]): string {
  const [labels = 0, values = 0] = widths(rows);
  const rule = '-'.repeat(labels + values + 7);
  const lines = rows.map(([label, value]) => `| ${label.padEnd(labels)} | ${value.padEnd(values)} |`);
  return [rule, ...lines, rule, ''].join('\n');
}

/** A table with a header row and borders of `+` and `-`. */
export function grid(header: Row, rows: readonly Row[]): string {
  const all = widths([header, ...rows]);
  const border = `+${all.map((width) => '-'.repeat(width + 2)).join('+')}+`;
  const line = (row: Row): string => `|${all.map((width, i) => ` ${(row[i] ?? '').padEnd(width)} `).join('|')}|`;
  return [border, line(header), border, ...rows.map(line), border, ''].join('\n');
}

/** One line `label: value` for each row. */
export function labelLines(rows: readonly (readonly [label: string, value: string | number])[]): string {
  return rows.map(([label, value]) => `${label}: ${value}\n`).join('');
}

function widths(rows: readonly Row[]): number[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, i) =>
    rows.reduce((widest, row) => Math.max(widest, (row[i] ?? '').length), 0),
  );
}
