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
import { joinBlock } from '../block-parts';
import { decodeBlob } from '../codec';
import { CorruptDatabase } from '../errors';
import type { FloorHeights } from '../modes/floors';
import { factsValues } from '../rows/facts';
import type { StateDigest } from './digest';
import type { Problems } from './problems';
import type { BlobRow, BlockRow, StoredRows, TransactionRow } from './stored-rows';
import { TransactionCheck } from './transaction-check';
import { type BlockTotals, WorkCheck } from './work-check';

/** More than a block can hold: what goes beyond is no count. */
const MAX_TRANSACTIONS = 1_000_000;

/**
 * Goes up the main chain and compares every row with its checksum and with what the blocks themselves say: by their bytes; where
 * a pruned node has dropped them, by the prefixes of their transactions; where a lite node has neither, by the facts alone.
 */
export class BlockVerifier {
  private readonly network;
  private readonly work: WorkCheck;
  readonly carried: TransactionCheck;
  /** Transactions up to the last block that was looked at, and how many of them are stored. */
  transactions = 0;
  records = 0;
  bodies = 0;
  /** Transactions that have signatures. */
  signatures = 0;

  constructor(
    network: NetworkName,
    private readonly rows: StoredRows,
    private readonly problems: Problems,
    private readonly digest: StateDigest,
    private readonly floors: FloorHeights,
  ) {
    this.network = networkOf(network);
    this.work = new WorkCheck(this.network, problems);
    this.carried = new TransactionCheck(rows, problems, digest);
  }

  /** Checks block `height`; call it for every height from 0 up. */
  check(height: number): void {
    const where = `block ${height}`;
    const stored = this.rows.blockAt(height);
    if (stored === undefined) this.problems.add(where, 'has no row');
    else this.problems.sound(where, stored);
    if (height === 0 || height >= this.floors.bodies) this.checkWhole(height, stored);
    else if (height >= this.floors.records) this.checkByPrefixes(height, stored);
    else this.checkAlone(stored);
    this.work.next(stored?.facts);
  }

  private checkWhole(height: number, stored: BlockRow | undefined): void {
    const where = `block ${height}`;
    const body = this.rows.blockBody(height);
    this.bodies++;
    if (body === undefined) this.problems.add(where, 'has no body');
    else this.problems.sound(`body of ${where}`, body);
    const rows = this.transactionRows(height, stored);
    const bytes = body && this.parse(where, () => this.blockBytes(body, rows));
    const parsed = bytes && this.parse(where, () => parseBlock(bytes));
    if (stored === undefined || bytes === undefined || parsed === undefined) return;
    this.digest.add(...factsValues(stored.facts), stored.timestampLag, bytes);
    const transactions = this.checkTransactions(parsed, rows, height);
    this.checkLinks(parsed, stored.facts);
    this.checkFacts(parsed, transactions, stored.facts);
    this.work.checkLag(height, stored.timestampLag, Number(parsed.block.timestamp));
  }

  /** A block without its bytes: of its coinbase alone the hash can be made again. */
  private checkByPrefixes(height: number, stored: BlockRow | undefined): void {
    const rows = this.transactionRows(height, stored);
    const prefixes = rows.map((row, i) => {
      const name = `transaction ${i} of block ${height}`;
      if (row === undefined) return this.problems.add(name, 'has no row');
      this.problems.sound(name, row);
      const bytes = this.parse(name, () => bytesOf(row, undefined));
      const prefix = bytes && this.parse(name, () => decodeTransactionPrefix(bytes));
      if (bytes === undefined || prefix === undefined) return;
      const hash = i === 0 ? this.parse(name, () => parseTransaction(bytes).hash) : row.hash;
      this.carried.check(name, hash ?? row.hash, prefix, row, height);
      return prefix;
    });
    if (stored === undefined) return;
    this.checkAlone(stored, totalsOf(prefixes));
  }

  /** A block by its facts. @param totals by its transactions, where they are stored and sound */
  private checkAlone(stored: BlockRow | undefined, totals?: BlockTotals): void {
    if (stored === undefined) return;
    const { facts, timestampLag } = stored;
    this.problems.equal(
      `block ${facts.height}`,
      'height found by its id',
      this.rows.heightOf(facts.hash),
      facts.height,
    );
    this.work.check(facts, totals);
    this.work.checkLag(facts.height, timestampLag, facts.timestamp);
    if (facts.height < this.floors.records && stored.sound) this.transactions = facts.generatedTransactions;
  }

  /** The rows of a block's transactions: as many as its facts say, or as say so themselves where the facts are wrong. */
  private transactionRows(height: number, stored: BlockRow | undefined): (TransactionRow | undefined)[] {
    const first = this.transactions;
    const told = stored?.sound === true ? stored.facts.generatedTransactions - first : NaN;
    const count = told > 0 && told <= MAX_TRANSACTIONS ? told : this.rows.transactionsOf(height, first);
    this.transactions += count;
    this.records += count;
    const rows = new Map(this.rows.transactions(first, first + count).map((row) => [row.id, row]));
    return Array.from({ length: count }, (_, i) => rows.get(first + i));
  }

  private blockBytes(body: BlobRow, [coinbase, ...others]: readonly (TransactionRow | undefined)[]): Buffer {
    if (coinbase === undefined) throw new CorruptDatabase('its coinbase is missing');
    return joinBlock(
      decodeBlob(body.codec, body.bytes, 'block_bodies', coinbase.height),
      decodeBlob(coinbase.codec, coinbase.bytes, 'transactions', coinbase.id),
      others.map((row) => row?.hash ?? Buffer.alloc(32)),
    );
  }

  private checkLinks(parsed: ParsedBlock, facts: BlockFacts): void {
    const where = `block ${facts.height}`;
    const { hash, block } = parsed;
    const { problems, network } = this;
    const { previous } = this.work;
    problems.equal(where, 'id', facts.hash, hash);
    problems.equal(where, 'height found by its id', this.rows.heightOf(hash), facts.height);
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

  /** @returns the block's transactions without the coinbase, as far as they could be read */
  private checkTransactions(
    parsed: ParsedBlock,
    rows: readonly (TransactionRow | undefined)[],
    height: number,
  ): ParsedTransaction[] {
    const first = this.transactions - rows.length;
    const signatures = this.rows.signatures(first, this.transactions);
    const transactions: ParsedTransaction[] = [];
    rows.forEach((row, i) => {
      const name = `transaction ${i} of block ${height}`;
      const signed = signatures.get(first + i);
      if (row === undefined) return this.problems.add(name, 'has no row');
      this.problems.sound(name, row);
      if (signed !== undefined) this.problems.sound(`signatures of ${name}`, signed);
      const transaction = i === 0 ? parsed.coinbase : this.parse(name, () => parseTransaction(bytesOf(row, signed)));
      if (transaction === undefined) return;
      if (i > 0) {
        transactions.push(transaction);
        this.digest.add(transaction.bytes);
        if (transaction.prefixBytes.length < transaction.bytes.length) this.signatures++;
      }
      this.carried.check(name, transaction.hash, transaction.transaction, row, height);
    });
    return transactions;
  }

  private parse<T>(where: string, parse: () => T): T | undefined {
    try {
      return parse();
    } catch (error) {
      this.problems.add(where, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }
}

/** undefined unless every transaction could be read. */
function totalsOf(prefixes: readonly (TransactionPrefix | undefined | void)[]): BlockTotals | undefined {
  const [coinbase, ...others] = prefixes;
  if (!coinbase) return undefined;
  let fees = 0n;
  for (const prefix of others) {
    if (!prefix) return undefined;
    // As a whole block counts it.
    if (prefix.inputs.some(({ type }) => type === 'base')) continue;
    for (const input of prefix.inputs) fees += input.type === 'key' ? input.amount : 0n;
    for (const { amount } of prefix.outputs) fees -= amount;
  }
  return { created: coinbase.outputs.reduce((sum, { amount }) => sum + amount, 0n), fees, count: prefixes.length };
}

function bytesOf(row: TransactionRow, signatures: BlobRow | undefined): Buffer {
  const prefix = decodeBlob(row.codec, row.bytes, 'transactions', row.id);
  return signatures === undefined
    ? prefix
    : Buffer.concat([prefix, decodeBlob(signatures.codec, signatures.bytes, 'signatures', row.id)]);
}
