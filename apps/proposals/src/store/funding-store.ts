import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';

/** A donation that stands in a block. */
export interface Contribution {
  /** Of its transaction, 64 hex characters. */
  readonly hash: string;
  /** Atomic units, above 0. */
  readonly amount: bigint;
  /** The index of its block. */
  readonly height: number;
  /** Unix seconds of its block. */
  readonly time: number;
  /** Whether it could be spent when the wallet was asked. */
  readonly unlocked: boolean;
}

/** What one address has received. */
export interface AddressFunding {
  /** Atomic units that are confirmed and unlocked. */
  readonly received: bigint;
  /** Atomic units that are confirmed and still locked. */
  readonly pending: bigint;
  /** Unix seconds when the wallet was asked. */
  readonly checked: number;
  /** The index of the wallet's tip then. */
  readonly height: number;
}

interface FundingRow {
  readonly received: bigint;
  readonly pending: bigint;
  readonly checked: bigint;
  readonly height: bigint;
}

interface ContributionRow {
  readonly hash: string;
  readonly amount: bigint;
  readonly height: bigint;
  readonly time: bigint;
  readonly unlocked: bigint;
}

/** What is known of the income, kept over restarts. */
export class FundingStore {
  private readonly one: SqliteStatement<[string], FundingRow>;
  private readonly selectContributions: SqliteStatement<[string], ContributionRow>;
  private readonly put: SqliteStatement<[AddressFunding & { address: string }]>;
  private readonly remove: SqliteStatement<[string]>;
  private readonly add: SqliteStatement<[Omit<Contribution, 'unlocked'> & { address: string; unlocked: number }]>;
  /** Another number after each change of a donation. */
  revision = 0;
  private lastCheckedAt: number | undefined;

  /** @param committed called after each commit */
  constructor(
    private readonly connection: SqliteConnection,
    private readonly committed: () => void = () => undefined,
  ) {
    this.one = connection
      .prepare<[string], FundingRow>('SELECT received, pending, checked, height FROM funding WHERE address = ?')
      .safeIntegers();
    this.selectContributions = connection
      .prepare<[string], ContributionRow>(
        'SELECT hash, amount, height, time, unlocked FROM contributions WHERE address = ? ORDER BY time DESC, hash',
      )
      .safeIntegers();
    this.put = connection.prepare(
      `INSERT INTO funding VALUES (@address, @received, @pending, @checked, @height) ON CONFLICT (address) DO UPDATE
       SET received = @received, pending = @pending, checked = @checked, height = @height`,
    );
    this.lastCheckedAt =
      connection.prepare<[], number | null>('SELECT max(checked) FROM funding').pluck().get() ?? undefined;
    this.remove = connection.prepare('DELETE FROM contributions WHERE address = ?');
    this.add = connection.prepare(
      'INSERT INTO contributions VALUES (@address, @hash, @amount, @height, @time, @unlocked)',
    );
  }

  /** When the wallet was last asked with success, in Unix seconds, also by an earlier run. */
  lastChecked(): number | undefined {
    return this.lastCheckedAt;
  }

  /** Undefined for an address that the wallet was never asked about. */
  find(address: string): AddressFunding | undefined {
    const row = this.one.get(address);
    return row && { ...row, checked: Number(row.checked), height: Number(row.height) };
  }

  /** Newest first. */
  contributions(address: string): Contribution[] {
    return this.selectContributions.all(address).map((row) => ({
      ...row,
      height: Number(row.height),
      time: Number(row.time),
      unlocked: row.unlocked !== 0n,
    }));
  }

  /** Puts what a look at the wallet found in the place of what was known of these addresses, all at once. */
  replace(found: ReadonlyMap<string, readonly Contribution[]>, at: { checked: number; height: number }): void {
    let changed = false;
    this.connection
      .transaction(() => {
        for (const [address, contributions] of found) {
          const facts = { address, ...at, received: sum(contributions, true), pending: sum(contributions, false) };
          this.put.run(facts);
          if (isSame(this.contributions(address), contributions)) continue;
          changed = true;
          this.remove.run(address);
          for (const one of contributions) this.add.run({ ...one, address, unlocked: one.unlocked ? 1 : 0 });
        }
      })
      .immediate();
    this.committed();
    this.lastCheckedAt = at.checked;
    if (changed) this.revision += 1;
  }
}

/** Whether two lists hold the same donations, in whatever order. */
function isSame(known: readonly Contribution[], found: readonly Contribution[]): boolean {
  const marks = new Set(known.map(markOf));
  return known.length === found.length && found.every((one) => marks.has(markOf(one)));
}

const markOf = ({ hash, amount, height, time, unlocked }: Contribution): string =>
  [hash, amount, height, time, unlocked].join();

function sum(contributions: readonly Contribution[], unlocked: boolean): bigint {
  return contributions.reduce((total, one) => (one.unlocked === unlocked ? total + one.amount : total), 0n);
}
