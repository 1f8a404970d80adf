import { badRequest } from '../refusals';

const MAX_UINT64 = 2n ** 64n - 1n;
const HIGHEST = BigInt(Number.MAX_SAFE_INTEGER);

/** A height of a path; one that no chain reaches is cut. @throws HttpError 400 beyond 64 bits */
export function heightOf(text: string): number {
  const height = BigInt(text);
  if (height > MAX_UINT64) throw badRequest();
  return Number(height < HIGHEST ? height : HIGHEST);
}

/** The blocks [start, end) of a path. @throws HttpError 400 for none, and beyond 64 bits */
export function rangeOf(start: string, end: string): { readonly start: number; readonly end: number } {
  const range = { start: heightOf(start), end: heightOf(end) };
  if (BigInt(start) >= BigInt(end)) throw badRequest();
  return range;
}

/** Blocks that a listing without an end covers. */
export const BLOCKS_OF_A_LISTING = 1_000;
