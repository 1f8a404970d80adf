/**
 * Binary search: the first index in [low, high) for which `isBelow` is false; `high` if there is none. `isBelow` must be
 * true up to some index and false from there on. For the last index that is not above a value, subtract 1.
 */
export function lowerBound(low: number, high: number, isBelow: (index: number) => boolean): number {
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
