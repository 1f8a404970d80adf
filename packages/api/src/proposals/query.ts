import { z } from 'zod';

/** A member of a query that may have been sent several times: the first one counts. */
export function first<S extends z.ZodType>(schema: S) {
  return z.preprocess((sent: unknown) => (Array.isArray(sent) ? (sent[0] as unknown) : sent), schema);
}

/** A whole number in decimal digits, within bounds; `otherwise` stands in for one that was not sent. */
export function wholeNumber({ min, max, otherwise }: { min: number; max: number; otherwise: number }) {
  const sent = (value: unknown): unknown => (value === undefined ? otherwise : isIntegerText(value) ? Number(value) : value);
  return first(z.preprocess(sent, z.int().min(min).max(max))).meta({
    type: 'integer',
    minimum: min,
    maximum: max,
    default: otherwise,
  });
}

/** Whether a text is a whole number, of whatever size. */
export function isIntegerText(value: unknown): value is string {
  return typeof value === 'string' && /^[+-]?\d+$/.test(value);
}
