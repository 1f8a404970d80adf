import { VerifiedBlock, type BlockFacts } from '@wrkz/consensus';
import type { ParsedTransaction } from '@wrkz/core-types';
import { blockBody, signaturesOf } from '../block-bytes';
import { RefusedChange, WrongLink } from '../errors';
import { packIndexes } from '../integers';
import { plainPaymentId } from '../payment-ids';
import type { Store } from './store';

/** A block with its facts: a {@link VerifiedBlock}, or a block of a damaged database, which was verified before. */
export type StorableBlock = Pick<VerifiedBlock, 'block' | 'transactions' | 'facts'>;

/**
 * Appends a block: its facts, then for each transaction (coinbase first) outputs, row, key images, payment id and signatures, and
 * its body. The caller holds the transaction.
 *
 * A `reduced` block, below the height of a lite node, has only the data that the rules read: facts, outputs and key images.
 *
 * @param tip facts of the tip; undefined in an empty database, which accepts only genesis
 * @throws WrongLink, RefusedChange
 */
export function appendBlock(
  store: Store,
  storable: StorableBlock,
  tip: BlockFacts | undefined,
  form: 'whole' | 'reduced',
): void {
  checkLink(storable, tip);
  const { block, transactions, facts } = storable;
  store.putBlock(facts);
  if (form === 'reduced') {
    for (const parsed of [block.coinbase, ...transactions]) {
      putOutputs(store, parsed, facts.height);
      putKeyImages(store, parsed, facts.height);
    }
    return;
  }
  let id = tip?.generatedTransactions ?? 0;
  putTransaction(store, id, block.coinbase, facts.height);
  for (const transaction of transactions) putTransaction(store, ++id, transaction, facts.height);
  store.putBlockBody(facts.height, blockBody(block, transactions));
}

/** Inserts all rows of a transaction. @param id the next transaction id */
function putTransaction(store: Store, id: number, parsed: ParsedTransaction, height: number): void {
  const globalIndexes = packIndexes(putOutputs(store, parsed, height));
  store.putTransaction({ id, hash: parsed.hash, height, globalIndexes, prefix: parsed.prefixBytes });
  putKeyImages(store, parsed, height);
  const paymentId = plainPaymentId(parsed.transaction.extra);
  if (paymentId !== undefined) store.paymentIds.put(paymentId, id);
  const signatures = signaturesOf(parsed);
  if (signatures.length > 0) store.putSignatures(id, signatures);
}

/** @returns the global index of each output */
function putOutputs(store: Store, { transaction }: Pick<ParsedTransaction, 'transaction'>, height: number): number[] {
  const { outputs, unlockTime } = transaction;
  const signed = BigInt.asIntN(64, unlockTime);
  return outputs.map(({ amount, key }, position) => store.putOutput(amount, signed, { key, height, position }));
}

function putKeyImages(store: Store, { transaction }: Pick<ParsedTransaction, 'transaction'>, height: number): void {
  for (const input of transaction.inputs) {
    if (input.type === 'key') store.keyImages.put(input.keyImage, height);
  }
}

/** Run-time check, in addition to the type. */
export function checkVerified(verified: VerifiedBlock): void {
  if (!(verified instanceof VerifiedBlock)) throw new TypeError('a chain takes verified blocks only');
}

function checkLink({ block, transactions, facts }: StorableBlock, tip: BlockFacts | undefined): void {
  const id = `block ${facts.height} (${facts.hash.toString('hex')})`;
  if (tip === undefined) {
    if (facts.height !== 0) throw new WrongLink(`${id} cannot be the first of an empty database: that is genesis`);
  } else if (facts.height !== tip.height + 1 || !block.block.previousHash.equals(tip.hash)) {
    throw new WrongLink(`${id} does not continue the chain, whose top is ${tip.height} (${tip.hash.toString('hex')})`);
  }
  const expected = {
    cumulativeDifficulty: (tip?.cumulativeDifficulty ?? 0n) + facts.difficulty,
    generatedTransactions: (tip?.generatedTransactions ?? 0) + 1 + transactions.length,
  };
  if (
    facts.cumulativeDifficulty !== expected.cumulativeDifficulty ||
    facts.generatedTransactions !== expected.generatedTransactions
  ) {
    throw new RefusedChange(`the cumulative values of ${id} do not follow from those of its parent`);
  }
}
