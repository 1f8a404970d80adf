import { cleanUp } from '../support/directories';
import { killExport, killImport } from '../support/snapshot-kills';

afterEach(cleanUp);

test('a killed import leaves the old database or the complete new one', async () => {
  expect(await killImport([0, 0.3])).toBeGreaterThan(0);
});

test('a killed export leaves no incomplete file under its name', async () => {
  expect(await killExport([0, 0.3])).toBeGreaterThan(0);
});
