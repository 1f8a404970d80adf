import { cleanUp } from '../support/directories';
import { killExport, killImport } from '../support/snapshot-kills';

afterEach(cleanUp);

test('an import that is killed leaves nothing that a start would use', async () => {
  expect(await killImport([0, 0.3])).toBeGreaterThan(0);
}, 120_000);

test('an export that is killed leaves no file under its name', async () => {
  expect(await killExport([0, 0.3])).toBeGreaterThan(0);
}, 120_000);
