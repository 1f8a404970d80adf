import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { printedPages } from './pages';

/* Regenerates docs/api. */

const folder = join(__dirname, '../../docs/api');
rmSync(folder, { recursive: true, force: true });
const pages = printedPages();
for (const { path, text } of pages) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
process.stdout.write(`docs/api: ${String(pages.length)} files\n`);
