import { damageIn } from '../damage';

/** What a read gives; undefined where damage keeps it from giving anything, as a column of another type does. */
export function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const isOtherType = error instanceof TypeError || error instanceof RangeError;
    if (!isOtherType && damageIn(error) === undefined) throw error;
    return undefined;
  }
}
