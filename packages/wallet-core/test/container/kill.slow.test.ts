import { endPrograms } from '../support/child';
import { removeFolders } from '../support/folder';
import { killSavers } from '../support/kills';

// Another process opens the files: all PBKDF2 iterations.
jest.unmock('node:crypto');

afterEach(async () => {
  await endPrograms();
  removeFolders();
});

test('the file opens after each of 100 kills during saves', async () => {
  await killSavers(100, Math.random);
});
