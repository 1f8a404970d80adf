import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

test('every main file listens for signals before it loads anything else', () => {
  const mains = ['apps', 'packages']
    .map((folder) => join(__dirname, '../..', folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name, 'src/main.ts')))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'))
    .filter((text) => text.includes('runMain('));
  expect(mains.length).toBeGreaterThanOrEqual(3);
  for (const text of mains) expect(/^import .*$/m.exec(text)?.[0]).toBe("import '@wrkz/service-kit/early-signals';");
});
