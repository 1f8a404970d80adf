import { SqliteConnection } from '@wrkz/sqlite';
import { DamagedRow, databaseFile } from '../src';
import { chainA } from './support/chain-a';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';
import { makeChain } from './support/maker';

afterAll(cleanUp);

const genesis = chainA().slice(0, 1);
const blocks = [
  ...genesis,
  ...makeChain(
    [1, 2, 3].map((salt) => ({ salt, transactions: [{ amounts: [7, 900], inputs: 1 }] })),
    genesis,
  ),
];

/** How many outputs of 7 there are by a database that lost rows. */
function countAfter(loss: string): number {
  const directory = freshDirectory();
  const db = openHere({ directory });
  writerOf(db).append(blocks);
  db.close();
  const connection = new SqliteConnection(databaseFile(directory));
  connection.exec(loss);
  connection.close();
  return openHere({ directory, readonly: true }).reader.outputCount(7n);
}

const ID = '(SELECT id FROM amounts WHERE amount = 7)';
const NEXT = `(SELECT min(amount_id) FROM outputs WHERE amount_id > ${ID})`;

test('nothing lost', () => expect(countAfter('')).toBe(3));

test.each([
  ['all outputs of an amount', `DELETE FROM outputs WHERE amount_id = ${ID}`],
  [
    'the last ones with the first of the next amount',
    `DELETE FROM outputs WHERE (amount_id = ${NEXT} AND global_index < 1) OR (amount_id = ${ID} AND global_index > 1)`,
  ],
  [
    'the last one with all of the next amount',
    `DELETE FROM outputs WHERE amount_id = ${NEXT} OR (amount_id = ${ID} AND global_index > 1)`,
  ],
])('%s lost is not a smaller count', (_, loss) => {
  expect(() => countAfter(loss)).toThrow(DamagedRow);
});
