import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSite } from './build';

/* Writes the site into docs/dist. */

const folder = join(__dirname, '../dist');
rmSync(folder, { recursive: true, force: true });
const site = buildSite();
for (const [path, bytes] of site) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), bytes);
}
process.stdout.write(`docs/dist: ${String(site.size)} files; open docs/dist/index.html, or serve the folder\n`);
