import type { BlockFacts } from '@wrkz/consensus';
import { blockHash, decodeBlock, decodeTransactionPrefix, type TransactionPrefix } from '@wrkz/core-types';
import { CorruptDatabase, ifStored } from './errors';
import { plainPaymentId } from './payment-ids';
import type { ChainReader } from './reader/reader';

/** Number of blocks that are checked after an unclean stop. */
export const LAST_BLOCKS = 1_000;

/**
 * Checks that the highest blocks are complete and consistent: ids, links, cumulative values, transactions, global indexes,
 * outputs, key images and payment ids. The last commits wrote them, so a power cut, a lost log, or a disk that acknowledged
 * writes without storing them would damage them first. On a pruned or lite node only the stored data is checked.
 *
 * @returns the number of checked blocks
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
    if (!holds) throw new CorruptDatabase(`${what} of block ${height}, found after an unclean stop`);
  };
}

/** @returns the facts of a block and of the one below */
function checkFacts(reader: ChainReader, height: number): [BlockFacts, BlockFacts | undefined] {
  const facts = reader.facts(height);
  if (facts === undefined) throw new CorruptDatabase(`block ${height} is missing`);
  const below = reader.facts(height - 1);
  const expect = expectOf(height);
  expect(reader.heightOf(facts.hash) === height, 'the lookup by id');
  expect(facts.cumulativeDifficulty === (below?.cumulativeDifficulty ?? 0n) + facts.difficulty, 'the work');
  expect(facts.generatedTransactions > (below?.generatedTransactions ?? 0), 'the transactions');
  return [facts, below];
}

/**
 * Without transactions it is unknown which key images and outputs belong to the last blocks. So checks that none is above the
 * tip.
 */
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
  const raw = ifStored(() => reader.rawBlock(height));
  const block = raw && decodeBlock(raw.block);
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
