import { stringifyJson } from '@wrkz/service-kit';
import type { SqliteConnection } from '@wrkz/sqlite';
import { proposalOf, type Proposal, type ProposalDraft, type ProposalRow } from './proposal';

/** Who changes something, when, and why. */
export interface ChangeContext {
  readonly actor: string;
  /** Unix seconds. */
  readonly at: number;
  readonly note: string;
}

export type ChangeAction = 'add' | 'edit' | 'status' | 'import';

/** A change that the rows which are there do not allow; its message is for the operator. */
export class ChangeRefused extends Error {
  override readonly name = 'ChangeRefused';
}

/** Changes proposals; each change stands in the audit, in one transaction with it. */
export class ProposalWriter {
  constructor(
    private readonly connection: SqliteConnection,
    private readonly context: ChangeContext,
  ) {}

  /** Does several changes, or none of them. */
  together<Result>(changes: () => Result): Result {
    return this.connection.transaction(changes).immediate();
  }

  /**
   * Adds a proposal; with a number, under that one.
   * @throws ChangeRefused when the number or the address is taken
   */
  add(draft: ProposalDraft, action: ChangeAction = 'add', id?: number): Proposal {
    return this.together(() => {
      if (id !== undefined && this.find(id) !== undefined) throw new ChangeRefused(`there is a proposal ${id} already`);
      this.assertFree(draft.address, undefined);
      const { lastInsertRowid } = this.connection
        .prepare(
          `INSERT INTO proposals (id, headline, category, status, user, target, address, posted, content)
           VALUES (@id, @headline, @category, @status, @user, @target, @address, @posted, @content)`,
        )
        .run({ ...draft, id: id ?? null });
      return this.audited(action, undefined, Number(lastInsertRowid));
    });
  }

  /** @throws ChangeRefused when there is no such proposal, or the address is another one's */
  change(id: number, changes: Partial<ProposalDraft>, action: ChangeAction): Proposal {
    return this.together(() => {
      const before = this.find(id);
      if (before === undefined) throw new ChangeRefused(`there is no proposal ${id}`);
      const after: Proposal = { ...before, ...changes };
      this.assertFree(after.address, id);
      if (stringifyJson(after) === stringifyJson(before)) return before;
      this.connection
        .prepare(
          `UPDATE proposals SET headline = @headline, category = @category, status = @status, user = @user,
           target = @target, address = @address, posted = @posted, content = @content WHERE id = @id`,
        )
        .run(after);
      return this.audited(action, before, id);
    });
  }

  private find(id: number): Proposal | undefined {
    const row = this.connection
      .prepare<[number], ProposalRow>('SELECT * FROM proposals WHERE id = ?')
      .safeIntegers()
      .get(id);
    return row && proposalOf(row);
  }

  private assertFree(address: string, own: number | undefined): void {
    const holder = this.connection
      .prepare<[string], number>('SELECT id FROM proposals WHERE address = ?')
      .pluck()
      .get(address);
    if (holder === undefined || holder === own) return;
    throw new ChangeRefused(`proposal ${holder} has this address: donations to the two could not be told apart`);
  }

  private audited(action: ChangeAction, before: Proposal | undefined, id: number): Proposal {
    const after = this.find(id);
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
