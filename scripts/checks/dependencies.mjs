/**
 * `node scripts/checks/dependencies.mjs`: every package and app declares what it imports. Sources need a dependency
 * (for types alone, those of `@types` will do), tests may also use development dependencies; what is declared and not
 * imported is told too. The benchmarks declare theirs like a package; scripts and the tests of documents use what the
 * top declares.
 */
import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import ts from 'typescript';
import { parse } from '../lib/exports.mjs';
import { main } from '../lib/run.mjs';
import { typescriptFiles } from '../lib/sources.mjs';
import { projects, readManifest } from '../lib/workspace.mjs';

/** Calls that load what their first argument names. */
const LOADERS = new Set([
  'require',
  'require.resolve',
  'readPackageFile',
  'jest.mock',
  'jest.requireActual',
  'jest.requireMock',
]);

/** Used without an import: the test runner and the types of what is global. */
const IMPLICIT = new Set(['jest', '@types/jest', '@types/node']);

await main(() => {
  let found = 0;
  const complain = (text) => {
    found += 1;
    process.stderr.write(`${text}\n`);
  };
  const all = [
    ...projects().map((project) => ({ ...project, sources: ['src'], tests: ['test', 'scripts'] })),
    { folder: 'bench', manifest: readManifest('bench'), sources: [], tests: ['.'], reachesByPath: true },
    { folder: '.', manifest: readManifest('.'), sources: [], tests: ['docs', 'scripts'], reachesByPath: true },
  ];
  for (const { folder, manifest, sources, tests, reachesByPath = false } of all) {
    const { dependencies = {}, optionalDependencies = {}, devDependencies = {} } = manifest;
    const forSources = new Set([manifest.name, ...Object.keys(dependencies), ...Object.keys(optionalDependencies)]);
    const forTests = new Set([...forSources, ...Object.keys(devDependencies)]);
    const used = new Set();
    for (const [part, declared] of [
      ...sources.map((part) => [part, forSources]),
      ...tests.map((part) => [part, forTests]),
    ]) {
      for (const file of typescriptFiles(posix.join(folder, part), undefined, ['.ts', '.mjs', '.cjs'])) {
        for (const { name, typesOnly } of importedPackages(parse(file))) {
          const types = `@types/${name.replace(/^@([^/]+)\//, '$1__')}`;
          used.add(name).add(types);
          if (declared.has(name) || (typesOnly && forTests.has(types))) continue;
          complain(`${file} imports ${name}, which ${folder}/package.json does not declare`);
        }
      }
    }
    if (reachesByPath) continue;
    for (const name of forTests) {
      if (name !== manifest.name && !used.has(name) && !IMPLICIT.has(name)) {
        complain(`${folder}/package.json declares ${name}, which nothing there imports`);
      }
    }
  }
  return found === 0 ? 0 : 1;
});

/** The packages that a file names in imports, exports, `import = require()`, `import()` and calls of `LOADERS`. */
function importedPackages(source) {
  const found = new Map();
  const note = (specifier, typesOnly) => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    const { text } = specifier;
    if (text.startsWith('.') || text.startsWith('/') || text.startsWith('node:')) return;
    const name = text
      .split('/')
      .slice(0, text.startsWith('@') ? 2 : 1)
      .join('/');
    if (builtinModules.includes(name)) return;
    found.set(name, (found.get(name) ?? true) && typesOnly);
  };
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) note(node.moduleSpecifier, node.importClause?.isTypeOnly === true);
    else if (ts.isExportDeclaration(node)) note(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isExternalModuleReference(node)) note(node.expression, node.parent.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) note(node.argument.literal, true);
    else if (ts.isCallExpression(node) && isLoading(node.expression)) note(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found].map(([name, typesOnly]) => ({ name, typesOnly }));
}

function isLoading(callee) {
  return callee.kind === ts.SyntaxKind.ImportKeyword || LOADERS.has(callee.getText());
}
