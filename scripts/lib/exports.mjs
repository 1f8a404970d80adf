import ts from 'typescript';
import { readSource, sourceFiles } from './sources.mjs';
import { top } from './workspace.mjs';

/**
 * The names that more than one folder declares and exports: `name -> files`. A re-export (`export ... from`) does not
 * count unless it renames.
 */
export function namesDefinedTwice(root = top) {
  const places = new Map();
  for (const file of sourceFiles(root)) {
    for (const name of exportedNames(parse(file, root))) places.set(name, [...(places.get(name) ?? []), file]);
  }
  return new Map([...places].filter(([, files]) => new Set(files.map(folderOf)).size > 1).sort());
}

export function parse(file, root = top) {
  return ts.createSourceFile(file, readSource(file, root), ts.ScriptTarget.Latest, true);
}

const folderOf = (file) => file.split('/').slice(0, -1).join('/');

/** The names that a file declares and exports, at the declaration or in a list. */
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

/**
 * Exported interfaces and object types of the same shape, in two files or more: fields in any order, `readonly` ignored.
 * @returns lists of `file#Name`; types of fewer than three fields are ignored
 */
export function equalShapes(root = top) {
  const byShape = new Map();
  for (const file of sourceFiles(root)) {
    for (const { name, members } of exportedObjectTypes(parse(file, root))) {
      if (members.length < 3) continue;
      const shape = members.map((member) => member.getText().replace(/^readonly |[;,]$/g, '')).sort();
      const key = shape.join('\n');
      byShape.set(key, [...(byShape.get(key) ?? []), `${file}#${name}`]);
    }
  }
  return [...byShape.values()].filter((types) => types.length > 1);
}

function exportedObjectTypes(source) {
  return source.statements.flatMap((statement) => {
    const isExported = ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(isExportKeyword);
    if (!isExported) return [];
    if (ts.isInterfaceDeclaration(statement) && statement.heritageClauses === undefined)
      return [{ name: statement.name.text, members: [...statement.members] }];
    if (ts.isTypeAliasDeclaration(statement) && ts.isTypeLiteralNode(statement.type))
      return [{ name: statement.name.text, members: [...statement.type.members] }];
    return [];
  });
}

const isExportKeyword = (modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword;
