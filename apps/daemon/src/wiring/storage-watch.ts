import type { ChainDb } from '@wrkz/chain-db';

/** Milliseconds from one look at the folder to the next; each change of the chain looks as well. */
const INTERVAL = 2_000;

/**
 * Looks from time to time whether the database still stands in its folder. Without it a node whose folder was deleted, or
 * mounted for reading, goes on serving and mining until it is stopped, and then all of that is gone.
 *
 * @param onGone is called once
 * @returns ends it
 */
export function watchStorage(db: Pick<ChainDb, 'checkInPlace'>, onGone: (error: unknown) => void): () => void {
  const timer = setInterval(() => {
    try {
      db.checkInPlace();
    } catch (error) {
      clearInterval(timer);
      onGone(error);
    }
  }, INTERVAL);
  return () => clearInterval(timer);
}
