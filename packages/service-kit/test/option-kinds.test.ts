import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineOptions, logRotation, parseCommand, parseOptions } from '../src';
import { earlyExit } from './early-exit';

const SPECS = defineOptions([
  { name: 'port', type: 'number', default: undefined, group: 'A', help: 'A port' },
  { name: 'peer', type: 'list', default: [], group: 'A', help: 'A peer' },
  { name: 'token', type: 'string', default: '', secret: true, group: 'A', help: 'A token' },
  { name: 'level', type: 'number', default: 0, noEffect: 'nothing has levels', group: 'A', help: 'A level' },
  { name: 'moon', type: 'boolean', default: false, oneShot: true, prints: () => 'a full moon', group: 'B', help: 'M' },
]);
const META = {
  name: 'wrkz-thing',
  check: (values: Readonly<Record<string, unknown>>) => (values['port'] === 13 ? 'no such luck' : undefined),
  effective: (values: Readonly<Record<string, unknown>>) => ({ port: (values['port'] as number | undefined) ?? 7 }),
  former: { 'enable-moon': { advice: 'use --moon' }, tides: { advice: 'there are always tides', needless: true } },
};
const folder = mkdtempSync(join(tmpdir(), 'kinds-'));
const parse = (...argv: string[]) => parseOptions(SPECS, argv, META);

function file(text: string): string {
  const path = join(folder, 'a.conf');
  writeFileSync(path, text);
  return path;
}

const exitOf = (...argv: string[]) => earlyExit(() => parse(...argv));

describe('options without effect', () => {
  test('cause one warning each if set, on the command line or in a file', () => {
    expect(parse('--level=3').warnings).toEqual(['--level has no effect: nothing has levels']);
    expect(parse('--level=0').warnings).toHaveLength(1);
    expect(parse('--config-file', file('level=2\n')).warnings).toHaveLength(1);
    expect(parse('--config-file', file('level=0\n')).warnings).toEqual([]);
    expect(parse().warnings).toEqual([]);
    expect(parse('--level=3').values.level).toBe(3);
  });
});

describe('order of options that end a start', () => {
  const saved = join(folder, 'order.json');
  const steps = ['--help', '--version', '--moon', '--dump-config', '--explain-config', `--save-config=${saved}`];
  const marks = [
    /^wrkz-thing .*\n\nUsage/,
    /^wrkz-thing [\d.]+$/,
    /^a full moon$/,
    /^\{/,
    /^port +7/,
    /^configuration saved/,
  ];

  test.each(steps.map((step, i) => [step, i] as const))('%s', (_step, i) => {
    // The command line also has all later steps, and a value that the check rejects.
    const exit = exitOf('--port=13', ...steps.slice(i).reverse());
    expect(exit.exitCode).toBe(0);
    if (steps[i] !== '--explain-config') expect(exit.message).toMatch(marks[i] as RegExp);
    else expect(exit.message).toMatch(/^port +13/);
  });

  test('precede the checks', () => {
    expect(exitOf('--port=13')).toMatchObject({ exitCode: 1, message: 'no such luck' });
  });
});

test('--explain-config prints each value and its source, but no secret', () => {
  const path = file('level=2\npeer=a:1\npeer=b:2\n');
  const lines = exitOf('--config-file', path, '--level=3', '--token=hush-hush', '--explain-config').message.split('\n');
  expect(lines.map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['port', '7', 'default'],
    ['peer', '["a:1","b:2"]', `file ${path}`],
    ['token', '***', 'command line'],
    ['level', '3', 'command line'],
  ]);
  const bare = defineOptions([{ name: 'port', type: 'number', default: undefined, group: 'A', help: 'A port' }]);
  expect(() => parseOptions(bare, ['--explain-config'], { name: 'x' })).toThrow('port  -  default');
});

test('removed options are rejected with their replacement', () => {
  expect(exitOf('--enable-moon').message).toBe('unknown option --enable-moon (use --moon)');
  expect(exitOf('--enable-moon', 'full').message).toBe('unknown option --enable-moon (use --moon)');
  expect(exitOf('--enable-sun').message).toBe('unknown option --enable-sun (see --help)');
  expect(exitOf('--toString').message).toBe('unknown option --toString (see --help)');
  expect(exitOf('--config-file', file('enable-moon=1\n')).message).toMatch(
    /unknown key "enable-moon" .*\(use --moon\)$/,
  );
});

test('accepts a file saved by an older version if it sets no removed option', () => {
  const saved = file(JSON.stringify({ port: 5, 'enable-moon': false, tides: 0 }));
  expect(parse('-c', saved)).toMatchObject({ values: { port: 5 }, warnings: [] });
  const { warnings } = parse('-c', file('tides=3\nenable-moon=false\n'));
  expect(warnings).toEqual([expect.stringMatching(/^key tides in .* is ignored: there are always tides$/)]);
  expect(exitOf('-c', file('enable-moon=true\n')).message).toContain('use --moon');
  expect(exitOf('-c', file('toString=false\n')).message).toContain('unknown key "toString"');
});

test('a program with commands supports the same kinds', () => {
  const { name, ...rest } = META;
  const program = { name, options: SPECS, commands: [], ...rest };
  expect(() => parseCommand(program, ['--enable-moon'])).toThrow('use --moon');
  expect(() => parseCommand(program, ['--moon'])).toThrow('a full moon');
  expect(() => parseCommand(program, ['--explain-config'])).toThrow('port   7');
});

test('log rotation in bytes', () => {
  expect(logRotation({ 'log-max-size': 2, 'log-max-files': 3 })).toEqual({ maxBytes: 2 * 1024 * 1024, keep: 3 });
});
