import type { ChainReader } from '../reader/reader';
import type { Problems } from './problems';
import type { StoredRows } from './stored-rows';
import type { TransactionCheck } from './transaction-check';

/** Blocks and outputs per read, some milliseconds of work. */
const BATCH = 500;

/**
 * The outputs and key images of a lite node below its height. No transaction is stored for them, so only their order, their
 * heights and the lookup can be checked. Those from the height on are compared with their transactions.
 *
 * @param check receives the numbers of outputs and key images below the height
 */
export function* checkLowerTables(
  reader: ChainReader,
  rows: StoredRows,
  problems: Problems,
  { lite, tip }: { readonly lite: number; readonly tip: number },
  check: TransactionCheck,
): Generator<void, void> {
  for (const amount of reader.amounts()) {
    const count = reader.outputCount(amount, lite - 1);
    if (count > 0) check.outputs.set(amount, count);
    let highest = 0;
    for (let start = 0; start < count; start += BATCH, yield) {
      for (const { height } of reader.outputsBetween(amount, start, Math.min(start + BATCH, count))) {
        if (height < highest || height > tip) problems.add(`outputs of ${amount}`, `block ${height} after ${highest}`);
        highest = Math.max(highest, height);
      }
    }
  }
  const end = Math.min(lite, tip + 1);
  for (let start = 0; start < end; start += BATCH, yield) {
    for (const { image, height } of reader.keyImagesBetween(start, Math.min(start + BATCH, end))) {
      check.keyImages++;
      problems.equal(`key image ${image.toString('hex')}`, 'height', rows.spentHeight(image), height);
    }
  }
}
