import { readFileSync } from 'node:fs';

/**
 * Whether this process may read its terminal. One in the background is stopped by the system as soon as it tries. Told by
 * Linux alone; elsewhere it is taken to be so.
 */
export function isInForeground(): boolean {
  try {
    // pid (name) state parent group session terminal group-of-the-terminal; the name may hold anything
    const fields = readFileSync('/proc/self/stat', 'utf8').split(')').at(-1)?.trim().split(' ') ?? [];
    return fields[2] === fields[5];
  } catch {
    return true;
  }
}
