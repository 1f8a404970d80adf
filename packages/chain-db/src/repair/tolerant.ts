import { damageIn } from '../damage';

/** What a read gives; undefined where damage keeps it from giving anything. */
export function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (damageIn(error) === undefined) throw error;
    return undefined;
  }
}
