import type { BlockFacts } from '@wrkz/consensus';
import {
  decodeTransactionPrefix,
  networkOf,
  parseBlock,
  parseTransaction,
  type NetworkName,
  type ParsedBlock,
  type ParsedTransaction,
  type TransactionPrefix,
} from '@wrkz/core-types';
import { joinBlock } from '../block-bytes';
import { factsValues } from '../block-row';
import { CorruptDatabase } from '../errors';
import type { FloorHeights } from '../modes/floors';
import type { StateDigest } from './digest';
import type { Problems } from './problems';
import type { StoredBlock, StoredRows, StoredTransactionRow } from './stored-rows';
import { TransactionCheck } from './transaction-check';
import { type BlockTotals, WorkCheck } from './work-check';

/** Upper bound of the transactions of a block. */
const MAX_TRANSACTIONS = 1_000_000;

/**
 * Compares every row with the main chain, in ascending order: with the bytes of the blocks; on a pruned node below its floor with
 * the prefixes of the transactions; on a lite node below its height with the neighbouring rows.
 */
export class BlockCheck {
  private readonly network;
  private readonly work: WorkCheck;
  readonly transactionCheck: TransactionCheck;
  /** Transactions up to the last checked block. */
  private transactions = 0;
  /** Rows of `transactions`, `block_bodies` and `signatures` that the checked blocks account for. */
  readonly rows = { transactions: 0, block_bodies: 0, signatures: 0 };

  constructor(
    network: NetworkName,
    private readonly stored: StoredRows,
    private readonly problems: Problems,
    private readonly digest: StateDigest,
    private readonly floors: FloorHeights,
  ) {
    this.network = networkOf(network);
    this.work = new WorkCheck(this.network, problems);
    this.transactionCheck = new TransactionCheck(stored, problems, digest);
  }

  /** Checks block `height`. Call it for every height from 0 up. */
  check(height: number): void {
    const block = this.stored.block(height);
    if (block === undefined) this.problems.add(`block ${height}`, 'has no row');
    else if (height === 0 || height >= this.floors.bodies) this.checkWhole(height, block);
    else if (height >= this.floors.records) this.checkByPrefixes(height, block);
    else this.checkRow(block);
    this.transactions = block?.facts.generatedTransactions ?? this.transactions;
    this.work.next(block?.facts);
  }

  private checkWhole(height: number, block: StoredBlock): void {
    const where = `block ${height}`;
    const body = this.stored.body(height);
    this.rows.block_bodies++;
    if (body === undefined) return this.problems.add(where, 'has no body');
    const rows = this.transactionRows(block);
    const [coinbase, ...others] = rows;
    if (coinbase === undefined) return this.problems.add(where, 'has no coinbase');
    const hashes = others.map((row) => row?.hash ?? Buffer.alloc(32));
    const bytes = joinBlock(body, coinbase.prefix, hashes);
    const parsed = this.parse(where, () => parseBlock(bytes));
    if (parsed === undefined) return;
    this.digest.add(...factsValues(block.facts), block.timestampLag, bytes);
    const transactions = this.checkTransactions(parsed, rows, height);
    this.checkLinks(parsed, block.facts);
    this.checkFacts(parsed, transactions, block.facts);
    this.work.checkLag(height, block.timestampLag, Number(parsed.block.timestamp));
  }

  /** Checks a block without its bytes. Only the hash of its coinbase can be recomputed. */
  private checkByPrefixes(height: number, block: StoredBlock): void {
    const prefixes = this.transactionRows(block).map((row, i) => {
      const name = `transaction ${i} of block ${height}`;
      if (row === undefined) return this.problems.add(name, 'has no row');
      const prefix = this.parse(name, () => decodeTransactionPrefix(row.prefix));
      if (prefix === undefined) return;
      const hash = i === 0 ? this.parse(name, () => parseTransaction(row.prefix).hash) : row.hash;
      this.transactionCheck.check(name, hash ?? row.hash, prefix, row, height);
      return prefix;
    });
    this.checkRow(block, totalsOf(prefixes));
  }

  /** Checks a block without bytes. @param totals of its transactions, if they are stored and valid */
  private checkRow({ facts, timestampLag }: StoredBlock, totals?: BlockTotals): void {
    const { height, hash, timestamp } = facts;
    this.problems.equal(`block ${height}`, 'height found by its id', this.stored.heightOf(hash), height);
    this.work.check(facts, totals);
    this.work.checkLag(height, timestampLag, timestamp);
  }

  /** The transaction rows of a block: as many as its row says. */
  private transactionRows({ facts }: StoredBlock): (StoredTransactionRow | undefined)[] {
    const first = this.transactions;
    const count = facts.generatedTransactions - first;
    if (!(count > 0 && count <= MAX_TRANSACTIONS)) {
      throw new CorruptDatabase(`${count} transactions`);
    }
    this.rows.transactions += count;
    const rows = new Map(this.stored.transactions(first, first + count).map((row) => [row.id, row]));
    return Array.from({ length: count }, (_, i) => rows.get(first + i));
  }

  private checkLinks(parsed: ParsedBlock, facts: BlockFacts): void {
    const where = `block ${facts.height}`;
    const { hash, block } = parsed;
    const { problems, network } = this;
    const { previous } = this.work;
    problems.equal(where, 'id', facts.hash, hash);
    problems.equal(where, 'height found by its id', this.stored.heightOf(hash), facts.height);
    if (facts.height === 0) problems.equal(where, 'id of genesis', hash, network.genesis.hash);
    else if (previous !== undefined) problems.equal(where, 'parent', block.previousHash, previous.hash);
  }

  private checkFacts(parsed: ParsedBlock, transactions: readonly ParsedTransaction[], facts: BlockFacts): void {
    const { block, coinbase } = parsed;
    const where = `block ${facts.height}`;
    const { problems } = this;
    problems.equal(where, 'major version', facts.majorVersion, block.majorVersion);
    problems.equal(where, 'minor version', facts.minorVersion, block.minorVersion);
    problems.equal(where, 'timestamp', facts.timestamp, Number(block.timestamp));
    const size = transactions.reduce((sum, transaction) => sum + transaction.size, coinbase.size);
    problems.equal(where, 'size', facts.size, size);
    const created = block.coinbase.outputs.reduce((sum, { amount }) => sum + amount, 0n);
    const fees = transactions.reduce((sum, { fee }) => sum + (fee ?? 0n), 0n);
    this.work.check(facts, { created, fees, count: 1 + block.transactionHashes.length });
  }

  /** @returns the valid transactions of the block, without the coinbase */
  private checkTransactions(
    parsed: ParsedBlock,
    rows: readonly (StoredTransactionRow | undefined)[],
    height: number,
  ): ParsedTransaction[] {
    const first = this.transactions;
    const signatures = this.stored.signatures(first, first + rows.length);
    const transactions: ParsedTransaction[] = [];
    rows.forEach((row, i) => {
      const name = `transaction ${i} of block ${height}`;
      if (row === undefined) return this.problems.add(name, 'has no row');
      const bytes = Buffer.concat([row.prefix, signatures.get(first + i) ?? Buffer.alloc(0)]);
      const transaction = i === 0 ? parsed.coinbase : this.parse(name, () => parseTransaction(bytes));
      if (transaction === undefined) return;
      if (i > 0) {
        transactions.push(transaction);
        this.digest.add(transaction.bytes);
        if (transaction.prefixBytes.length < transaction.bytes.length) this.rows.signatures++;
      }
      this.transactionCheck.check(name, transaction.hash, transaction.transaction, row, height);
    });
    return transactions;
  }

  private parse<T>(where: string, parse: () => T): T | undefined {
    try {
      return parse();
    } catch (error) {
      this.problems.add(where, `is invalid: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }
}

/** undefined unless every prefix is valid. */
function totalsOf(prefixes: readonly (TransactionPrefix | undefined | void)[]): BlockTotals | undefined {
  const [coinbase, ...others] = prefixes;
  if (!coinbase) return undefined;
  let fees = 0n;
  for (const prefix of others) {
    if (!prefix) return undefined;
    // A whole block counts no fee for a transaction with a base input either.
    if (prefix.inputs.some(({ type }) => type === 'base')) continue;
    for (const input of prefix.inputs) fees += input.type === 'key' ? input.amount : 0n;
    for (const { amount } of prefix.outputs) fees -= amount;
  }
  return { created: coinbase.outputs.reduce((sum, { amount }) => sum + amount, 0n), fees, count: prefixes.length };
}
