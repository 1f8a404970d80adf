import type { BlockFacts } from '@wrkz/consensus';
import { WrongLink } from '../errors';
import { toSigned } from '../integers';
import type { RestoredBlock } from '../repair/restored-block';
import { putTransaction } from './append';
import type { Store } from './store';

/**
 * Puts a block of a damaged database on the tip of the new one. Row checksums, global indexes and look-ups are made anew.
 * The caller holds the transaction.
 * @throws WrongLink
 */
export function restoreBlock(store: Store, block: RestoredBlock, tip: BlockFacts | undefined): void {
  const { facts, parent } = block;
  const { height } = facts;
  if (height !== (tip?.height ?? -1) + 1 || (parent !== undefined && tip !== undefined && !parent.equals(tip.hash))) {
    throw new WrongLink(`block ${height} does not continue the chain, whose top is ${tip?.height ?? 'not there'}`);
  }
  store.putBlock(facts);
  if (block.kind === 'transactions') {
    let id = tip?.generatedTransactions ?? 0;
    for (const transaction of block.transactions) putTransaction(store, id++, transaction, height);
    if (block.body !== undefined) store.putBlockBody(height, block.body);
    return;
  }
  for (const { amount, key, unlockTime, position } of block.outputs) {
    const unlockLow = Number(unlockTime & 0xffff_ffffn);
    const unlockHigh = Number(unlockTime >> 32n);
    store.putOutput(amount, toSigned(unlockTime), { key, height, unlockLow, unlockHigh, position });
  }
  for (const image of block.images) store.keyImages.put(image, height);
}
