import { BelowFloor } from '@wrkz/chain-db';

/** What a command prints; where it wants what is not kept, that. */
export function orBelowFloor(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (error instanceof BelowFloor) return `${error.message}\n`;
    throw error;
  }
}
