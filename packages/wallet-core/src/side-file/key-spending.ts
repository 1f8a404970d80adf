import type { SqliteConnection } from '@wrkz/sqlite';

const DAY = 86_400_000;

/** The day of a moment in Unix milliseconds, counted from 1970 in UTC. */
export const dayOf = (now: number): number => Math.floor(now / DAY);

/** What access keys have sent, by day, so that a limit survives a restart. Amounts are atomic units, fees counted in. */
export class KeySpending {
  constructor(private readonly connection: SqliteConnection) {}

  spent(name: string, day: number): bigint {
    const row = this.connection
      .prepare<[string, number], [string]>('SELECT amount FROM spending WHERE name = ? AND day = ?')
      .raw(true)
      .get(name, day);
    return BigInt(row?.[0] ?? 0);
  }

  /**
   * Counts an amount that is about to be sent, unless the day's limit forbids it.
   * @returns whether it may be sent
   */
  reserve(name: string, day: number, amount: bigint, limit: bigint): boolean {
    if (amount < 0n) throw new RangeError('an amount is not negative');
    return this.connection
      .transaction(() => {
        const sum = this.spent(name, day) + amount;
        if (sum > limit) return false;
        this.put(name, day, sum);
        return true;
      })
      .immediate();
  }

  /** Gives an amount back that was not sent after all; the day is that of its reservation. */
  giveBack(name: string, day: number, amount: bigint): void {
    this.connection
      .transaction(() => {
        const rest = this.spent(name, day) - amount;
        this.put(name, day, rest > 0n ? rest : 0n);
      })
      .immediate();
  }

  /** Drops sums of days before one; of each key so many of its latest days stay, since a clock may be wrong for a while. */
  dropBefore(day: number, latest = 0): number {
    return this.connection
      .prepare(
        `DELETE FROM spending WHERE day < ? AND
          (SELECT count(*) FROM spending later WHERE later.name = spending.name AND later.day > spending.day) >= ?`,
      )
      .run(day, latest).changes;
  }

  private put(name: string, day: number, amount: bigint): void {
    this.connection.prepare('INSERT OR REPLACE INTO spending VALUES (?, ?, ?)').run(name, day, String(amount));
  }
}
