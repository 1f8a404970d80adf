import type { VerifiedBlock } from '@wrkz/consensus';
import { spentKeyImages } from '../block-parts';
import { type ChainDbError, CorruptDatabase, KeyImageSpent } from '../errors';
import type { ChainReader } from '../reader/reader';

/**
 * Why the tables refused blocks. Every rule that a block could break has been looked at before; what is left is a key
 * image, which nothing looks up in the checkpoint zone. It is the block's fault only when a block below really spends the
 * image. Whatever else contradicts a new block, a row that stands where none can be or an index that names what is not
 * there, is damage, and nobody's who brought the block.
 *
 * @param reader sees the chain as it is without the blocks
 * @param blocks what was to be appended, lowest first
 */
export function explainConflict(reader: ChainReader, blocks: readonly VerifiedBlock[], message: string): ChainDbError {
  const spent = new Map<string, number>();
  const first = blocks[0]?.facts.height ?? 0;
  for (const { transactions, facts } of blocks) {
    for (const image of transactions.flatMap(({ transaction }) => spentKeyImages(transaction))) {
      const id = image.toString('hex');
      const other = spent.get(id);
      if (other !== undefined) return new KeyImageSpent(image, facts.height, other);
      spent.set(id, facts.height);
      const below = reader.keyImageHeight(image);
      if (below === undefined || below >= first) continue;
      if (reader.spends(below, image)) return new KeyImageSpent(image, facts.height, below);
    }
  }
  return new CorruptDatabase(`what is stored contradicts a new block (${message})`);
}
