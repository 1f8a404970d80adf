import type { SqliteConnection } from '@wrkz/sqlite';

/** What of a transaction neither the container nor `/getwalletsyncdata` holds. */
export interface TransactionDetails {
  readonly extra: Buffer;
  /** Sum of the key inputs, ours and foreign; 0 for a coinbase. */
  readonly inputs: bigint;
  /** Sum of all outputs, ours and foreign. */
  readonly outputs: bigint;
}

/** The whole extra and the sums of transactions, by hash (64 hex characters). */
export class TransactionExtras {
  constructor(private readonly connection: SqliteConnection) {}

  get(hash: string): TransactionDetails | undefined {
    const row = this.connection
      .prepare<[Buffer], [Buffer, string]>('SELECT extra, details FROM extras WHERE hash = ?')
      .raw(true)
      .get(Buffer.from(hash, 'hex'));
    if (row === undefined) return undefined;
    const [inputs = '', outputs = ''] = row[1].split(' ');
    return { extra: row[0], inputs: BigInt(inputs), outputs: BigInt(outputs) };
  }

  /** All of a batch, or none. */
  put(transactions: readonly (readonly [hash: string, details: TransactionDetails])[]): void {
    const insert = this.connection.prepare('INSERT OR REPLACE INTO extras VALUES (?, ?, ?)');
    this.connection
      .transaction(() => {
        for (const [hash, { extra, inputs, outputs }] of transactions) {
          insert.run(Buffer.from(hash, 'hex'), extra, `${inputs} ${outputs}`);
        }
      })
      .immediate();
  }

  /** Those of these hashes that are not there yet, in their order. */
  missing(hashes: readonly string[]): string[] {
    const find = this.connection.prepare<[Buffer], [number]>('SELECT 1 FROM extras WHERE hash = ?').raw(true);
    return hashes.filter((hash) => find.get(Buffer.from(hash, 'hex')) === undefined);
  }
}
