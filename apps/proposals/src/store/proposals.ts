import { stringifyJson } from '@wrkz/service-kit';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { PROPOSALS_FILE, withFileName } from './failures';
import {
  type Category,
  fromRow,
  type Proposal,
  type ProposalDraft,
  type ProposalRow,
  type ProposalStatus,
} from './proposal';

export interface ProposalPage {
  /** Undefined for all statuses except disabled. */
  readonly status?: number | undefined;
  readonly category?: Category | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Number of proposals of a status and a category. */
export interface ProposalCount {
  readonly status: ProposalStatus;
  readonly category: Category;
  readonly count: number;
}

/** Origin of a change, for the audit log. */
export interface ChangeContext {
  readonly actor: string;
  /** Unix seconds. */
  readonly at: number;
  readonly note: string;
}

export type ChangeAction = 'add' | 'edit' | 'status' | 'import';

export interface AuditEntry extends ChangeContext {
  readonly action: string;
  readonly proposal: number;
  /** The row as JSON; undefined for a new proposal. */
  readonly before: string | undefined;
  readonly after: string;
}

const SELECT_PAGE = `SELECT * FROM proposals WHERE ((@status IS NULL AND status <> 0) OR status = @status)
  AND (@category IS NULL OR category = @category) ORDER BY posted DESC, id DESC LIMIT @limit OFFSET @offset`;

type PageParameters = { readonly [Name in keyof Required<ProposalPage>]: ProposalPage[Name] | null };

export class ProposalReader {
  private readonly selectVersion: SqliteStatement<[], number>;

  constructor(private readonly connection: SqliteConnection) {
    this.selectVersion = connection.prepare<[], number>('PRAGMA data_version').pluck();
  }

  /** `PRAGMA data_version`: changes with each commit of another connection or process. */
  version(): number {
    return this.query(() => this.selectVersion.get() ?? 0);
  }

  /** Lists proposals, newest first. With equal times, the higher id is first. */
  list({ status, category, limit, offset }: ProposalPage): Proposal[] {
    const page = { status: status ?? null, category: category ?? null, limit, offset };
    const select = (): ProposalRow[] =>
      this.connection.prepare<[PageParameters], ProposalRow>(SELECT_PAGE).safeIntegers().all(page);
    return this.query(select).map(fromRow);
  }

  /** All proposals including disabled ones, which are last. */
  all(): Proposal[] {
    const page = { limit: Number.MAX_SAFE_INTEGER, offset: 0 };
    return [...this.list(page), ...this.list({ ...page, status: 0 })];
  }

  find(id: number): Proposal | undefined {
    const sql = 'SELECT * FROM proposals WHERE id = ?';
    const row = this.query(() => this.connection.prepare<[number], ProposalRow>(sql).safeIntegers().get(id));
    return row && fromRow(row);
  }

  counts(): ProposalCount[] {
    const sql = 'SELECT status, category, count(*) AS count FROM proposals GROUP BY status, category';
    return this.query(() => this.connection.prepare<[], ProposalCount>(sql).all());
  }

  /** The donation addresses of all proposals. */
  addresses(): string[] {
    const sql = 'SELECT address FROM proposals ORDER BY id';
    return this.query(() => this.connection.prepare<[], string>(sql).pluck().all());
  }

  /** The proposal with this donation address. */
  idOfAddress(address: string): number | undefined {
    const sql = 'SELECT id FROM proposals WHERE address = ?';
    return this.query(() => this.connection.prepare<[string], number>(sql).pluck().get(address));
  }

  /** The audit log, oldest entry first. */
  audit(): AuditEntry[] {
    const sql = 'SELECT at, actor, action, proposal, before, after, note FROM audit ORDER BY id';
    const select = this.connection.prepare<[], Omit<AuditEntry, 'before'> & { before: string | null }>(sql);
    return this.query(() => select.all()).map(({ before, ...row }) => ({ ...row, before: before ?? undefined }));
  }

  private query<Result>(read: () => Result): Result {
    return withFileName(PROPOSALS_FILE, this.connection.name, read);
  }
}

/** A change that conflicts with existing proposals. The message is for the operator. */
export class InvalidChange extends Error {
  override readonly name = 'InvalidChange';
}

/** Writes each change and its audit entry in one transaction. */
export class ProposalWriter {
  private readonly reader: ProposalReader;

  constructor(
    private readonly connection: SqliteConnection,
    private readonly context: ChangeContext,
  ) {
    this.reader = new ProposalReader(connection);
  }

  /** Runs several changes in one transaction. */
  together<Result>(changes: () => Result): Result {
    return withFileName(PROPOSALS_FILE, this.connection.name, () => this.connection.transaction(changes).immediate());
  }

  /**
   * @param id default: the next free id
   * @throws InvalidChange if the id or the address is in use
   */
  add(draft: ProposalDraft, action: ChangeAction = 'add', id?: number): Proposal {
    return this.together(() => {
      if (id !== undefined && this.reader.find(id) !== undefined)
        throw new InvalidChange(`proposal ${id} already exists`);
      this.assertAddressFree(draft.address, undefined);
      const { lastInsertRowid } = this.connection
        .prepare(
          `INSERT INTO proposals (id, headline, category, status, user, target, address, posted, content)
           VALUES (@id, @headline, @category, @status, @user, @target, @address, @posted, @content)`,
        )
        .run({ ...draft, id: id ?? null });
      return this.audit(action, undefined, Number(lastInsertRowid));
    });
  }

  /** @throws InvalidChange if the proposal does not exist, or another one has the address */
  change(id: number, changes: Partial<ProposalDraft>, action: ChangeAction): Proposal {
    return this.together(() => {
      const before = this.reader.find(id);
      if (before === undefined) throw new InvalidChange(`proposal ${id} does not exist`);
      const after: Proposal = { ...before, ...changes };
      this.assertAddressFree(after.address, id);
      if (stringifyJson(after) === stringifyJson(before)) return before;
      this.connection
        .prepare(
          `UPDATE proposals SET headline = @headline, category = @category, status = @status, user = @user,
           target = @target, address = @address, posted = @posted, content = @content WHERE id = @id`,
        )
        .run(after);
      return this.audit(action, before, id);
    });
  }

  private assertAddressFree(address: string, own: number | undefined): void {
    const holder = this.reader.idOfAddress(address);
    if (holder !== undefined && holder !== own) throw new InvalidChange(`proposal ${holder} already has this address`);
  }

  private audit(action: ChangeAction, before: Proposal | undefined, id: number): Proposal {
    const after = this.reader.find(id);
    if (after === undefined) throw new Error(`proposal ${id} was not written`);
    this.connection
      .prepare(
        `INSERT INTO audit (at, actor, action, proposal, before, after, note)
         VALUES (@at, @actor, @action, @proposal, @before, @after, @note)`,
      )
      .run({
        ...this.context,
        action,
        proposal: id,
        before: before === undefined ? null : stringifyJson(before),
        after: stringifyJson(after),
      });
    return after;
  }
}
