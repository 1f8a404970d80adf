import type { VerifiedBlock } from '@wrkz/consensus';
import { type ChainReader, plainPaymentId, rulesDigestAt } from '../../src';

/** A query of a reader. */
export interface Question {
  readonly name: string;
  request(reader: ChainReader): unknown;
}

/** Every public query of a reader, for all of these blocks. */
export function questionsAbout(blocks: readonly VerifiedBlock[], alternatives: readonly VerifiedBlock[]): Question[] {
  const transactions = blocks.flatMap(({ block, transactions: others }) => [block.coinbase, ...others]);
  const inputs = transactions.flatMap(({ transaction }) =>
    transaction.inputs.flatMap((input) => (input.type === 'key' ? [input] : [])),
  );
  const amounts = [
    ...new Set(transactions.flatMap(({ transaction }) => transaction.outputs.map(({ amount }) => amount))),
  ];
  const top = blocks.length - 1;
  const questions: Question[] = [];
  const put = (name: string, request: (reader: ChainReader) => unknown): void => {
    questions.push({ name, request });
  };
  put('height', (reader) => reader.height());
  put('tip', (reader) => reader.tip());
  put('factsRange', (reader) => reader.factsRange(0, Infinity));
  put('hashes', (reader) => reader.hashes(0, Infinity));
  put('rawBlocks', (reader) => reader.rawBlocks(0, Infinity));
  put('blockStamps', (reader) => reader.blockStamps(0, Infinity));
  put('scanBlocks', (reader) => reader.scanBlocks(0, Infinity));
  put('globalIndexesRange', (reader) => reader.globalIndexesRange(0, Infinity));
  put('keyImagesBetween', (reader) => reader.keyImagesBetween(0, Infinity));
  put('paymentIdsBetween', (reader) => reader.paymentIdsBetween(0, Infinity));
  put('transactionCount', (reader) => reader.transactionCount());
  put('alternatives', (reader) => reader.alternatives());
  put('alternativeCount', (reader) => reader.alternativeCount());
  put('rulesDigestAt', (reader) => rulesDigestAt(reader, top));
  put('storedRulesDigest', (reader) => reader.storedRulesDigest(top));
  put('floors', (reader) => reader.floors());
  for (const height of [0, Math.floor(top / 2), top]) {
    put(`facts ${height}`, (reader) => reader.facts(height));
    put(`hashAt ${height}`, (reader) => reader.hashAt(height));
    put(`rawBlock ${height}`, (reader) => reader.rawBlock(height));
    put(`transactionHashes ${height}`, (reader) => reader.transactionHashes(height));
    put(`globalIndexes ${height}`, (reader) => reader.globalIndexes(height));
    put(`viewAt ${height}`, (reader) => reader.viewAt(height).window(height, 10));
  }
  for (const { facts } of blocks) {
    put(`heightOf ${facts.height}`, (reader) => reader.heightOf(facts.hash));
    put(`hasBlock ${facts.height}`, (reader) => reader.hasBlock(facts.hash));
    put(`firstHeightFrom ${facts.height}`, (reader) => reader.firstHeightFrom(facts.timestamp));
  }
  transactions.forEach(({ hash }, i) => {
    put(`transaction ${i}`, (reader) => reader.transaction(hash));
    put(`transactionHeight ${i}`, (reader) => reader.transactionHeight(hash));
    put(`outputIndexes ${i}`, (reader) => reader.outputIndexes(hash));
  });
  inputs.forEach(({ keyImage }, i) => put(`image ${i}`, (reader) => reader.keyImageHeight(keyImage)));
  const paymentIds = transactions.flatMap(({ transaction }) => plainPaymentId(transaction.extra) ?? []);
  const uses = new Map(paymentIds.map((id) => [id.toString('hex'), 0]));
  for (const paymentId of paymentIds) {
    const id = paymentId.toString('hex');
    const use = uses.get(id) ?? 0;
    uses.set(id, use + 1);
    put(`transactionsByPaymentId ${id} ${use}`, (reader) => reader.transactionsByPaymentId(paymentId, use, use + 1));
  }
  for (const amount of amounts) {
    put(`outputCount ${amount}`, (reader) => reader.outputCount(amount));
    put(`outputCount ${amount} below`, (reader) => reader.outputCount(amount, Math.floor(top / 2)));
    put(`outputs ${amount}`, (reader) => [0, 1, 2, 3, 5, 8, 13, 21, 34].map((index) => reader.output(amount, index)));
    put(`randomOutputs ${amount}`, (reader) =>
      reader.randomOutputs(amount, 1_000, { maxHeight: top, isUnlocked: () => true }).sort((a, b) => a.index - b.index),
    );
  }
  for (const { facts } of alternatives) {
    put(`alternative ${facts.height}`, (reader) => reader.alternative(facts.hash));
    put(`alternativeInfo ${facts.height}`, (reader) => reader.alternativeInfo(facts.hash));
  }
  return questions;
}
