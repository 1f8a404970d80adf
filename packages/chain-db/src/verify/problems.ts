import { sqliteFailure } from '@wrkz/sqlite';
import { CorruptDatabase, UnreadableLiteMark } from '../errors';

/** Findings kept; one damaged body can put thousands of rows in doubt. */
const KEPT = 200;

/** What was found, in the order in which it was met. */
export class Problems {
  private readonly lines: string[] = [];
  private left = 0;

  add(where: string, what: string): void {
    if (this.lines.length < KEPT) this.lines.push(`${where}: ${what}`);
    else this.left++;
  }

  /** Adds a finding unless the two agree. */
  equal(where: string, what: string, found: Comparable, wanted: Comparable): void {
    const same = found instanceof Uint8Array && wanted instanceof Uint8Array ? found.equals(wanted) : found === wanted;
    if (!same) this.add(where, `${what} is ${shown(found)} in place of ${shown(wanted)}`);
  }

  get count(): number {
    return this.lines.length + this.left;
  }

  /** Adds a finding where a row is not the one that was written. */
  sound(where: string, { sound }: { readonly sound: boolean }): void {
    if (!sound) this.add(where, 'does not fit its checksum');
  }

  all(): string[] {
    return this.left === 0 ? [...this.lines] : [...this.lines, `and ${this.left} more`];
  }
}

type Comparable = Buffer | number | bigint | string | undefined;

function shown(value: Comparable): string {
  if (value === undefined) return 'missing';
  return value instanceof Uint8Array ? value.toString('hex') : String(value);
}

/** A damaged page makes SQLite throw; that is a finding, too, and the rest is still looked at. */
export function guarded<T>(problems: Problems, where: string, check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    const failure = error instanceof CorruptDatabase ? error : sqliteFailure(error);
    // A column of another type than it should have, as a flipped bit in a row's header makes.
    const isOtherType = error instanceof TypeError || error instanceof RangeError;
    if (failure === undefined && !isOtherType && !(error instanceof UnreadableLiteMark)) throw error;
    problems.add(where, isOtherType ? `cannot be read: ${error.message}` : (failure ?? (error as Error)).message);
    return undefined;
  }
}
