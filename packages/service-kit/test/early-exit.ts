import { EarlyExit } from '../src/cli/options';

/** Runs a start that must exit early. @returns its exit @throws Error if it does not exit */
export function earlyExit(begin: () => unknown): EarlyExit {
  try {
    begin();
  } catch (error) {
    if (error instanceof EarlyExit) return error;
    throw error;
  }
  throw new Error('it did not exit');
}
