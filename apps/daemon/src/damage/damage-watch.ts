import { type CorruptDatabase, damageIn, UnreadableLiteMark } from '@wrkz/chain-db';
import type { Logger, Metrics } from '@wrkz/service-kit';
import { errorText } from '@wrkz/service-kit/base';

/** The same damage is logged at most once in this time. */
const LOG_INTERVAL_MS = 60_000;
/** Max remembered messages. */
const MAX_LOGGED = 1_000;

/**
 * Counts and logs damage of the chain database, with the remedy. A read of damaged data throws; it never returns the data.
 */
export class DamageWatch {
  private count = 0;
  private readonly logged = new Map<string, number>();

  constructor(
    private readonly logger: Pick<Logger, 'error'>,
    /** Milliseconds of a monotonic clock. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Reads of damaged data since the start. */
  get total(): number {
    return this.count;
  }

  /** Publishes the count as a metric. */
  publish(metrics: Metrics): void {
    metrics.counted('database_damage_total', 'Reads that met damage in the chain database', () => this.count);
  }

  /** @returns the damage that the error reports; undefined for any other error, which is not counted */
  note(error: unknown): CorruptDatabase | undefined {
    const damage = damageIn(error);
    if (damage === undefined) return undefined;
    this.count++;
    const last = this.logged.get(damage.message);
    const now = this.now();
    if (last === undefined || now - last >= LOG_INTERVAL_MS) {
      if (this.logged.size >= MAX_LOGGED) this.logged.clear();
      this.logged.set(damage.message, now);
      this.logger.error(operatorText(damage));
    }
    return damage;
  }

  /** Runs a read whose result is optional: damage is counted and logged, and the result is undefined. */
  orUndefined<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (this.note(error) === undefined) throw error;
      return undefined;
    }
  }

  /** Runs a read whose result is required: damage is counted, logged and rethrown. */
  noted<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      this.note(error);
      throw error;
    }
  }
}

/** The text of an error for the operator, with the remedy for damage. */
export function operatorText(error: unknown): string {
  // The text of this error already contains the remedy.
  const damage = error instanceof UnreadableLiteMark ? undefined : damageIn(error);
  if (damage === undefined) return errorText(error);
  const text = errorText(error);
  return text.includes(damage.remedy) ? text : `${text}. What to do: ${damage.remedy}`;
}
