import { type CorruptDatabase, damageIn } from '@wrkz/chain-db';
import type { Logger, Metrics } from '@wrkz/service-kit';
import { operatorText } from './operator-text';

/** The same damage is logged at most once in so many milliseconds. */
const REPEAT_AFTER = 60_000;
/** Remembered messages. */
const REMEMBERED = 1_000;

/**
 * Counts and logs damage of the chain database, with the remedy. The caller of the read gets an error, never the damaged data.
 */
export class DamageWatch {
  private count = 0;
  private counter: { inc(): void } | undefined;
  private readonly logged = new Map<string, number>();

  constructor(
    private readonly logger: Pick<Logger, 'error'>,
    /** Milliseconds of a monotonic clock. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Reads that met damage since the start. */
  get total(): number {
    return this.count;
  }

  /** Publishes the count as a metric. */
  publish(metrics: Metrics): void {
    this.counter = metrics.counter('database_damage_total', 'Reads that met damage in the chain database');
  }

  /** @returns the damage that the error tells of; undefined for any other error, which is not counted */
  note(error: unknown): CorruptDatabase | undefined {
    const damage = damageIn(error);
    if (damage === undefined) return undefined;
    this.count++;
    this.counter?.inc();
    const last = this.logged.get(damage.message);
    const now = this.now();
    if (last === undefined || now - last >= REPEAT_AFTER) {
      if (this.logged.size >= REMEMBERED) this.logged.clear();
      this.logged.set(damage.message, now);
      this.logger.error(operatorText(damage));
    }
    return damage;
  }

  /** Runs a read whose result is optional: damage is noted, and the result is undefined. */
  orUndefined<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (this.note(error) === undefined) throw error;
      return undefined;
    }
  }

  /** Runs a read whose result is needed: damage is noted and thrown. */
  noted<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      this.note(error);
      throw error;
    }
  }
}
