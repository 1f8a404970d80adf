import { endPrograms } from '../support/child';
import { removeFolders } from '../support/folder';
import { killSavers } from '../support/kills';

afterEach(async () => {
  await endPrograms();
  removeFolders();
});

test('killed a hundred times in the midst of saves, the file opens every time', async () => {
  await killSavers(100, Math.random);
}, 900_000);
