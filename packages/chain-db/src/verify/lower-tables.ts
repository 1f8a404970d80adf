import type { SqliteConnection } from '@wrkz/sqlite';
import type { Problems } from './problems';
import { scanKeyImages, scanOutputs } from './row-scan';
import type { StoredRows } from './stored-rows';
import type { TransactionCheck } from './transaction-check';

/**
 * What a lite node has of the blocks below its height besides their facts: the outputs and images themselves, which no
 * transaction there tells of. Each is compared with its checksum, its place and its look-up; those from the height on are
 * held against their transactions elsewhere.
 *
 * @param carried is told how many outputs of each amount, and images, there are below the height
 */
export function* checkLowerTables(
  connection: SqliteConnection,
  rows: StoredRows,
  problems: Problems,
  { lite, tip }: { readonly lite: number; readonly tip: number },
  carried: TransactionCheck,
): Generator<void, void> {
  const outputs = new Map<bigint, number>();
  let amount = 0n;
  yield* scanOutputs(connection, problems, tip, {
    amount: (next) => void (amount = next),
    output: (_, height) => height < lite && outputs.set(amount, (outputs.get(amount) ?? 0) + 1),
    endAmount: () => undefined,
  });
  let images = 0;
  yield* scanKeyImages(connection, problems, tip, (image, height, id) => {
    if (height >= lite) return;
    images++;
    if (rows.keyImage(image)?.id !== id) problems.add(`key image ${image.toString('hex')}`, 'is not found');
  });
  carried.outputs = outputs;
  carried.keyImages = images;
}
