import { parseBlock, parseTransaction, type RawBlock } from '@wrkz/core-types';
import { CorruptDatabase } from '../errors';

/**
 * Computes the id of a stored block and the hashes of its transactions from the bytes. SQLite's pages carry no checksums:
 * this is what stands between a flipped bit on the disk and whoever is given the block.
 *
 * @param read gets the bytes; what it throws besides CorruptDatabase counts as damage
 * @throws CorruptDatabase
 */
export function checkRawBlock(name: string, hash: Buffer, read: () => RawBlock): RawBlock {
  try {
    const raw = read();
    const parsed = parseBlock(raw.block);
    if (!parsed.hash.equals(hash)) throw new CorruptDatabase(`${name} hashes to ${parsed.hash.toString('hex')}`);
    const listed = parsed.block.transactionHashes.map((one) => one.toString('hex'));
    const stored = raw.transactions.map((bytes) => parseTransaction(bytes).hash.toString('hex'));
    // Before the reference compared the order, a block's transactions could be delivered in another one.
    if (listed.sort().join() !== stored.sort().join()) {
      throw new CorruptDatabase(`the transactions of ${name} are not those that it lists`);
    }
    return raw;
  } catch (error) {
    if (error instanceof CorruptDatabase) throw error;
    throw new CorruptDatabase(name, { cause: error });
  }
}
