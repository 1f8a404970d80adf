import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OptionSpec, STANDARD_OPTIONS } from '../../packages/service-kit/src';
import { PRINTED_SERVICES } from '../print/services';
import { TOP } from './repository';

/* Whether the commands of the pages name routes, options and programs that there are. */

const PAGES = ['quick-start', 'operations/running', 'operations/moving', 'operations/wallet-rpc'];
const fences = (page: string): string[] =>
  [...readFileSync(join(TOP, `docs/${page}.md`), 'utf8').matchAll(/```(?:sh)?\n([^]*?)```/g)].map(
    ([, text = '']) => text,
  );
const service = (folder: string) => PRINTED_SERVICES.find((one) => one.folder === folder);

/** Who answers at a port of the quick start. */
const PORTS: Readonly<Record<string, string>> = { 37856: 'daemon', 7856: 'wallet-api' };

test('the quick start asks for routes that are declared', () => {
  const asked = fences('quick-start').flatMap((text) => [...text.matchAll(/http:\/\/127\.0\.0\.1:(\d+)(\/[\w/]+)/g)]);
  const unknown = asked.filter(([, port = '', path = '']) => {
    const { paths = {} } = (service(PORTS[port] ?? '')?.openapi ?? {}) as { paths?: object };
    return !Object.hasOwn(paths, path);
  });
  expect(asked.length).toBeGreaterThan(5);
  expect(unknown.map(([url]) => url)).toEqual([]);
});

test.each(PAGES)('commands of %s give options that the program has', (page) => {
  const lines = fences(page).flatMap((text) => text.replaceAll('\\\n', ' ').split('\n'));
  const wrong = lines.flatMap((line) => {
    const [, folder = ''] = /apps\/([\w-]+)\/dist\/main\.js/.exec(line) ?? [];
    if (folder === '') return [];
    const helps = service(folder)?.helps ?? [];
    const options: readonly OptionSpec[] = [...helps.flatMap((help) => help.options), ...STANDARD_OPTIONS];
    const names = options.flatMap((spec) => [
      `--${spec.name}`,
      ...(spec.aliases ?? []).map((alias) => (alias.length === 1 ? `-${alias}` : `--${alias}`)),
    ]);
    const given = [...(line.split('#')[0] ?? '').matchAll(/(?<=\s)--?[a-z][\w-]*/g)].map(([name]) => name);
    return given.filter((name) => !names.includes(name)).map((name) => `${folder} ${name}`);
  });
  expect(wrong).toEqual([]);
  expect(lines.length).toBeGreaterThan(0);
});
