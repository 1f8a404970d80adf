import type { BlockFacts } from '@wrkz/consensus';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { toSigned } from '../integers';
import {
  alternativeBodyChecksum,
  alternativeChecksum,
  blockChecksum,
  bodyChecksum,
  outputChecksum,
  prefixChecksum,
  signaturesChecksum,
  stampChecksum,
  transactionChecksum,
} from '../rows/checksums';
import { FACTS_COLUMNS, factsValues } from '../rows/facts';

type Value = number | bigint | Buffer;

const PLAIN = 0;

/** Writes rows of the second schema, whatever later ones look like. */
export class SecondSchema {
  private readonly amountIds = new Map<bigint, number>();
  private readonly statements = new Map<string, SqliteStatement<Value[]>>();

  constructor(private readonly connection: SqliteConnection) {}

  block(facts: BlockFacts, lag: number): void {
    const stamp = stampChecksum({ ...facts, timestampLag: lag });
    const columns = `${FACTS_COLUMNS}, timestamp_lag, checksum, stamp_checksum`;
    this.insert('blocks', columns, [...factsValues(facts), lag, blockChecksum(facts, lag), stamp]);
  }

  body(height: number, body: Buffer): void {
    this.insert('block_bodies', 'height, codec, body, checksum', [
      height,
      PLAIN,
      body,
      bodyChecksum(height, PLAIN, body),
    ]);
  }

  transaction(id: number, hash: Buffer, height: number, indexes: Buffer, prefix: Buffer): void {
    const columns = 'id, hash, height, global_indexes, checksum, codec, prefix_checksum, prefix';
    const checksum = transactionChecksum(id, hash, height, indexes);
    const prefixSum = prefixChecksum(id, hash, PLAIN, prefix);
    this.insert('transactions', columns, [id, hash, height, indexes, checksum, PLAIN, prefixSum, prefix]);
  }

  signatures(id: number, signatures: Buffer): void {
    const checksum = signaturesChecksum(id, PLAIN, signatures);
    this.insert('signatures', 'id, codec, signatures, checksum', [id, PLAIN, signatures, checksum]);
  }

  output(
    amount: bigint,
    globalIndex: number,
    output: { readonly key: Buffer; readonly height: number; readonly unlockTime: bigint; readonly position: number },
  ): void {
    const { key, height, unlockTime, position } = output;
    const unlockLow = Number(unlockTime & 0xffff_ffffn);
    const unlockHigh = Number(unlockTime >> 32n);
    const checksum = outputChecksum(amount, globalIndex, { key, height, unlockLow, unlockHigh, position });
    const columns = 'amount_id, global_index, key, height, unlock_time, position, checksum';
    const values = [this.amountId(amount), globalIndex, key, height, toSigned(unlockTime), position, checksum];
    this.insert('outputs', columns, values);
  }

  alternative(facts: BlockFacts, parent: Buffer, body: Buffer): void {
    const bodySum = alternativeBodyChecksum(facts.hash, PLAIN, body);
    const values = [...factsValues(facts), parent, alternativeChecksum(facts, parent), PLAIN, bodySum, body];
    this.insert('alternatives', `${FACTS_COLUMNS}, parent, checksum, codec, body_checksum, body`, values);
  }

  private amountId(amount: bigint): number {
    const known = this.amountIds.get(amount);
    if (known !== undefined) return known;
    const find = this.connection.prepare<[bigint], [number]>('SELECT id FROM amounts WHERE amount = ?').raw(true);
    const id = (find.get(toSigned(amount)) as [number])[0];
    this.amountIds.set(amount, id);
    return id;
  }

  private insert(table: string, columns: string, values: readonly Value[]): void {
    let statement = this.statements.get(table);
    if (statement === undefined) {
      const places = columns.replace(/\w+/g, '?');
      statement = this.connection.prepare<Value[]>(`INSERT INTO ${table} (${columns}) VALUES (${places})`);
      this.statements.set(table, statement);
    }
    statement.run(...values);
  }
}
