/**
 * `node scripts/checks/names.mjs`: fails when a README, CONTRIBUTING.md or a page of the architecture names a file, npm script,
 * option or identifier in `code` that does not exist. Code blocks are not checked.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { workspaceFiles } from '../lib/copy.mjs';
import { main } from '../lib/run.mjs';
import { top } from '../lib/workspace.mjs';

const DOCUMENTS = /(^|\/)README\.md$|^CONTRIBUTING\.md$|^docs\/architecture(\.md|\/)/;
const SOURCES = /\.(ts|mjs|cjs|js|json|cc|h|gyp|ya?ml|ini|service)$|Dockerfile$|^\.ci\//;
/** Fixtures describe files of other projects. */
const SKIPPED = /\/fixtures\/|^pnpm-lock\.yaml$/;

/** Files that a build or an operator makes. */
const MADE = new Set([
  'docs/dist',
  'docker/wallet-api.ini',
  'docker/wallet-rpc.ini',
  'docker/grafana-password',
  'peers.json',
  'release/debian/',
]);

const files = workspaceFiles();
/** All files, with and without extension, and all folders, each enclosed in `/`. */
const paths = files.flatMap((file) => {
  const parts = file.split('/');
  const folders = parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join('/'));
  return [...folders, file, file.replace(/\.\w+$/, '')];
});
const allPaths = `/${[...new Set(paths)].join('/\n/')}/`;
const read = (file) => readFileSync(join(top, file), 'utf8');
const words = new Set(
  files
    .filter((file) => SOURCES.test(file) && !SKIPPED.test(file))
    .flatMap((file) => read(file).match(/[A-Za-z_$][\w$]*(-\w+)*|[A-Za-z_$][\w$]*/g) ?? [])
    .flatMap((word) => [word, ...word.split('-')]),
);
const scripts = new Set(Object.keys(JSON.parse(read('package.json')).scripts));

/** The alternatives of `{a,b}`. */
function alternatives(path) {
  const [all, list] = /\{([^{}]*)\}/.exec(path) ?? [];
  return all === undefined ? [path] : list.split(',').flatMap((part) => alternatives(path.replace(all, part.trim())));
}

/** Whether a path exists: from the top, from the document, below a package, or as `package/path` for `package/src/path`. */
function exists(path, document) {
  const name = path.replace(/\/$/, '').replace(/^(\.\/)+/, '');
  const [first, ...rest] = name.split('/');
  const fromDocument = normalize(join(dirname(document), name));
  // `src/x` in the README of a package is that package's file.
  const isOwn = first === 'src' && document !== 'CONTRIBUTING.md';
  const candidates = isOwn ? [fromDocument] : [name, fromDocument, `${first}/src/${rest.join('/')}`];
  return candidates.some((candidate) => {
    const pattern = candidate
      .replace(/[.$]/g, '\\$&')
      .replaceAll('**', '.+')
      .replace(/(?<!\.)\*/g, '[^/\n]*');
    return new RegExp(`/${pattern}/$`, 'm').test(allPaths);
  });
}

/** The problem of a code span; undefined if it names nothing, or something that exists. */
function problemOf(code, document) {
  if (MADE.has(code)) return undefined;
  const script = /^npm run ([\w:-]+)/.exec(code)?.[1];
  if (script !== undefined) return scripts.has(script) ? undefined : 'is not a script of package.json';
  const option = /^--([a-z][\w-]*)/.exec(code)?.[1];
  if (option !== undefined) return words.has(option) ? undefined : 'is not an option';
  const isPath = /^[\w.-][\w@.{},*-]*(\/[\w@.{},*-]+)+\/?$|^[\w.-]+\.(ts|mjs|cjs|js|md|cc|h)$/.test(code);
  if (isPath) return alternatives(code).every((path) => exists(path, document)) ? undefined : 'is not a file or folder';
  const isName = /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*(\(\))?$/.test(code) && /[a-z][A-Z]|_/.test(code);
  if (!isName) return undefined;
  return code.match(/[\w$]+/g).every((word) => words.has(word)) ? undefined : 'is not a name of the sources';
}

await main(() => {
  let problems = 0;
  for (const document of files.filter((file) => DOCUMENTS.test(file) && !SKIPPED.test(file))) {
    const text = read(document).replace(/^ *```[^]*?^ *```/gm, (block) => block.replace(/[^\n]/g, ''));
    for (const [i, line] of text.split('\n').entries()) {
      for (const [, code] of line.matchAll(/`([^`]+)`/g)) {
        const problem = problemOf(code, document);
        if (problem === undefined) continue;
        problems++;
        process.stderr.write(`${document}:${i + 1}: ${code} ${problem}\n`);
      }
    }
  }
  return problems === 0 ? 0 : 1;
});
