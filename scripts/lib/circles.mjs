import { parseCircular, parseDependencyTree } from 'dpdm';
import { top } from './workspace.mjs';

/** The circles of imports among the sources, imports of types included; each a list of files, named from `root`. */
export async function importCircles(root = top) {
  const sources = ['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts'];
  return parseCircular(await parseDependencyTree(sources, { context: root }));
}
