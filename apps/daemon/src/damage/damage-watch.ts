import { type CorruptDatabase, damageIn } from '@wrkz/chain-db';
import type { Logger, Metrics } from '@wrkz/service-kit';
import { operatorText } from './operator-text';

/** The same damage is written to the log once in so many milliseconds, however often it is met. */
const REPEAT_AFTER = 60_000;
/** Different ones remembered. */
const REMEMBERED = 1_000;

/**
 * Hears of damage wherever the daemon meets it: counts it, and tells the operator what and where it is and what to do.
 * Whoever asked gets an error, never what the damaged bytes would say.
 */
export class DamageWatch {
  private count = 0;
  private counter: { inc(): void } | undefined;
  private readonly told = new Map<string, number>();

  constructor(
    private readonly logger: Pick<Logger, 'error'>,
    /** Milliseconds that never go back. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** How often damage was met since the start. */
  get total(): number {
    return this.count;
  }

  /** From now on the count is among the program's metrics. */
  publish(metrics: Metrics): void {
    this.counter = metrics.counter('database_damage_total', 'Reads that met damage in the chain database');
  }

  /** @returns the damage that the error tells of; undefined for any other error, which is not counted */
  note(error: unknown): CorruptDatabase | undefined {
    const damage = damageIn(error);
    if (damage === undefined) return undefined;
    this.count++;
    this.counter?.inc();
    const last = this.told.get(damage.message);
    const now = this.now();
    if (last === undefined || now - last >= REPEAT_AFTER) {
      if (this.told.size >= REMEMBERED) this.told.clear();
      this.told.set(damage.message, now);
      this.logger.error(operatorText(damage));
    }
    return damage;
  }

  /** Does a read for somebody who can do without it: damage is noted, and there is no answer. */
  orNothing<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (this.note(error) === undefined) throw error;
      return undefined;
    }
  }

  /** Does a read for somebody who cannot: damage is noted and thrown. */
  noted<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      this.note(error);
      throw error;
    }
  }
}
