import { randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import { databaseFile } from '../src';
import { PAGE_SIZE } from '../src/schema';
import { questionsAbout } from './support/answers';
import { chainA } from './support/chain-a';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';
import { askAll, withFlippedBit } from './support/flips';

afterAll(cleanUp);

test('300 single flipped bits anywhere in chain A lead to no wrong result', () => {
  const blocks = chainA();
  const directory = freshDirectory();
  const db = openHere({ directory });
  writerOf(db).append(blocks.slice(0, 715));
  for (const block of blocks.slice(715)) writerOf(db).putAlternative(block);
  const questions = questionsAbout(blocks.slice(0, 715), blocks.slice(715));
  const right = questions.map(({ request }) => request(db.reader));
  db.close();
  const pages = statSync(databaseFile(directory)).size / PAGE_SIZE;
  let damaged = 0;
  for (let i = 0; i < 300; i++) {
    const page = 2 + randomInt(pages - 1);
    const bit = randomInt(PAGE_SIZE * 8);
    const responses = withFlippedBit(directory, page, bit, () => askAll(directory, questions, right));
    expect({ page, bit, wrong: responses.wrong }).toEqual({ page, bit, wrong: [] });
    if (responses.damaged > 0) damaged++;
  }
  // The other bits are in unused parts of pages, or in pages that no query reads.
  expect(damaged).toBeGreaterThan(150);
});
