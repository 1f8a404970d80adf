import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OptionSpec, STANDARD_OPTIONS } from '../../packages/service-kit/src';
import { DAEMON_OPTIONS } from '../../apps/daemon/src';
import { WALLET_API_OPTIONS } from '../../apps/wallet-api/src';
import { WALLET_RPC_OPTIONS } from '../../apps/wallet-rpc/src';
import { FORMER_MINER_OPTIONS, MINER_OPTIONS, readMinerConfig } from '../../packages/miner/src';
import { sectionsOf } from '../.vitepress/markdown';
import { TOP } from './repository';

/* The page on moving from the C++ programs matches our declarations of options. */

const page = sectionsOf(readFileSync(join(TOP, 'docs/operations/moving.md'), 'utf8'));

/** The rows of a table: option, default of the C++ program, and remark about ours. */
function rowsOf(program: string): { name: string; theirs: string; ours: string }[] {
  const body = page.find(({ title }) => title === `Options of ${program}`)?.body ?? '';
  return [...body.matchAll(/^\| `--([\w-]+)`\s*\|(.*?)\|(.*?)\|$/gm)].map(([, name = '', theirs = '', ours = '']) => ({
    name,
    theirs: theirs.trim().replaceAll('`', ''),
    ours: ours.trim(),
  }));
}

const programs: readonly (readonly [string, readonly OptionSpec[], number])[] = [
  ['Wrkzd', DAEMON_OPTIONS, 96],
  ['wrkz-wallet-api', WALLET_API_OPTIONS, 19],
  ['wrkz-service', WALLET_RPC_OPTIONS, 34],
];

describe.each(programs)('%s', (program, own, count) => {
  const rows = rowsOf(program);
  const options: readonly OptionSpec[] = [...own, ...STANDARD_OPTIONS];
  const ours = (name: string): OptionSpec | undefined =>
    options.find((spec) => spec.name === name || spec.aliases?.includes(name) === true);

  test('each option is accepted, or listed as missing', () => {
    expect(rows).toHaveLength(count);
    const wrong = rows.filter((row) => (ours(row.name) === undefined) !== row.ours.startsWith('not there'));
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test('defaults are equal unless the page names the difference', () => {
    const same = rows.filter((row) => row.ours === '' && row.theirs !== '');
    const others = same.filter(({ name, theirs }) => defaultText(ours(name)) !== theirs);
    expect(others.map(({ name, theirs }) => `--${name}: ${theirs}, ${defaultText(ours(name))}`)).toEqual([]);
    expect(same.length).toBeGreaterThan(8);
  });

  test('options without effect are listed as such', () => {
    const silent = rows.filter(
      ({ name, ours: text }) => ours(name)?.noEffect !== undefined && !/no effect|anyway/.test(text),
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});

test('each option of the miner is accepted, or listed with a replacement', () => {
  const rows = rowsOf('miner');
  const taken = new Set<string>([...MINER_OPTIONS, ...STANDARD_OPTIONS].map(({ name }) => name));
  const gone = rows.filter(({ name }) => !taken.has(name));
  expect([rows.length, gone.map(({ name }) => name).sort()]).toEqual([11, Object.keys(FORMER_MINER_OPTIONS).sort()]);
  expect(gone.filter(({ ours }) => !ours.startsWith('not there'))).toEqual([]);
  expect(() => readMinerConfig(['--daemon-address', 'a:1'])).toThrow('use --daemon host:port');
});

/** The default of an option in the wording of the page. */
function defaultText(spec: OptionSpec | undefined): string {
  const value = spec?.default;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join();
  if (value === '' || value === undefined) return WORDS[spec?.name ?? ''] ?? 'none';
  return String(value);
}

/** The wording of the page for options without a default. */
const WORDS: Readonly<Record<string, string>> = Object.fromEntries([
  ...['rpc-bind-ipv6-address', 'rpc-access-token', 'rpc-ipc-path', 'rpc-ipc-group', 'p2p-bind-ipv6-address'].map(
    (name) => [name, 'empty'],
  ),
  ...['bind-ipc-path', 'bind-ipc-group', 'container-password'].map((name) => [name, 'empty']),
  ...['rpc-password', 'container-file'].map((name) => [name, 'required']),
  ...['transaction-validation-threads', 'threads'].map((name) => [name, 'hardware']),
  ['server-root', 'working directory'],
]);
