import { isUnreadableNow } from '@wrkz/chain-db';

/**
 * Reads the chain for an answer.
 *
 * @param busy the refusal for a chain that cannot be read now; every other error stays what it is
 */
export function readNow<T>(read: () => T, busy: () => Error): T {
  try {
    return read();
  } catch (error) {
    throw isUnreadableNow(error) ? busy() : error;
  }
}

/** What is read; undefined while the chain cannot be read now. */
export function readOrNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isUnreadableNow(error)) return undefined;
    throw error;
  }
}
