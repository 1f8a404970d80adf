import type { SqliteConnection } from '@wrkz/sqlite';

/** How much receivers were told of a transaction: that it is there, or that a block holds it too. */
export const ToldStage = { nothing: 0, seen: 1, confirmed: 2 } as const;

export type ToldStage = (typeof ToldStage)[keyof typeof ToldStage];

/** Of which transactions receivers of notifications were told, so that a restart or a reorganisation tells nothing twice. */
export class ToldTransactions {
  constructor(private readonly connection: SqliteConnection) {}

  stage(hash: string): ToldStage {
    const row = this.connection
      .prepare<[Buffer], [ToldStage]>('SELECT stage FROM told WHERE hash = ?')
      .raw(true)
      .get(Buffer.from(hash, 'hex'));
    return row?.[0] ?? ToldStage.nothing;
  }

  /**
   * Notes a stage unless that one or a later one was reached before.
   * @returns the stage before; undefined when nothing has changed
   */
  advance(hash: string, stage: ToldStage): ToldStage | undefined {
    const before = this.stage(hash);
    if (before >= stage) return undefined;
    this.connection.prepare('INSERT OR REPLACE INTO told VALUES (?, ?)').run(Buffer.from(hash, 'hex'), stage);
    return before;
  }
}
