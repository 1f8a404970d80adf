import ts from 'typescript';
import { readSource, sourceFiles } from './sources.mjs';
import { top } from './workspace.mjs';

/**
 * The names that more than one package or room declares and exports: `name -> files`. Passing on what another file
 * declares (`export ... from`) does not count, unless it gets another name there.
 */
export function namesDefinedTwice(root = top) {
  const places = new Map();
  for (const file of sourceFiles(root)) {
    for (const name of exportedNames(parse(file, root))) places.set(name, [...(places.get(name) ?? []), file]);
  }
  return new Map([...places].filter(([, files]) => new Set(files.map(roomOf)).size > 1).sort());
}

export function parse(file, root = top) {
  return ts.createSourceFile(file, readSource(file, root), ts.ScriptTarget.Latest, true);
}

/** A room is a folder: `packages/levin/src/frames/reader.ts` belongs to `packages/levin/src/frames`. */
const roomOf = (file) => file.split('/').slice(0, -1).join('/');

/** The names that a file declares and exports, whether at the declaration or in a list. */
function exportedNames(source) {
  const declared = new Set();
  const exported = new Set();
  for (const statement of source.statements) {
    const names = declaredNames(statement);
    names.forEach((name) => declared.add(name));
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    const kinds = modifiers.map((modifier) => modifier.kind);
    if (kinds.includes(ts.SyntaxKind.ExportKeyword) && !kinds.includes(ts.SyntaxKind.DefaultKeyword)) {
      names.forEach((name) => exported.add(name));
    }
  }
  for (const statement of source.statements) {
    if (!ts.isExportDeclaration(statement) || !statement.exportClause) continue;
    if (ts.isNamespaceExport(statement.exportClause)) {
      exported.add(statement.exportClause.name.text);
      continue;
    }
    for (const { name, propertyName } of statement.exportClause.elements) {
      const isOwn = statement.moduleSpecifier ? false : declared.has((propertyName ?? name).text);
      const isRenamed =
        propertyName !== undefined && propertyName.text !== name.text && propertyName.text !== 'default';
      if (isOwn || isRenamed) exported.add(name.text);
    }
  }
  return exported;
}

function declaredNames(statement) {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
  }
  const named =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isModuleDeclaration(statement) ||
    ts.isEnumDeclaration(statement);
  return named && statement.name ? [statement.name.text] : [];
}

function boundNames(name) {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : boundNames(element.name)));
}

/** Every function that bears a name, wherever it stands: `{ name, line }`. */
export function functionNames(source) {
  const found = [];
  const visit = (node) => {
    if (isFunction(node) && node.name && 'text' in node.name) {
      const { line } = source.getLineAndCharacterOfPosition(node.name.getStart(source));
      found.push({ name: node.name.text.replace(/^#/, ''), line: line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isFunction(node) {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node)) return true;
  if (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)) {
    const value = node.initializer && ts.skipOuterExpressions(node.initializer);
    if (value && (ts.isArrowFunction(value) || ts.isFunctionExpression(value))) return true;
  }
  const isTyped = ts.isPropertySignature(node) || ts.isParameter(node) || ts.isPropertyDeclaration(node);
  return isTyped && node.type !== undefined && ts.isFunctionTypeNode(node.type);
}
