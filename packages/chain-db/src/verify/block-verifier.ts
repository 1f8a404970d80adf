import { nextDifficulty, type BlockFacts } from '@wrkz/consensus';
import {
  networkOf,
  parseBlock,
  parseTransaction,
  type NetworkName,
  type ParsedBlock,
  type ParsedTransaction,
} from '@wrkz/core-types';
import { factsValues } from '../rows';
import type { StateDigest } from './digest';
import { FactsWindow } from './facts-window';
import type { Problems } from './problems';
import type { StoredRows, TransactionRow } from './stored-rows';

const NOTHING = Buffer.alloc(0);

/**
 * Goes up the main chain and compares every row with what the raw blocks say. What only the rows below can tell (running
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
  transactions = 0;

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
    const stored = this.rows.facts(height);
    const body = this.rows.blockBody(height);
    if (stored === undefined || body === undefined) {
      this.problems.add(where, stored === undefined ? 'has no row' : 'has no body');
    }
    const parsed = body && this.parse(where, () => parseBlock(body));
    if (stored !== undefined && body !== undefined && parsed !== undefined) {
      this.digest.add(...factsValues(stored.facts), stored.timestampLag, body);
      const transactions = this.checkTransactions(parsed, stored.facts);
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
  private checkTransactions(parsed: ParsedBlock, facts: BlockFacts): ParsedTransaction[] {
    const where = `block ${facts.height}`;
    const count = parsed.block.transactionHashes.length + 1;
    const first = facts.generatedTransactions - count;
    const rows = new Map(this.rows.transactions(first, first + count).map((row) => [row.id, row]));
    const bodies = this.rows.transactionBodies(first, first + count);
    const listed = new Set(parsed.block.transactionHashes.map((hash) => hash.toString('hex')));
    const transactions: ParsedTransaction[] = [];
    this.transactions += count;
    for (let id = first; id < first + count; id++) {
      const name = `transaction ${id - first} of ${where}`;
      const body = bodies.get(id);
      const transaction = id === first ? parsed.coinbase : body && this.parse(name, () => parseTransaction(body));
      if (transaction === undefined) {
        if (body === undefined) this.problems.add(name, 'has no body');
        continue;
      }
      if (id > first) {
        transactions.push(transaction);
        this.digest.add(transaction.bytes);
        if (!listed.delete(transaction.hash.toString('hex')))
          this.problems.add(name, 'is not one that the block lists');
      }
      this.checkTransaction(name, id, transaction, rows.get(id), facts.height);
    }
    return transactions;
  }

  private checkTransaction(
    name: string,
    id: number,
    parsed: ParsedTransaction,
    row: TransactionRow | undefined,
    height: number,
  ): void {
    const { problems } = this;
    if (row === undefined) {
      problems.add(name, 'has no row');
    } else {
      this.digest.add(row.hash, row.height, row.unlockTime);
      problems.equal(name, 'hash', row.hash, parsed.hash);
      problems.equal(name, 'id found by its hash', this.rows.transactionId(parsed.hash), id);
      problems.equal(name, 'height', row.height, height);
      problems.equal(name, 'unlock time', row.unlockTime, parsed.transaction.unlockTime);
      problems.equal(name, 'number of global indexes', row.globalIndexes?.length, parsed.transaction.outputs.length);
    }
    this.checkOutputs(name, id, parsed, row?.globalIndexes ?? []);
    for (const input of parsed.transaction.inputs) {
      if (input.type !== 'key') continue;
      const spent = this.rows.keyImageHeight(input.keyImage);
      this.digest.add(input.keyImage, spent ?? -1);
      problems.equal(name, `height at which ${input.keyImage.toString('hex')} is spent`, spent, height);
      this.keyImages++;
    }
  }

  private checkOutputs(name: string, id: number, { transaction }: ParsedTransaction, indexes: readonly number[]): void {
    transaction.outputs.forEach(({ amount, key }, position) => {
      const index = this.outputs.get(amount) ?? 0;
      this.outputs.set(amount, index + 1);
      const output = `output ${position}`;
      this.problems.equal(name, `global index of ${output}`, indexes[position], index);
      const amountId = this.rows.amountId(amount);
      const row = amountId === undefined ? undefined : this.rows.outputAt(amountId, index);
      this.digest.add(
        amount,
        indexes[position] ?? -1,
        row?.key ?? NOTHING,
        (row?.transactionId ?? -1) - id,
        row?.position ?? -1,
      );
      this.problems.equal(name, `key of ${output}`, row?.key, key);
      this.problems.equal(name, `transaction of ${output}`, row?.transactionId, id);
      this.problems.equal(name, `position of ${output}`, row?.position, position);
    });
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
