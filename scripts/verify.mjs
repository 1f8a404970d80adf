/** `npm run verify`: types (tests included), declarations, terms, names in documents, imports, unused code, lint and formatting. Runs all; any failure fails. */
import { bootstrap } from './bootstrap.mjs';
import { main, run, runEach } from './lib/run.mjs';
import { projects, tool } from './lib/workspace.mjs';

/** Each folder of tests is a TypeScript program of its own, as in an editor. */
const tests = projects().map(({ folder }) => `${folder}/test`);

const SOURCES = ['packages', 'apps', 'bench', 'scripts', 'packaging', 'docs'];

const checks = [
  ['types', tool('typescript/bin/tsc'), '-b'],
  ['types of tests', tool('typescript/bin/tsc'), '-b', ...tests, 'docs/test', 'scripts/test', 'bench'],
  ['declarations', 'scripts/checks/declarations.mjs'],
  ['terms', 'scripts/checks/terms.mjs'],
  ['names in documents', 'scripts/checks/names.mjs'],
  ['imports', tool('dependency-cruiser/bin/dependency-cruise.mjs'), ...SOURCES],
  ['unused code', tool('knip/bin/knip.js'), '--no-progress', '--no-config-hints'],
  ['lint', tool('eslint/bin/eslint.js'), '.', '--max-warnings=0'],
  ['formatting', tool('prettier/bin/prettier.cjs'), '--check', '--log-level=warn', '.'],
];

await main(async () => {
  await bootstrap();
  return runEach(checks, async ([check, ...command]) => {
    process.stderr.write(`[verify] ${check}\n`);
    return { check, code: await run(process.execPath, command) };
  });
});
