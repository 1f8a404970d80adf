import { z } from 'zod';
import type { Members } from './members';

const PARAMETER = /\{(\w+)\}/g;

/**
 * The expression that matches a declared path exactly: case and trailing slashes count. `{id}` takes the pattern of the
 * parameter's schema, or else whatever stands between two slashes.
 * @throws Error when path and schema name other parameters
 */
export function pathPattern(path: string, params: Members | undefined): RegExp {
  const shape = params?.shape ?? {};
  const named = [...path.matchAll(PARAMETER)].map(([, name = '']) => name);
  if (named.join() !== Object.keys(shape).join()) {
    throw new Error(`the path ${path} and its schema name other parameters`);
  }
  const source = path
    .split(PARAMETER)
    .map((part, i) => (i % 2 === 0 ? escaped(part) : `(?<${part}>${valuePattern(shape[part] as z.ZodType)})`))
    .join('');
  return new RegExp(`^${source}$`);
}

function valuePattern(schema: z.ZodType): string {
  const { pattern } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  if (pattern === undefined) return '[^/]+';
  if (/(^|[^\\])\((?!\?)/.test(pattern)) throw new Error(`the pattern ${pattern} of a path parameter captures a group`);
  return pattern.replace(/^\^/, '').replace(/\$$/, '');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
