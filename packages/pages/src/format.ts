import { html, type Markup } from './html';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** A day in UTC: `22 Nov 2026`. */
export function dayText(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;
}

/** A time in UTC: `22 Nov 2026, 14:05 UTC`. */
export function timeText(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  return `${dayText(unixSeconds)}, ${twoDigits(date.getUTCHours())}:${twoDigits(date.getUTCMinutes())} UTC`;
}

/** ISO 8601: `2026-11-22T14:05:00Z`. */
export function isoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** A `time` element: the day as text, the exact time as tooltip and in `datetime`. */
export function dayElement(unixSeconds: number): Markup {
  return html`<time datetime="${isoTime(unixSeconds)}" title="${timeText(unixSeconds)}">${dayText(unixSeconds)}</time>`;
}

/** A number with its noun: `1 proposal`, `2 proposals`. */
export function countText(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}
