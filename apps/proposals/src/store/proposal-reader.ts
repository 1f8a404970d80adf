import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import type { ChangeContext } from './proposal-writer';
import { proposalOf, type Category, type Proposal, type ProposalRow, type ProposalStatus } from './proposal';

export interface ProposalFilter {
  /** Left out: of every status but 0. */
  readonly status?: number | undefined;
  readonly category?: Category | undefined;
}

export interface ProposalPage extends ProposalFilter {
  readonly limit: number;
  readonly offset: number;
}

/** How many proposals there are of a status and a category. */
export interface ProposalCount {
  readonly status: ProposalStatus;
  readonly category: Category;
  readonly count: number;
}

/** One row of the audit. */
export interface AuditEntry extends ChangeContext {
  readonly action: string;
  readonly proposal: number;
  /** The row as JSON; undefined when there was none. */
  readonly before: string | undefined;
  readonly after: string;
}

interface Filter {
  readonly status: number | null;
  readonly category: string | null;
}

const FILTERED = `FROM proposals WHERE ((@status IS NULL AND status <> 0) OR status = @status)
  AND (@category IS NULL OR category = @category)`;

/** Reads proposals, newest first, of equal dates the higher number first. */
export class ProposalReader {
  private readonly selectVersion: SqliteStatement<[], bigint>;
  private readonly selectPage: SqliteStatement<[Filter & { limit: number; offset: number }], ProposalRow>;
  private readonly one: SqliteStatement<[number], ProposalRow>;
  private readonly selectCounts: SqliteStatement<[], { status: bigint; category: string; count: bigint }>;
  private readonly selectAddresses: SqliteStatement<[], string>;
  private readonly isDonation: SqliteStatement<[string], bigint>;

  constructor(private readonly connection: SqliteConnection) {
    this.selectVersion = connection.prepare<[], bigint>('PRAGMA data_version').pluck().safeIntegers();
    this.selectPage = connection
      .prepare<[Filter & { limit: number; offset: number }], ProposalRow>(
        `SELECT * ${FILTERED} ORDER BY posted DESC, id DESC LIMIT @limit OFFSET @offset`,
      )
      .safeIntegers();
    this.one = connection.prepare<[number], ProposalRow>('SELECT * FROM proposals WHERE id = ?').safeIntegers();
    this.selectCounts = connection
      .prepare<[], { status: bigint; category: string; count: bigint }>(
        'SELECT status, category, count(*) AS count FROM proposals GROUP BY status, category',
      )
      .safeIntegers();
    this.selectAddresses = connection.prepare<[], string>('SELECT address FROM proposals ORDER BY id').pluck();
    this.isDonation = connection
      .prepare<[string], bigint>('SELECT count(*) FROM proposals WHERE address = ?')
      .pluck()
      .safeIntegers();
  }

  /** Another number after each change that anybody has made to the file. */
  version(): bigint {
    return this.selectVersion.get() ?? 0n;
  }

  list({ status, category, limit, offset }: ProposalPage): Proposal[] {
    return this.selectPage.all({ status: status ?? null, category: category ?? null, limit, offset }).map(proposalOf);
  }

  find(id: number): Proposal | undefined {
    const row = this.one.get(id);
    return row && proposalOf(row);
  }

  counts(): ProposalCount[] {
    return this.selectCounts.all().map(({ status, category, count }) => ({
      status: Number(status) as ProposalStatus,
      category: category as Category,
      count: Number(count),
    }));
  }

  /** The donation addresses of all proposals. */
  addresses(): string[] {
    return this.selectAddresses.all();
  }

  isDonationAddress(address: string): boolean {
    return this.isDonation.get(address) !== 0n;
  }

  /** What was changed, newest last. */
  audit(): AuditEntry[] {
    const rows = this.connection
      .prepare<[], Omit<AuditEntry, 'before'> & { before: string | null }>(
        'SELECT at, actor, action, proposal, before, after, note FROM audit ORDER BY id',
      )
      .all();
    return rows.map(({ before, ...row }) => ({ ...row, before: before ?? undefined }));
  }
}
