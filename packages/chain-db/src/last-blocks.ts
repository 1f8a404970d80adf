import type { BlockFacts } from '@wrkz/consensus';
import { blockHash, decodeBlock, decodeTransactionPrefix, type TransactionPrefix } from '@wrkz/core-types';
import { BelowFloor, CorruptDatabase } from './errors';
import { plainPaymentId } from './payment-ids';
import type { ChainReader } from './reader/reader';

/** Blocks that are looked at after a stop that was none. */
export const LAST_BLOCKS = 1_000;

/**
 * Looks whether the highest blocks are whole and fit together: ids, links, running totals, transactions, global indexes,
 * outputs, key images and payment ids. These are what the last commits have written, which is what a power cut, a lost log or a disk
 * that lies about what it has stored would take. Where a mode has dropped bodies, or never stored transactions, what is there
 * is looked at.
 *
 * @returns how many were looked at
 * @throws CorruptDatabase
 */
export function checkLastBlocks(reader: ChainReader, count = LAST_BLOCKS): number {
  return reader.snapshot(() => {
    const tip = reader.height();
    const lowest = Math.max(0, tip - count + 1);
    const { records } = reader.floors();
    for (let height = lowest; height <= tip; height++) {
      const [facts, below] = checkFacts(reader, height);
      if (height === 0 || height >= records) checkRecords(reader, facts, below);
    }
    if (tip < records) checkEnds(reader, tip);
    return tip - lowest + 1;
  });
}

type Expect = (holds: boolean, what: string) => void;

function expectOf(height: number): Expect {
  return (holds, what) => {
    if (!holds) throw new CorruptDatabase(`${what} of block ${height}, found after a stop that was not in order`);
  };
}

/** @returns the facts of a block and of the one below */
function checkFacts(reader: ChainReader, height: number): [BlockFacts, BlockFacts | undefined] {
  const facts = reader.facts(height);
  if (facts === undefined) throw new CorruptDatabase(`block ${height} is missing`);
  const below = reader.facts(height - 1);
  const expect = expectOf(height);
  expect(reader.heightOf(facts.hash) === height, 'the look-up by id');
  expect(facts.cumulativeDifficulty === (below?.cumulativeDifficulty ?? 0n) + facts.difficulty, 'the work');
  expect(facts.generatedTransactions > (below?.generatedTransactions ?? 0), 'the transactions');
  return [facts, below];
}

/** Where nothing tells which images and outputs the last blocks brought: that none is of a block above them. */
function checkEnds(reader: ChainReader, tip: number): void {
  const expect = expectOf(tip);
  expect(reader.keyImagesBetween(tip + 1, Infinity).length === 0, 'a key image above the top');
  for (const amount of reader.amounts()) {
    expect(reader.outputCount(amount) === reader.outputCount(amount, tip), 'an output above the top');
  }
}

function checkRecords(reader: ChainReader, facts: BlockFacts, below: BlockFacts | undefined): void {
  const { height } = facts;
  const expect = expectOf(height);
  const block = decodedBlock(reader, height);
  const { hashes, prefixes } = reader.scanBlocks(height, height + 1);
  if (block !== undefined) {
    expect(blockHash(block).equals(facts.hash), 'the id');
    expect(below === undefined || block.previousHash.equals(below.hash), 'the parent');
  }
  expect(facts.generatedTransactions === (below?.generatedTransactions ?? 0) + hashes.length, 'the transactions');
  hashes.forEach((hash) => expect(reader.transactionHeight(hash) === height, 'a transaction'));
  const indexes = reader.globalIndexes(height);
  const transactions = prefixes.map((bytes) => decodeTransactionPrefix(bytes));
  expect(ownsPaymentIds(reader, transactions, hashes, height), 'a payment id');
  transactions.forEach((prefix, i) => {
    expect(ownsOutputs(reader, prefix, indexes[i]?.indexes ?? [], height), 'an output');
    expect(ownsKeyImages(reader, prefix, height), 'a key image');
  });
}

/** undefined where bodies are not kept. */
function decodedBlock(reader: ChainReader, height: number): ReturnType<typeof decodeBlock> | undefined {
  try {
    const raw = reader.rawBlock(height);
    return raw === undefined ? undefined : decodeBlock(raw.block);
  } catch (error) {
    if (error instanceof BelowFloor) return undefined;
    throw error;
  }
}

function ownsOutputs(
  reader: ChainReader,
  { outputs }: TransactionPrefix,
  indexes: readonly number[],
  height: number,
): boolean {
  return outputs.every(({ amount, key }, position) => {
    const index = indexes[position];
    const stored = index === undefined ? undefined : reader.output(amount, index);
    return stored?.height === height && stored.position === position && stored.key.equals(key);
  });
}

function ownsKeyImages(reader: ChainReader, { inputs }: TransactionPrefix, height: number): boolean {
  return inputs.every((input) => input.type !== 'key' || reader.keyImageHeight(input.keyImage) === height);
}

function ownsPaymentIds(
  reader: ChainReader,
  transactions: readonly TransactionPrefix[],
  hashes: readonly Buffer[],
  height: number,
): boolean {
  const stored = reader.paymentIdsBetween(height, height + 1);
  const carried = transactions.flatMap(({ extra }, i) => {
    const paymentId = plainPaymentId(extra);
    return paymentId === undefined ? [] : [{ paymentId, hash: hashes[i] as Buffer }];
  });
  return (
    stored.length === carried.length &&
    stored.every(({ paymentId, use }, i) => {
      const [found] = reader.transactionsByPaymentId(paymentId, use, use + 1);
      return carried[i]?.paymentId.equals(paymentId) === true && found?.equals(carried[i].hash) === true;
    })
  );
}
