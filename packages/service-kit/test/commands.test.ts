import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineCommands, defineOptions, parseCommand, UsageError, VERSION } from '../src';
import { earlyExit } from './early-exit';

const MAIN = defineOptions([
  { name: 'port', type: 'number', default: 1000, group: 'Server', help: 'TCP port' },
  { name: 'mode', type: 'string', default: 'a', choices: ['a', 'b'], group: 'Server', help: 'A or b' },
]);
const COMMANDS = defineCommands([
  {
    name: 'attach',
    help: 'Opens a console of a running node',
    arguments: [{ name: 'socket', help: 'Where the node listens' }],
    options: [],
  },
  {
    name: 'admin add',
    help: 'Adds a proposal',
    arguments: [
      { name: 'title', help: 'Its headline' },
      { name: 'file', help: 'Its text', optional: true },
    ],
    options: [
      { name: 'amount', type: 'number', default: undefined, min: 1, group: 'Proposal', help: 'Atomic units' },
      { name: 'data-dir', type: 'string', default: '/data', group: 'Storage', help: 'The folder' },
    ],
    check: (values) => (values['amount'] === undefined ? '--amount is needed' : undefined),
  },
  { name: 'admin list', help: 'Lists the proposals', options: [] },
]);
const PROGRAM = { name: 'wrkz-thing', description: 'Does things.', options: MAIN, commands: COMMANDS };

const parse = (...argv: string[]) => parseCommand(PROGRAM, argv);
const exitOf = (...argv: string[]) => earlyExit(() => parse(...argv));

test('without a command the options of the program apply', () => {
  const parsed = parse('--port', '5', '--mode=b');
  expect(parsed.command).toBeUndefined();
  if (parsed.command !== undefined) return;
  const mode: 'a' | 'b' = parsed.values.mode;
  expect([parsed.values.port, mode]).toEqual([5, 'b']);
});

test('a command has separate options and arguments, typed by its name', () => {
  const parsed = parse('admin', 'add', '--amount=7', '007', 'text.md');
  if (parsed.command !== 'admin add') throw new Error('another command');
  const amount: number | undefined = parsed.values.amount;
  expect(amount).toBe(7);
  expect(parsed.words).toEqual(['007', 'text.md']);
  expect(parsed.source('data-dir')).toBe('default');
  expect(parse('admin', 'add', 'x', '--amount', '1').words).toEqual(['x']);
  expect(parse('admin', 'list').command).toBe('admin list');
});

test.each([
  [['attach'], 'attach: <socket> is missing'],
  [['attach', 'a', 'b'], 'attach: unexpected argument b'],
  [['attach', 'a', '--port=1'], 'unknown option --port'],
  [['--amount=1'], 'unknown option --amount'],
  [['admin', 'add', 'x'], '--amount is needed'],
  [['admin', 'add', 'x', '--amount=0'], '--amount: 0 is out of range'],
  [['admin'], 'admin: expected one of admin add, admin list'],
  [['bogus'], 'unexpected argument bogus'],
  [['--port=1', 'admin', 'add'], 'a command stands before its options'],
])('rejects %j', (argv, message) => {
  const exit = exitOf(...argv);
  expect(exit).toBeInstanceOf(UsageError);
  expect(exit.message).toContain(message);
});

test('a program that requires a command lists the commands', () => {
  const bare = { name: 'wrkz-thing', commands: COMMANDS };
  expect(() => parseCommand(bare, [])).toThrow('expected one of attach, admin add, admin list');
  expect(() => parseCommand(bare, ['--help'])).toThrow('wrkz-thing attach <socket>');
});

test('--help of the program lists its commands, --help of a command its arguments', () => {
  const main = exitOf('--help');
  expect(main.exitCode).toBe(0);
  expect(main.message).toMatch(/Does things\.[^]*Usage: wrkz-thing \[options\]\n/);
  expect(main.message).toMatch(/Commands:\n +wrkz-thing attach <socket> +Opens a console of a running node/);
  expect(main.message).toMatch(/wrkz-thing admin add <title> \[file\] +Adds a proposal/);
  expect(main.message).toMatch(/--port +TCP port +\[number\] \[default: 1000\]/);
  expect(main.message).not.toContain('--amount');

  const add = exitOf('admin', 'add', '--help').message;
  expect(add).toMatch(
    /^wrkz-thing [\d.]+\n\nAdds a proposal\n\nUsage: wrkz-thing admin add \[options\] <title> \[file\]\n/,
  );
  expect(add).toMatch(/Positionals:\n +title +Its headline +\[string\]\n +file +Its text/);
  expect(add).toMatch(/--amount +Atomic units +\[number\]/);
  expect(add).toContain('--config-file');
  expect(add).not.toContain('--port');

  const family = exitOf('admin', '--help').message;
  expect(family).toContain('admin list');
  expect(family).not.toContain('attach');
  expect(exitOf('attach', '--version').message).toBe(`wrkz-thing ${VERSION}`);
});

test('all commands share a configuration file; each uses its own options', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'commands-')), 'a.conf');
  writeFileSync(path, 'port=5\namount=9\n');
  const main = parse('-c', path);
  const add = parse('admin', 'add', '-c', path, 'x');
  expect(main.values).toEqual({ port: 5, mode: 'a' });
  expect(add.values).toEqual({ amount: 9, 'data-dir': '/data' });
  writeFileSync(path, 'nonsense=1\n');
  expect(exitOf('admin', 'add', '-c', path, 'x').message).toContain('unknown key "nonsense"');
});

test('a lone -- before a command changes nothing', () => {
  expect(parse('--', 'attach', '/tmp/socket')).toMatchObject({ command: 'attach', words: ['/tmp/socket'] });
  expect(parse('admin', '--', 'add', 'Title', '--', '--amount=5')).toMatchObject({
    command: 'admin add',
    words: ['Title'],
  });
});

test('selects the longer one of two commands with a common prefix', () => {
  const commands = defineCommands([
    { name: 'admin', help: 'Shows', options: [], arguments: [{ name: 'what', help: 'What', optional: true }] },
    { name: 'admin add', help: 'Adds', options: [] },
  ]);
  const called = (...argv: string[]) => parseCommand({ name: 'wrkz-thing', commands }, argv);
  expect(called('admin', 'add')).toMatchObject({ command: 'admin add', words: [] });
  expect(called('admin', 'other')).toMatchObject({ command: 'admin', words: ['other'] });
});
