import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineOptions, parseOptions, UsageError, VERSION } from '../src';
import { earlyExit } from './early-exit';

const SPECS = defineOptions([
  { name: 'bind-port', type: 'number', default: 17870, min: 1, max: 65535, group: 'Server', help: 'TCP port' },
  { name: 'ratio', type: 'number', default: 0.5, fraction: true, group: 'Server', help: 'A fraction' },
  { name: 'bind-ip', type: 'string', default: '127.0.0.1', group: 'Server', help: 'Interface' },
  {
    name: 'mode',
    type: 'string',
    default: 'standard',
    choices: ['standard', 'explorer'],
    group: 'Server',
    help: 'Mode',
  },
  { name: 'no-console', type: 'boolean', default: false, group: 'Server', help: 'No console' },
  { name: 'compress', type: 'boolean', default: true, group: 'Server', help: 'Compress' },
  { name: 'add-peer', type: 'list', default: [], group: 'Peers', help: 'A peer', aliases: ['peer'] },
  { name: 'api-key', type: 'string', default: '', secret: true, group: 'Server', help: 'Key' },
  { name: 'rewind', type: 'number', default: undefined, min: 0, oneShot: true, group: 'Actions', help: 'Rewind' },
  {
    name: 'origin',
    type: 'string',
    default: '',
    group: 'Server',
    help: 'Origin',
    validate: (value) => (String(value).endsWith('/') ? 'no trailing slash' : undefined),
  },
]);
const META = { name: 'wrkz-thing' };

const parse = (...argv: string[]) => parseOptions(SPECS, argv, META);
const folder = mkdtempSync(join(tmpdir(), 'options-'));
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
const exitOf = (...argv: string[]) => earlyExit(() => parse(...argv));

describe('command line', () => {
  test('returns the defaults without arguments, typed by name', () => {
    const { values, source } = parse();
    const port: number = values['bind-port'];
    const rewind: number | undefined = values.rewind;
    expect([port, rewind, values['add-peer'], values.compress]).toEqual([17870, undefined, [], true]);
    expect(source('bind-port')).toBe('default');
  });

  test.each([
    [['--bind-port', '80'], 'bind-port', 80],
    [['--bind-port=80'], 'bind-port', 80],
    [['--ratio', '0.25'], 'ratio', 0.25],
    [['--no-console'], 'no-console', true],
    [['--no-console=false'], 'no-console', false],
    [['--no-console', 'false'], 'no-console', false],
    [['--compress=0'], 'compress', false],
    [['--api-key='], 'api-key', ''],
    [['--api-key=a=b'], 'api-key', 'a=b'],
    [['--bind-ip', '::1', '--bind-ip', '::'], 'bind-ip', '::'],
    [['--add-peer', 'a:1', '--peer=b:2'], 'add-peer', ['a:1', 'b:2']],
    [['--api-key', '-dash'], 'api-key', '-dash'],
  ] as const)('%j', (argv, name, value) => {
    expect(parse(...argv).values[name]).toEqual(value);
    expect(parse(...argv).source(name)).toBe('command line');
  });

  test.each([
    [['--bogus'], 'unknown option --bogus'],
    [['--bogus=1'], 'unknown option --bogus'],
    [['-x'], 'unknown option -x'],
    [['--bindPort', '1'], 'unknown option --bindPort'],
    [['--no-compress'], 'unknown option --no-compress'],
    [['stray'], 'unexpected argument stray'],
    [['--bind-port'], '--bind-port: a value is missing'],
    [['--bind-ip', '--no-console'], '--bind-ip: a value is missing'],
    [['--bind-port', 'abc'], '--bind-port: expected a whole number, got "abc"'],
    [['--bind-port', ''], '--bind-port: expected a whole number'],
    [['--bind-port', '80.5'], '--bind-port: expected a whole number'],
    [['--bind-port', '0x50'], '--bind-port: expected a whole number'],
    [['--bind-port', '1e3'], '--bind-port: expected a whole number'],
    [['--bind-port', '0'], '--bind-port: 0 is out of range (1 to 65535)'],
    [['--bind-port=-1'], '--bind-port: -1 is out of range'],
    [['--bind-port', '65536'], '--bind-port: 65536 is out of range'],
    [['--rewind', '99999999999999999999'], '--rewind: 99999999999999999999 is out of range (at least 0)'],
    [['--no-console=maybe'], '--no-console: expected true or false, got "maybe"'],
    [['--mode', 'other'], '--mode: expected one of standard, explorer, got "other"'],
    [['--origin', 'http://a/'], '--origin: no trailing slash'],
    [['--bind-ip', 'a\0b'], '--bind-ip: a NUL character'],
  ] as const)('rejects %j with a clear message and exit code 1', (argv, message) => {
    const exit = exitOf(...argv);
    expect(exit).toBeInstanceOf(UsageError);
    expect(exit.exitCode).toBe(1);
    expect(exit.message).toContain(message);
  });

  test('--help lists every option by group, --version the version, both exit 0', () => {
    for (const flag of ['--help', '-h']) {
      const { message, exitCode } = exitOf(flag, '--bind-port', 'abc');
      expect(exitCode).toBe(0);
      for (const spec of SPECS) expect(message).toContain(`--${spec.name}`);
      expect(message).toMatch(/Server:[^]*--bind-port +TCP port.*\[default: 17870\][^]*Peers:/);
      expect(message).toContain('standard, explorer');
    }
    expect(exitOf('-v')).toMatchObject({ exitCode: 0, message: `wrkz-thing ${VERSION}` });
  });

  test('checks across options', () => {
    const check = (values: Readonly<Record<string, unknown>>) =>
      values['compress'] ? undefined : 'compress is a must';
    expect(() => parseOptions(SPECS, ['--compress=false'], { ...META, check })).toThrow('compress is a must');
  });
});

describe('configuration file', () => {
  const INI = [
    '# comment',
    '; comment',
    '',
    '[section]',
    'bind-port = 1234',
    'api-key=ab#c;d',
    'no-console=1',
    'add-peer=a:1',
    'add-peer=b:2',
    'bind-ip=',
  ];

  test('INI: whole-line comments, repeated keys, empty values', () => {
    const { values, source } = parse('--config-file', file('a.conf', INI.join('\r\n')));
    expect(values).toMatchObject({
      'bind-port': 1234,
      'api-key': 'ab#c;d',
      'no-console': true,
      'add-peer': ['a:1', 'b:2'],
      'bind-ip': '',
    });
    expect(source('bind-port')).toBe('file');
  });

  test('INI: removes quotes around a value, but no others', () => {
    const lines = ['api-key="a b#c"', "bind-ip='::1'", 'origin="x', 'add-peer=""', "add-peer='it's'", 'add-peer="'];
    expect(parse('--config-file', file('quotes.conf', lines.join('\n'))).values).toMatchObject({
      'api-key': 'a b#c',
      'bind-ip': '::1',
      origin: '"x',
      'add-peer': ["it's", '"'],
    });
  });

  test('JSON, with null for "not set"', () => {
    const text = JSON.stringify({
      'bind-port': 1234,
      compress: false,
      'add-peer': ['a:1'],
      mode: 'explorer',
      'bind-ip': null,
    });
    const { values } = parse('-c', file('a.json', `\uFEFF${text}`));
    expect(values).toMatchObject({
      'bind-port': 1234,
      compress: false,
      'add-peer': ['a:1'],
      mode: 'explorer',
      'bind-ip': '127.0.0.1',
    });
  });

  test('the command line has precedence, in any position', () => {
    const path = file('b.conf', 'bind-port=1\nadd-peer=a:1\ncompress=false');
    const { values } = parse('--bind-port=2', '--add-peer=c:3', '--config-file', path, '--compress');
    expect(values).toMatchObject({ 'bind-port': 2, 'add-peer': ['c:3'], compress: true });
  });

  test.each([
    ['nonsense-key=1', 'unknown key "nonsense-key"'],
    ['{"nonsense-key": 1}', 'unknown key "nonsense-key"'],
    ['{"toString": 1}', 'unknown key "toString"'],
    ['bind-port=x', 'key bind-port in'],
    ['{"bind-port": {}}', 'expected a whole number, got an object'],
    ['{"bind-ip": [1, {}]}', 'expected text, got an object'],
    ['{"compress": "perhaps"}', 'expected true or false'],
    ['just words', 'line 1: expected key=value'],
    ['=5', 'line 1: expected key=value'],
    ['{"bind-port": 1,}', 'is not valid JSON'],
    ['[1]', 'is a JSON array, not a JSON object'],
    ['bind-port=', 'expected a whole number, got ""'],
  ])('rejects %s', (text, message) => {
    expect(exitOf('--config-file', file('bad', text))).toMatchObject({
      exitCode: 1,
      message: expect.stringContaining(message),
    });
  });

  test('a single letter is not a key of a file, a long alias is', () => {
    const specs = defineOptions([
      { name: 'level', type: 'string', default: 'x', group: 'A', help: 'A level', aliases: ['l', 'other-level'] },
    ]);
    const from = (text: string) => parseOptions(specs, ['--config-file', file('alias.ini', text)], META).values.level;
    expect(from('other-level=y')).toBe('y');
    expect(() => from('l=y')).toThrow('unknown key "l"');
  });

  test('the default of a list is not shared between starts', () => {
    const first = parse().values['add-peer'];
    first.push('a:1');
    expect(parse().values['add-peer']).toEqual([]);
  });

  test('rejects a missing file and a folder', () => {
    expect(exitOf('--config-file', join(folder, 'none')).message).toContain('no such file or directory');
    expect(exitOf('--config-file', folder).message).toContain('it is a directory');
  });

  test.each([
    ['rewind=5', 'rewind'],
    ['{"rewind": 5}', 'rewind'],
    ['reset=true', 'reset'],
    ['reset=1', 'reset'],
    ['{"reset": {}}', 'reset'],
    ['target=x.dump', 'target'],
    ['help=true', 'help'],
    ['save-config=x', 'save-config'],
  ])('rejects an action in a file: %s', (text, name) => {
    const { message, exitCode } = actionsExit(file('action', text));
    expect([exitCode, message]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(`^key ${name} in .*: --${name} is an action of one start and belongs on the command line$`),
      ),
    ]);
  });

  test('an action in a file that is false, 0 or empty is allowed, as in a saved configuration', () => {
    const off = ['rewind=0', '{"rewind": 0}', '{"rewind": null}', 'reset=no', 'target=', 'help=false', '{"reset": ""}'];
    for (const text of off) {
      const parsed = parseOptions(ACTIONS, ['-c', file('off', text)], META);
      expect(parsed).toMatchObject({ values: { rewind: undefined, reset: false, target: undefined }, warnings: [] });
    }
  });
});

const ACTIONS = defineOptions([
  {
    name: 'rewind',
    type: 'number',
    default: undefined,
    oneShot: true,
    group: 'A',
    help: 'Rewind',
    validate: (value) => (value === 0 ? 'use --reset' : undefined),
  },
  { name: 'reset', type: 'boolean', default: false, oneShot: true, group: 'A', help: 'Reset' },
  { name: 'target', type: 'string', default: undefined, oneShot: true, group: 'A', help: 'File' },
]);
const actionsExit = (path: string) => earlyExit(() => parseOptions(ACTIONS, ['-c', path], META));

describe('dump and save', () => {
  test('--dump-config is JSON of every lasting option, secrets hidden', () => {
    const { message, exitCode } = exitOf('--dump-config', '--api-key=hidden-thing', '--rewind=3');
    expect(exitCode).toBe(0);
    expect(message).not.toContain('hidden-thing');
    const dumped = JSON.parse(message) as Record<string, unknown>;
    expect(Object.keys(dumped)).toEqual(SPECS.map(({ name }) => name).filter((name) => name !== 'rewind'));
    expect(dumped['api-key']).toBe('***');
  });

  test('options without a value are null', () => {
    const specs = defineOptions([{ name: 'limit', type: 'number', default: undefined, group: 'A', help: 'A limit' }]);
    expect(() => parseOptions(specs, ['--dump-config'], META)).toThrow('{\n  "limit": null\n}');
  });

  test('--save-config writes a file that starts the same program, readable only by its owner', () => {
    const path = join(folder, 'saved.json');
    const argv = ['--bind-port=99', '--api-key=hidden-thing', '--add-peer=a:1', '--no-console'];
    expect(exitOf(...argv, '--save-config', path).exitCode).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(parse('--config-file', path).values).toEqual(parse(...argv).values);
    expect(readFileSync(path, 'utf8')).toContain('hidden-thing');
  });

  test('a path that cannot be written is a usage error', () => {
    expect(exitOf('--save-config', join(file('plain', ''), 'x')).message).toContain(
      'cannot write the configuration file',
    );
  });

  test('returns the values of secret options, to be hidden', () => {
    expect(parse('--api-key=hidden-thing').secrets).toEqual(['hidden-thing']);
    expect(parse().secrets).toEqual([]);
  });
});

describe('presets', () => {
  const specs = defineOptions([
    { name: 'open', type: 'boolean', default: false, group: 'Server', help: 'Open' },
    { name: 'bind-ip', type: 'string', default: '127.0.0.1', group: 'Server', help: 'Interface' },
    { name: 'most', type: 'number', default: 64, group: 'Server', help: 'Most' },
  ]);
  const presets = [{ option: 'open', values: { 'bind-ip': '0.0.0.0', most: 16 } }];
  const parse = (...argv: string[]) => parseOptions(specs, argv, { name: 'thing', presets });

  test('apply only if selected and no other value is set', () => {
    const set = parse('--open');
    expect(set.values).toEqual({ open: true, 'bind-ip': '0.0.0.0', most: 16 });
    expect([set.source('open'), set.source('most')]).toEqual(['command line', 'preset']);
    expect(parse().values).toEqual({ open: false, 'bind-ip': '127.0.0.1', most: 64 });
    expect(parse('--open=false').values.most).toBe(64);
  });

  test('are overridden by the command line and by a file, also if those set the default', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'wrkz-preset-')), 'c.conf');
    writeFileSync(path, 'bind-ip=127.0.0.1\n');
    const set = parse('--open', '--most', '64', '-c', path);
    expect(set.values).toEqual({ open: true, 'bind-ip': '127.0.0.1', most: 64 });
    expect([set.source('bind-ip'), set.source('most')]).toEqual(['file', 'command line']);
  });

  test('can be selected in a file', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'wrkz-preset-')), 'c.json');
    writeFileSync(path, '{"open":true}');
    expect(parse('-c', path).values.most).toBe(16);
  });
});
