import { z } from 'zod';

/** A member of a query that may have been sent several times: the first one counts. */
export function first<S extends z.ZodType>(schema: S) {
  return z.preprocess((sent: unknown) => (Array.isArray(sent) ? (sent[0] as unknown) : sent), schema);
}

/** A whole number in decimal digits, within bounds; `otherwise` stands in for one that was not sent. */
export function wholeNumber({ min, max, otherwise }: { min: number; max: number; otherwise: number }) {
  const numbers = z.preprocess(
    (text: unknown) => (isIntegerText(text) ? Number(text) : text),
    z.int().min(min).max(max),
  );
  return first(numbers).default(otherwise).meta({ type: 'integer', minimum: min, maximum: max });
}

/** Whether a text is a whole number, of whatever size. */
export function isIntegerText(value: unknown): value is string {
  return typeof value === 'string' && /^[+-]?\d+$/.test(value);
}
