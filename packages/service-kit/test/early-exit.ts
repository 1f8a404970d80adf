import { EarlyExit } from '../src/cli/options';

/** The way in which a program ends before it begins. */
export function earlyExit(begin: () => unknown): EarlyExit {
  try {
    begin();
  } catch (error) {
    if (error instanceof EarlyExit) return error;
    throw error;
  }
  throw new Error('it did not exit');
}
