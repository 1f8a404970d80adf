import type { BlockFacts } from '@wrkz/consensus';
import { decodeTransactionPrefix, type RawBlock, type TransactionPrefix } from '@wrkz/core-types';
import type { SqliteConnection, SqliteStatement } from '@wrkz/sqlite';
import { spentKeyImages } from '../block-bytes';
import { CorruptDatabase } from '../errors';
import type { HashIndex } from '../hash-index/hash-index';
import { HASH_KINDS } from '../hash-index/schema';
import { plainPaymentId } from '../payment-ids';
import type { ChainReader } from '../reader/reader';
import type { Store } from './store';

/** A block removed from the main chain. */
export interface RewoundBlock {
  readonly facts: BlockFacts;
  /** Hashes of its transactions, coinbase first. */
  readonly transactionHashes: readonly Buffer[];
  readonly raw: RawBlock | undefined;
}

/** Outputs of an amount in a block: lowest global index and number. */
interface OutputRun {
  first: number;
  count: number;
}

/**
 * Removes blocks from the tip, with all their rows. Each delete must match exactly the expected rows; otherwise the database is
 * damaged, and the caller's transaction is rolled back.
 */
export class Rewinder {
  private readonly deleteBlock: SqliteStatement<[number]>;
  private readonly deleteBody: SqliteStatement<[number]>;
  private readonly deleteTransactions: SqliteStatement<[number]>;
  private readonly deleteSignatures: SqliteStatement<[number]>;
  private readonly deleteOutputs: SqliteStatement<[bigint, number]>;
  private readonly deleteAmount: SqliteStatement<[bigint]>;
  private readonly deleteDigests: SqliteStatement<[number]>;

  /** @param reader on the connection of the writer: sees the change in progress */
  constructor(
    connection: SqliteConnection,
    private readonly reader: ChainReader,
    private readonly hashes: HashIndex,
    private readonly store: Store,
  ) {
    this.deleteBlock = connection.prepare('DELETE FROM blocks WHERE height = ?');
    this.deleteBody = connection.prepare('DELETE FROM block_bodies WHERE height = ?');
    this.deleteTransactions = connection.prepare('DELETE FROM transactions WHERE id >= ?');
    this.deleteSignatures = connection.prepare('DELETE FROM signatures WHERE id >= ?');
    this.deleteOutputs = connection.prepare(
      'DELETE FROM outputs WHERE amount_id = (SELECT id FROM amounts WHERE amount = ?) AND global_index >= ?',
    );
    this.deleteAmount = connection.prepare('DELETE FROM amounts WHERE amount = ?');
    this.deleteDigests = connection.prepare('DELETE FROM rules_digests WHERE height > ?');
  }

  /** Makes block `height` the tip. @returns the removed blocks, ascending */
  rewindTo(height: number): RewoundBlock[] {
    const removed: RewoundBlock[] = [];
    for (let tip = this.reader.height(); tip > height; tip--) removed.push(this.removeTip(tip));
    this.deleteDigests.run(height);
    return removed.reverse();
  }

  private removeTip(height: number): RewoundBlock {
    const facts = this.reader.facts(height);
    if (facts === undefined) throw new CorruptDatabase(`block ${height} is missing`);
    const raw = this.reader.rawBlock(height);
    const { hashes, prefixes } = this.reader.scanBlocks(height, height + 1);
    const transactions = prefixes.map((prefix) => decodeTransactionPrefix(prefix));
    this.removeKeyImages(transactions, height);
    this.removeOutputs(transactions, height);
    const first = facts.generatedTransactions - transactions.length;
    this.removePaymentIds(transactions, first, height);
    hashes.forEach((hash, i) => this.hashes.remove(HASH_KINDS.transaction, hash, first + i));
    this.hashes.remove(HASH_KINDS.block, facts.hash, height);
    this.deleteTransactions.run(first);
    this.deleteSignatures.run(first);
    this.deleteBody.run(height);
    this.deleteBlock.run(height);
    return { facts, transactionHashes: hashes, raw };
  }

  private removeKeyImages(transactions: readonly TransactionPrefix[], height: number): void {
    const images = transactions.flatMap(spentKeyImages);
    const gone = this.store.keyImages.removeFrom(height);
    const fitting = gone.filter(({ image }, i) => images[i]?.equals(image));
    this.expect(gone.length, images.length, `key images of block ${height}`);
    this.expect(fitting.length, images.length, `key images of block ${height}`);
  }

  /** @param first id of the first transaction */
  private removePaymentIds(transactions: readonly TransactionPrefix[], first: number, height: number): void {
    const carried = transactions.flatMap(({ extra }, i) => {
      const paymentId = plainPaymentId(extra);
      return paymentId === undefined ? [] : [{ paymentId, transactionId: first + i }];
    });
    const gone = this.store.paymentIds.removeFrom(first);
    const fitting = carried.filter(
      ({ paymentId, transactionId }, i) =>
        gone[i]?.transactionId === transactionId && gone[i].paymentId.equals(paymentId),
    );
    this.expect(gone.length, carried.length, `payment ids of block ${height}`);
    this.expect(fitting.length, carried.length, `payment ids of block ${height}`);
  }

  /** The outputs of the block are the last of each amount: one delete per amount. */
  private removeOutputs(transactions: readonly TransactionPrefix[], height: number): void {
    const runs = new Map<bigint, OutputRun>();
    this.reader.globalIndexes(height).forEach(({ indexes }, i) => {
      transactions[i]?.outputs.forEach(({ amount }, position) => {
        const index = indexes[position] ?? NaN;
        const run = runs.get(amount);
        if (run === undefined) runs.set(amount, { first: index, count: 1 });
        else run.count++;
      });
    });
    for (const [amount, { first, count }] of runs) {
      const stored = BigInt.asIntN(64, amount);
      const deleted = this.deleteOutputs.run(stored, first).changes;
      this.expect(deleted, count, `outputs of amount ${amount} in block ${height}`);
      if (first === 0) this.deleteAmount.run(stored);
    }
  }

  private expect(found: number, wanted: number, what: string): void {
    if (found !== wanted) throw new CorruptDatabase(`${what}: ${found} rows in place of ${wanted}`);
  }
}
