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
   * Notes a stage of each unless that one or a later one was reached before; all are on the disk at once.
   * @returns the stage of each before; undefined where nothing has changed
   */
  advance(hashes: readonly string[], stage: ToldStage): (ToldStage | undefined)[] {
    const insert = this.connection.prepare('INSERT OR REPLACE INTO told VALUES (?, ?)');
    return this.connection
      .transaction(() =>
        hashes.map((hash) => {
          const before = this.stage(hash);
          if (before >= stage) return undefined;
          insert.run(Buffer.from(hash, 'hex'), stage);
          return before;
        }),
      )
      .deferred();
  }
}
