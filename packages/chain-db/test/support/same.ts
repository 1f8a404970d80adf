import { isDeepStrictEqual } from 'node:util';

/** Expects two results to be equal: much faster than `toEqual` for thousands of buffers. */
export function expectSame(found: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(found, wanted)) expect(found).toEqual(wanted);
}
