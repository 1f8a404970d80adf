import type { BlockFacts } from '@wrkz/consensus';
import { parseBlock, parseTransaction, type ParsedTransaction, type RawBlock } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { CorruptDatabase } from '../errors';
import type { HashIndex } from '../hash-index/hash-index';
import { HASH_KINDS } from '../hash-index/kinds';
import { toSigned } from '../integers';
import { KeyImageStore } from '../key-images';
import type { ChainReader } from '../reader/reader';

/** A block that was taken off the main chain. */
export interface RewoundBlock {
  readonly facts: BlockFacts;
  readonly raw: RawBlock;
}

/** Outputs of one amount in one block: the lowest global index and how many. */
interface OutputRun {
  first: number;
  count: number;
}

/**
 * Takes blocks off the tip and every row that came with them. Each delete must meet exactly the rows it should; where it
 * does not, the database is damaged and the caller's transaction is rolled back.
 */
export class Rewinder {
  private readonly deleteBlock: SqliteStatement<[number]>;
  private readonly deleteBlockBody: SqliteStatement<[number]>;
  private readonly deleteTransactions: SqliteStatement<[number]>;
  private readonly deleteTransactionBodies: SqliteStatement<[number]>;
  private readonly deleteOutputs: SqliteStatement<[bigint, number]>;
  private readonly deleteAmount: SqliteStatement<[bigint]>;
  private readonly keyImages: KeyImageStore;

  /** @param reader over the writing connection, so that it sees the change in progress */
  constructor(
    connection: SqliteConnection,
    private readonly reader: ChainReader,
    private readonly hashes: HashIndex,
  ) {
    this.deleteBlock = connection.prepare('DELETE FROM blocks WHERE height = ?');
    this.deleteBlockBody = connection.prepare('DELETE FROM block_bodies WHERE height = ?');
    this.deleteTransactions = connection.prepare('DELETE FROM transactions WHERE id >= ?');
    this.deleteTransactionBodies = connection.prepare('DELETE FROM transaction_bodies WHERE id >= ?');
    this.deleteOutputs = connection.prepare(
      'DELETE FROM outputs WHERE amount_id = (SELECT id FROM amounts WHERE amount = ?) AND global_index >= ?',
    );
    this.deleteAmount = connection.prepare('DELETE FROM amounts WHERE amount = ?');
    this.keyImages = new KeyImageStore(connection, hashes);
  }

  /** Makes block `height` the tip. @returns what was taken off, lowest first */
  rewindTo(height: number): RewoundBlock[] {
    const removed: RewoundBlock[] = [];
    for (let tip = this.reader.height(); tip > height; tip--) removed.push(this.removeTip(tip));
    return removed.reverse();
  }

  private removeTip(height: number): RewoundBlock {
    const facts = this.reader.facts(height);
    const raw = this.reader.checkedRawBlock(height);
    if (facts === undefined || raw === undefined) throw new CorruptDatabase(`block ${height} is missing`);
    const parsed = parseBlock(raw.block);
    const transactions = [parsed.coinbase, ...raw.transactions.map((bytes) => parseTransaction(bytes))];
    this.removeKeyImages(transactions, height);
    this.removeOutputs(transactions, height);
    const first = facts.generatedTransactions - transactions.length;
    transactions.forEach(({ hash }, i) => this.hashes.remove(HASH_KINDS.transaction, hash, first + i));
    this.hashes.remove(HASH_KINDS.block, facts.hash, height);
    this.expect(this.deleteTransactions.run(first).changes, transactions.length, `transactions of block ${height}`);
    this.expect(this.deleteTransactionBodies.run(first).changes, raw.transactions.length, `bodies of block ${height}`);
    this.deleteBlockBody.run(height);
    this.deleteBlock.run(height);
    return { facts, raw };
  }

  private removeKeyImages(transactions: readonly ParsedTransaction[], height: number): void {
    const images = transactions.flatMap(({ transaction }) =>
      transaction.inputs.flatMap((input) => (input.type === 'key' ? [input.keyImage] : [])),
    );
    this.expect(this.keyImages.removeBlock(height, images), images.length, `key images of block ${height}`);
  }

  /** Among the outputs of an amount the block's are the last, so one delete per amount takes them. */
  private removeOutputs(transactions: readonly ParsedTransaction[], height: number): void {
    const runs = new Map<bigint, OutputRun>();
    this.reader.globalIndexes(height).forEach(({ indexes }, i) => {
      transactions[i]?.transaction.outputs.forEach(({ amount }, position) => {
        const index = indexes[position] ?? NaN;
        const run = runs.get(amount);
        if (run === undefined) runs.set(amount, { first: index, count: 1 });
        else run.count++;
      });
    });
    for (const [amount, { first, count }] of runs) {
      const stored = toSigned(amount);
      const deleted = this.deleteOutputs.run(stored, first).changes;
      this.expect(deleted, count, `outputs of amount ${amount} in block ${height}`);
      if (first === 0) this.deleteAmount.run(stored);
    }
  }

  private expect(found: number, wanted: number, what: string): void {
    if (found !== wanted) throw new CorruptDatabase(`${what}: ${found} rows in place of ${wanted}`);
  }
}
