/** `npm run house [-- folder]`: figures of the sources (of this workspace, or of another state of it in `folder`). */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { namesDefinedTwice } from './lib/exports.mjs';
import { main } from './lib/run.mjs';
import { readSource, sourceFiles, typescriptFiles } from './lib/sources.mjs';
import { printTable } from './lib/table.mjs';
import { top } from './lib/workspace.mjs';

const P2P = 'apps/daemon/src/p2p';

await main(() => {
  const root = resolve(process.argv[2] ?? top);
  const files = sourceFiles(root);
  const lines = files.map((file) => readSource(file, root).trimEnd().split('\n').length).sort((a, b) => a - b);
  const quantile = (part) => lines[Math.min(lines.length - 1, Math.floor(lines.length * part))];
  const tests = ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(root, group)).flatMap((name) => typescriptFiles(`${group}/${name}/test`, root)),
  );
  const twice = [...namesDefinedTwice(root).keys()];
  const loose = typescriptFiles(P2P, root).filter((file) => !file.slice(P2P.length + 1).includes('/'));
  printTable(
    ['figure', 'value'],
    [
      ['source files', files.length],
      ['lines of source', lines.reduce((sum, count) => sum + count, 0)],
      ['lines a file: median / p90 / max', `${quantile(0.5)} / ${quantile(0.9)} / ${lines.at(-1)}`],
      ['files of tests', tests.length],
      ['exports defined twice', `${twice.length}  ${twice.join(' ')}`],
      ['loose files at the root of p2p', loose.length],
    ],
  );
});
