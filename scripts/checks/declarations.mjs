/**
 * `node scripts/checks/declarations.mjs`: fails if two folders declare and export the same name, or if two exported object
 * types have the same shape.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { workspaceFiles } from '../lib/copy.mjs';
import { main } from '../lib/run.mjs';
import { top } from '../lib/workspace.mjs';

/** @param {[path: string, text: string][]} sources @returns a line for each finding */
export function findings(sources) {
  const [names, shapes] = [new Map(), new Map()];
  const add = (map, key, value) => map.set(key, [...(map.get(key) ?? []), value]);
  for (const [path, text] of sources) {
    const exported = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true).statements.filter(isExported);
    for (const statement of exported) {
      const declarations = statement.declarationList?.declarations ?? [statement];
      for (const { name } of declarations) if (name && ts.isIdentifier(name)) add(names, name.text, path);
      const shape = shapeOf(statement);
      if (shape) add(shapes, shape, `${path}#${statement.name.text}`);
    }
  }
  const isRepeated = ([, paths]) => new Set(paths.map((path) => dirname(path))).size > 1;
  return [
    ...[...names].filter(isRepeated).map(([name, paths]) => `${name} is declared in ${paths.join(' and ')}`),
    ...[...shapes.values()]
      .filter((types) => types.length > 1)
      .map((types) => `types of the same shape: ${types.join(', ')}`),
  ];
}

function isExported(statement) {
  const kinds = ts.canHaveModifiers(statement) ? ts.getModifiers(statement)?.map(({ kind }) => kind) : [];
  return kinds?.includes(ts.SyntaxKind.ExportKeyword);
}

/** The fields of an interface or object type of three fields or more, sorted and without `readonly`. */
function shapeOf(statement) {
  const type = ts.isTypeAliasDeclaration(statement) ? statement.type : statement;
  const isObject = ts.isTypeLiteralNode(type) || (ts.isInterfaceDeclaration(type) && !type.heritageClauses);
  if (!isObject || type.members.length < 3) return undefined;
  const fields = type.members.map((member) => member.getText().replace(/^readonly |[;,]$/g, ''));
  return fields.sort().join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(() => {
    const files = workspaceFiles().filter((file) => /^(apps|packages)\/[^/]+\/src\/.*(?<!\.d)\.ts$/.test(file));
    const found = findings(files.map((file) => [file, readFileSync(join(top, file), 'utf8')]));
    for (const line of found) process.stderr.write(`${line}\n`);
    return found.length === 0 ? 0 : 1;
  });
}
