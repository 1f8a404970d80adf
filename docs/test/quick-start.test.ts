import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OptionSpec, STANDARD_OPTIONS } from '../../packages/service-kit/src';
import { DEVNET_OPTIONS, serviceTable } from '../../packages/testing/src/devnet/command';
import { curlCommands, type DevnetAddresses } from '../../packages/testing/src/devnet/curl-commands';
import { PRINTED_SERVICES } from '../../scripts/docs-print/services';
import { TOP } from './repository';

/* Commands of the pages use existing programs and options. The tests of packages/testing run those of the devnet. */

const PAGES = ['quick-start', 'operations/running', 'operations/moving', 'operations/wallet-rpc'];
const fences = (page: string): string[] =>
  [...readFileSync(join(TOP, `docs/${page}.md`), 'utf8').matchAll(/^ *```\w*\n([^]*?)^ *```/gm)].map(
    ([, text = '']) => text,
  );
const service = (folder: string) => PRINTED_SERVICES.find((one) => one.folder === folder);

/** The network of the quick start, with shortened keys and addresses. */
const EXAMPLE: DevnetAddresses = {
  nodes: ['http://127.0.0.1:21101', 'http://127.0.0.1:21102', 'http://127.0.0.1:21103'],
  peers: ['127.0.0.1:21111', '127.0.0.1:21112', '127.0.0.1:21113'],
  stratum: '127.0.0.1:21114',
  helper: 'http://127.0.0.1:21104',
  walletApi: 'http://127.0.0.1:21105',
  walletRpc: 'http://127.0.0.1:21106/json_rpc',
  proposals: 'http://127.0.0.1:21107',
  apiKey: '5c07...',
  rpcPassword: '91d2...',
  alice: 'Wrkz...alice',
  bob: 'Wrkz...bob',
  donation: 'Wrkz...donation',
};

test('the quick start shows what the devnet prints', () => {
  const text = fences('quick-start').join('\n');
  const shown = text.split('\n').filter((line) => line.startsWith('curl '));
  const printed = curlCommands(EXAMPLE).map(({ command }) => command);
  expect(shown).toHaveLength(4);
  expect(shown.filter((line) => !printed.includes(line))).toEqual([]);
  expect(text).toContain(serviceTable(EXAMPLE));
});

test('the quick start names the options of the devnet', () => {
  const page = readFileSync(join(TOP, 'docs/quick-start.md'), 'utf8');
  const named = [...page.matchAll(/npm run devnet -- --([\w-]+)/g)].map(([, name]) => name);
  expect(named.sort()).toEqual(DEVNET_OPTIONS.map(({ name }) => name).sort());
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
