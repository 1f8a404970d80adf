import { cleanUp } from '../support/directories';
import { killExport, killImport } from '../support/snapshot-kills';

afterEach(cleanUp);

const moments = (): number[] => Array.from({ length: 100 }, () => Math.random() * 1.2);

test('a hundred kills at random moments of an import', async () => {
  expect(await killImport(moments())).toBeGreaterThan(30);
});

test('a hundred kills at random moments of an export', async () => {
  expect(await killExport(moments())).toBeGreaterThan(30);
});
