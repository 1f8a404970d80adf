import { damageIn } from '../failures';
import { UnreadableLiteMark } from '../errors';

/** Max findings reported individually: one wrong row can contradict thousands of others. */
const MAX_LINES = 200;

/** The findings of a verification, in order of detection. */
export class Problems {
  private readonly lines: string[] = [];
  private omitted = 0;

  add(where: string, what: string): void {
    this.line(`${where}: ${what}`);
  }

  line(text: string): void {
    if (this.lines.length < MAX_LINES) this.lines.push(text);
    else this.omitted++;
  }

  /** Adds a finding unless the two are equal. */
  equal(where: string, what: string, found: Comparable, expected: Comparable): void {
    const isSame =
      found instanceof Uint8Array && expected instanceof Uint8Array ? found.equals(expected) : found === expected;
    if (!isSame) this.add(where, `${what} is ${shown(found)}, expected ${shown(expected)}`);
  }

  /** Runs a check. Damage, or a column of the wrong type, is added as a finding, and the result is undefined. */
  guard<T>(where: string, check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      const isWrongType = error instanceof TypeError || error instanceof RangeError;
      const damage = damageIn(error);
      if (damage === undefined && !isWrongType && !(error instanceof UnreadableLiteMark)) throw error;
      this.add(where, damage?.reason ?? (error as Error).message);
      return undefined;
    }
  }

  get count(): number {
    return this.lines.length + this.omitted;
  }

  all(): string[] {
    return this.omitted === 0 ? [...this.lines] : [...this.lines, `and ${this.omitted} more`];
  }
}

type Comparable = Buffer | number | bigint | string | undefined;

function shown(value: Comparable): string {
  if (value === undefined) return 'missing';
  return value instanceof Uint8Array ? value.toString('hex') : String(value);
}
