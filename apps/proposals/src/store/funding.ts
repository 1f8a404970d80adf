import type { SqliteConnection } from '@wrkz/sqlite';
import { FUNDING_FILE, withFileName } from './failures';

/** A donation in a block. */
export interface Contribution {
  /** Transaction hash, 64 hex characters. */
  readonly hash: string;
  /** Atomic units, above 0. */
  readonly amount: bigint;
  /** Block index. */
  readonly height: number;
  /** Block timestamp, Unix seconds. */
  readonly time: number;
  /** Whether the donation was unlocked at the last poll. */
  readonly unlocked: boolean;
}

/** Time and chain tip of a poll of the wallet. */
export interface PollTime {
  /** Unix seconds. */
  readonly checked: number;
  /** Block index of the wallet's tip. */
  readonly height: number;
}

/** Donations to an address. Amounts in atomic units. */
export interface AddressFunding extends PollTime {
  /** Confirmed and unlocked. */
  readonly received: bigint;
  /** Confirmed and still locked. */
  readonly pending: bigint;
}

type FundingRow = Readonly<Record<keyof AddressFunding, bigint>>;
type ContributionRow = Readonly<Record<'amount' | 'height' | 'time' | 'unlocked', bigint>> & { readonly hash: string };

const SELECT_FUNDING = 'SELECT received, pending, checked, height FROM funding WHERE address = ?';
const SELECT_CONTRIBUTIONS =
  'SELECT hash, amount, height, time, unlocked FROM contributions WHERE address = ? ORDER BY time DESC, hash';
const PUT_FUNDING = `INSERT INTO funding VALUES (@address, @received, @pending, @checked, @height) ON CONFLICT (address) DO UPDATE
  SET received = @received, pending = @pending, checked = @checked, height = @height`;
const ADD_CONTRIBUTION = 'INSERT INTO contributions VALUES (@address, @hash, @amount, @height, @time, @unlocked)';

/** Donations by address, as found by the last poll of the wallet. */
export class FundingStore {
  /** Increases with each poll. */
  revision = 0;
  /** Unix seconds of the last successful poll, including polls of earlier runs. */
  lastChecked: number | undefined;

  /** @param committed called after each commit */
  constructor(
    private readonly connection: SqliteConnection,
    private readonly committed: () => void = () => undefined,
  ) {
    const select = connection.prepare<[], number | null>('SELECT max(checked) FROM funding').pluck();
    this.lastChecked = select.get() ?? undefined;
  }

  /** Donations to an address; undefined if it was never polled. */
  find(address: string): AddressFunding | undefined {
    const row = this.query(() =>
      this.connection.prepare<[string], FundingRow>(SELECT_FUNDING).safeIntegers().get(address),
    );
    return row && { ...row, checked: Number(row.checked), height: Number(row.height) };
  }

  /** Newest first. */
  contributions(address: string): Contribution[] {
    const select = this.connection.prepare<[string], ContributionRow>(SELECT_CONTRIBUTIONS).safeIntegers();
    return this.query(() => select.all(address)).map((row) => ({
      ...row,
      height: Number(row.height),
      time: Number(row.time),
      unlocked: row.unlocked !== 0n,
    }));
  }

  /** Replaces the donations of these addresses in one transaction. @throws SqliteFileError, InvalidDatabase */
  replace(found: ReadonlyMap<string, readonly Contribution[]>, at: PollTime): void {
    const put = this.connection.prepare(PUT_FUNDING);
    const remove = this.connection.prepare('DELETE FROM contributions WHERE address = ?');
    const add = this.connection.prepare(ADD_CONTRIBUTION);
    const work = this.connection.transaction(() => {
      for (const [address, contributions] of found) {
        put.run({ address, ...at, received: sum(contributions, true), pending: sum(contributions, false) });
        if (isSame(this.contributions(address), contributions)) continue;
        remove.run(address);
        for (const one of contributions) add.run({ ...one, address, unlocked: one.unlocked ? 1 : 0 });
      }
    });
    this.query(() => work.immediate());
    this.lastChecked = at.checked;
    this.revision += 1;
    this.committed();
  }

  private query<Result>(run: () => Result): Result {
    return withFileName(FUNDING_FILE, this.connection.name, run);
  }
}

/** Whether two lists have the same donations, in any order. */
function isSame(known: readonly Contribution[], found: readonly Contribution[]): boolean {
  const keyOf = ({ hash, amount, height, time, unlocked }: Contribution) =>
    [hash, amount, height, time, unlocked].join();
  const keys = new Set(known.map(keyOf));
  return known.length === found.length && found.every((one) => keys.has(keyOf(one)));
}

function sum(contributions: readonly Contribution[], unlocked: boolean): bigint {
  return contributions.reduce((total, one) => (one.unlocked === unlocked ? total + one.amount : total), 0n);
}
