import { nextDifficulty, type BlockFacts } from '@wrkz/consensus';
import {
  networkOf,
  parseBlock,
  parseTransaction,
  type NetworkName,
  type ParsedBlock,
  type ParsedTransaction,
} from '@wrkz/core-types';
import { joinBlock } from '../block-parts';
import { decodeBlob } from '../codec';
import { CorruptDatabase } from '../errors';
import { plainPaymentId } from '../payment-ids';
import { factsValues } from '../rows/facts';
import type { StateDigest } from './digest';
import { FactsWindow } from './facts-window';
import type { Problems } from './problems';
import type { BlobRow, BlockRow, StoredRows, TransactionRow } from './stored-rows';

const NOTHING = Buffer.alloc(0);
/** More than a block can hold: what goes beyond is no count. */
const MAX_TRANSACTIONS = 1_000_000;

/**
 * Goes up the main chain and compares every row with its checksum and with what the blocks themselves say. What only the rows below can tell (running
 * totals, links) is taken from the stored row below, so that one wrong row is reported once and does not drag others along.
 */
export class BlockVerifier {
  private readonly network;
  private readonly window = new FactsWindow();
  private previous: BlockFacts | undefined;
  private latestTimestamp = 0;
  /** Outputs so far of each amount. */
  readonly outputs = new Map<bigint, number>();
  keyImages = 0;
  paymentIds = 0;
  transactions = 0;
  /** Transactions that have signatures. */
  signatures = 0;

  constructor(
    network: NetworkName,
    private readonly rows: StoredRows,
    private readonly problems: Problems,
    private readonly digest: StateDigest,
  ) {
    this.network = networkOf(network);
  }

  /** Checks block `height`; call it for every height from 0 up. */
  check(height: number): void {
    const where = `block ${height}`;
    const stored = this.rows.blockAt(height);
    const body = this.rows.blockBody(height);
    if (stored === undefined || body === undefined) {
      this.problems.add(where, stored === undefined ? 'has no row' : 'has no body');
    }
    if (stored !== undefined) this.checkSum(where, stored);
    if (body !== undefined) this.checkSum(`body of ${where}`, body);
    const rows = this.transactionRows(height, stored);
    const bytes = body && this.parse(where, () => this.blockBytes(body, rows));
    const parsed = bytes && this.parse(where, () => parseBlock(bytes));
    if (stored !== undefined && bytes !== undefined && parsed !== undefined) {
      this.digest.add(...factsValues(stored.facts), stored.timestampLag, bytes);
      const transactions = this.checkTransactions(parsed, rows, height);
      this.checkLinks(parsed, stored.facts);
      this.checkFacts(parsed, transactions, stored.facts);
      this.latestTimestamp = Math.max(this.latestTimestamp, Number(parsed.block.timestamp));
      this.problems.equal(
        where,
        'timestamp lag',
        stored.timestampLag,
        this.latestTimestamp - Number(parsed.block.timestamp),
      );
    }
    this.previous = stored?.facts;
    if (stored !== undefined) this.window.push(stored.facts);
  }

  /** The rows of a block's transactions: as many as its facts say, or as say so themselves where the facts are wrong. */
  private transactionRows(height: number, stored: BlockRow | undefined): (TransactionRow | undefined)[] {
    const first = this.transactions;
    const told = stored?.sound === true ? stored.facts.generatedTransactions - first : NaN;
    const count = told > 0 && told <= MAX_TRANSACTIONS ? told : this.rows.transactionsOf(height, first);
    this.transactions += count;
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
    this.problems.equal(where, 'id', facts.hash, hash);
    this.problems.equal(where, 'height found by its id', this.rows.heightOf(hash), facts.height);
    if (facts.height === 0) this.problems.equal(where, 'id of genesis', hash, this.network.genesis.hash);
    else if (this.previous !== undefined) this.problems.equal(where, 'parent', block.previousHash, this.previous.hash);
  }

  private checkFacts(parsed: ParsedBlock, transactions: readonly ParsedTransaction[], facts: BlockFacts): void {
    const { block, coinbase } = parsed;
    const where = `block ${facts.height}`;
    const { previous, problems } = this;
    const below = previous ?? { cumulativeDifficulty: 0n, generatedCoins: 0n, generatedTransactions: 0 };
    problems.equal(where, 'major version', facts.majorVersion, block.majorVersion);
    problems.equal(where, 'minor version', facts.minorVersion, block.minorVersion);
    problems.equal(where, 'timestamp', facts.timestamp, Number(block.timestamp));
    const size = transactions.reduce((sum, transaction) => sum + transaction.size, coinbase.size);
    problems.equal(where, 'size', facts.size, size);
    const created = block.coinbase.outputs.reduce((sum, { amount }) => sum + amount, 0n);
    const fees = transactions.reduce((sum, { fee }) => sum + (fee ?? 0n), 0n);
    // A block that did not follow the one below is reported already; its totals would say nothing.
    if (facts.height > 0 && previous === undefined) return;
    problems.equal(where, 'generated coins', facts.generatedCoins, below.generatedCoins + created - fees);
    const count = below.generatedTransactions + 1 + block.transactionHashes.length;
    problems.equal(where, 'generated transactions', facts.generatedTransactions, count);
    const difficulty = facts.height === 0 ? 1n : nextDifficulty(this.network, facts.height - 1, this.window);
    problems.equal(where, 'difficulty', facts.difficulty, difficulty);
    problems.equal(where, 'cumulative difficulty', facts.cumulativeDifficulty, below.cumulativeDifficulty + difficulty);
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
      this.checkSum(name, row);
      if (signed !== undefined) this.checkSum(`signatures of ${name}`, signed);
      const transaction = i === 0 ? parsed.coinbase : this.parse(name, () => parseTransaction(bytesOf(row, signed)));
      if (transaction === undefined) return;
      if (i > 0) {
        transactions.push(transaction);
        this.digest.add(transaction.bytes);
        if (transaction.prefixBytes.length < transaction.bytes.length) this.signatures++;
      }
      this.checkTransaction(name, transaction, row, height);
    });
    return transactions;
  }

  private checkTransaction(name: string, parsed: ParsedTransaction, row: TransactionRow, height: number): void {
    const { problems } = this;
    this.digest.add(row.hash, row.height, parsed.transaction.unlockTime);
    problems.equal(name, 'hash', row.hash, parsed.hash);
    problems.equal(name, 'id found by its hash', this.rows.transactionId(parsed.hash), row.id);
    problems.equal(name, 'height', row.height, height);
    problems.equal(name, 'number of global indexes', row.globalIndexes?.length, parsed.transaction.outputs.length);
    this.checkOutputs(name, parsed, row.globalIndexes ?? [], height);
    this.checkPaymentId(name, plainPaymentId(parsed.transaction.extra), row.id);
    for (const input of parsed.transaction.inputs) {
      if (input.type !== 'key') continue;
      const spent = this.rows.keyImage(input.keyImage);
      const image = input.keyImage.toString('hex');
      if (spent !== undefined) this.checkSum(`key image ${image}`, spent);
      this.digest.add(input.keyImage, spent?.height ?? -1);
      problems.equal(name, `height at which ${image} is spent`, spent?.height, height);
      this.keyImages++;
    }
  }

  /**
   * That the uses of an id are counted without a gap follows block by block: each one is found, and so is the one before it,
   * in a lower row.
   */
  private checkPaymentId(name: string, paymentId: Buffer | undefined, transactionId: number): void {
    if (paymentId === undefined) return;
    const { problems, rows } = this;
    const id = this.paymentIds++;
    const row = rows.paymentId(id);
    if (row !== undefined) this.checkSum(`payment id of ${name}`, row);
    this.digest.add(row?.paymentId ?? NOTHING, row?.use ?? -1, row?.transactionId ?? -1);
    problems.equal(name, 'payment id', row?.paymentId, paymentId);
    problems.equal(name, 'transaction of its payment id', row?.transactionId, transactionId);
    if (row === undefined || !(row.use >= 0 && row.use <= id)) {
      return problems.add(name, `has a payment id whose number of uses is ${row?.use}`);
    }
    problems.equal(name, 'row found by its payment id', rows.paymentIdRow(paymentId, row.use), id);
    const before = row.use === 0 ? -1 : rows.paymentIdRow(paymentId, row.use - 1);
    if (before === undefined || before >= id)
      problems.add(name, `is use ${row.use} of its payment id, and use ${row.use - 1} is not before it`);
  }

  private checkOutputs(
    name: string,
    { transaction }: ParsedTransaction,
    indexes: readonly number[],
    height: number,
  ): void {
    transaction.outputs.forEach(({ amount, key }, position) => {
      const index = this.outputs.get(amount) ?? 0;
      this.outputs.set(amount, index + 1);
      const output = `output ${position}`;
      this.problems.equal(name, `global index of ${output}`, indexes[position], index);
      const amountId = this.rows.amountId(amount);
      const row = amountId === undefined ? undefined : this.rows.outputAt(amount, amountId, index);
      if (row !== undefined) this.checkSum(`${output} of ${name}`, row);
      // Where the row stands, in one number: 0 in its own block and unlocked with its transaction.
      const place = row === undefined ? -1 : row.height - height || Number(row.unlockTime !== transaction.unlockTime);
      this.digest.add(amount, indexes[position] ?? -1, row?.key ?? NOTHING, place, row?.position ?? -1);
      this.problems.equal(name, `key of ${output}`, row?.key, key);
      this.problems.equal(name, `height of ${output}`, row?.height, height);
      this.problems.equal(name, `unlock time of ${output}`, row?.unlockTime, transaction.unlockTime);
      this.problems.equal(name, `position of ${output}`, row?.position, position);
    });
  }

  private checkSum(where: string, { sound }: { readonly sound: boolean }): void {
    if (!sound) this.problems.add(where, 'does not fit its checksum');
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

function bytesOf(row: TransactionRow, signatures: BlobRow | undefined): Buffer {
  const prefix = decodeBlob(row.codec, row.bytes, 'transactions', row.id);
  return signatures === undefined
    ? prefix
    : Buffer.concat([prefix, decodeBlob(signatures.codec, signatures.bytes, 'signatures', row.id)]);
}
