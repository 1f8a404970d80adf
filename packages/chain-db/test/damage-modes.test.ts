import { BelowFloor } from '../src';
import { PAGE_SIZE } from '../src/schema';
import { type Question, questionsAbout } from './support/answers';
import { chainA } from './support/chain-a';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';
import { askAll, pagesByTable, withFlippedBit } from './support/flips';
import { makeChain } from './support/maker';
import { pruneTo } from './support/modes';

afterAll(cleanUp);

const FLOOR = 14;
/** Bits flipped in the cells of each page. */
const FLIPS = 2;

const genesis = chainA().slice(0, 1);
const plan = (salt: number) => ({
  salt,
  transactions: [
    { amounts: [7, 900], inputs: 2, unlockTime: 60n },
    { amounts: [7], inputs: 1, paymentId: salt % 3 },
  ],
});
const plans = Array.from({ length: 25 }, (_, i) => plan(i));
const blocks = [...genesis, ...makeChain(plans, genesis)];
const alternatives = makeChain([plan(50), plan(51)], blocks.slice(0, 24));

/** A query whose BelowFloor error counts as a result, because damage must never cause it, nor must it hide damage. */
function withRefusals({ request, ...question }: Question): Question {
  return {
    ...question,
    request: (reader) => {
      try {
        return request(reader);
      } catch (error) {
        if (error instanceof BelowFloor) return error.message;
        throw error;
      }
    },
  };
}

test.each(['pruned', 'lite'] as const)('no flipped bit in a %s database leads to a wrong result', (mode) => {
  const directory = freshDirectory();
  const db = openHere({ directory, ...(mode === 'lite' ? { lite: FLOOR } : {}) });
  writerOf(db).append(blocks);
  for (const block of alternatives) writerOf(db).putAlternative(block);
  if (mode === 'pruned') pruneTo(db, FLOOR);
  // A lite node counts the uses of a payment id from its height on, so these queries would differ.
  const isAsked = ({ name }: Question): boolean => mode === 'pruned' || !name.startsWith('transactionsByPaymentId');
  const questions = questionsAbout(blocks, alternatives).filter(isAsked).map(withRefusals);
  const right = questions.map(({ request }) => request(db.reader));
  db.close();
  const refusals = right.filter((result) => typeof result === 'string' && result.includes(`below height ${FLOOR}`));
  expect(refusals.length).toBeGreaterThan(mode === 'lite' ? 3 : 2);
  expect(askAll(directory, questions, right)).toEqual({ damaged: 0, wrong: [] });
  let seed = mode.length;
  const random = (limit: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * limit);
  };
  let damaged = 0;
  for (const [name, pages] of pagesByTable(directory)) {
    if (name === 'sqlite_schema') continue;
    for (const page of pages) {
      for (let i = 0; i < FLIPS; i++) {
        const bit = PAGE_SIZE * 8 - 1 - random(8_000);
        const responses = withFlippedBit(directory, page, bit, () => askAll(directory, questions, right));
        expect({ name, page, bit, wrong: responses.wrong }).toEqual({ name, page, bit, wrong: [] });
        damaged += responses.damaged;
      }
    }
  }
  expect(damaged).toBeGreaterThan(12 * FLIPS);
});
