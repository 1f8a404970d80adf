import yargs from 'yargs';
import { defineOptions, parseOptions } from '../src';

/** Results of `cli/program.ts`, and of yargs alone, for the same arguments. */

const SPECS = defineOptions([
  { name: 'port', type: 'number', default: 1, group: 'A', help: 'A number' },
  { name: 'flag', type: 'boolean', default: true, group: 'A', help: 'A switch', aliases: ['f', 'toggle'] },
  { name: 'key', type: 'string', default: '', group: 'A', help: 'A text', aliases: ['k'] },
  { name: 'peer', type: 'list', default: [], group: 'A', help: 'A list' },
]);
const ours = (...argv: string[]) => parseOptions(SPECS, argv, { name: 'thing' }).values;
const alone = (...argv: string[]) =>
  yargs(argv)
    .exitProcess(false)
    .option('port', { number: true })
    .option('flag', { boolean: true })
    .option('key', { string: true })
    .option('peer', { array: true, string: true, nargs: 1 })
    .parserConfiguration({ 'greedy-arrays': false })
    .parseSync() as Record<string, unknown>;

test.each([
  ['0x50', 80],
  ['1e3', 1000],
  ['abc', NaN],
])('numbers: yargs reads %s as %d, which we reject with the text', (text, number) => {
  expect(alone('--port', text)['port']).toBe(number);
  expect(() => ours('--port', text)).toThrow(`--port: expected a whole number, got "${text}"`);
});

test.each([
  ['--flag=1', true],
  ['--flag=yes', true],
  ['--toggle=on', true],
  ['-f=off', false],
])('switches: %s is %s', (word, value) => {
  expect(ours(word).flag).toBe(value);
});

test('switches: yargs reads every word but "true" as false', () => {
  for (const word of ['--flag=1', '--flag=yes', '--flag=maybe', '--flag=']) expect(alone(word)['flag']).toBe(false);
  for (const word of ['--flag=maybe', '--flag=']) expect(() => ours(word)).toThrow('--flag: expected true or false');
});

test('values that begin with a dash: yargs splits them into flags', () => {
  expect(alone('--key', '-dash')).toMatchObject({ key: '', d: true });
  expect(ours('--key', '-dash').key).toBe('-dash');
});

test('an empty list value: yargs requires a value', () => {
  const strict = yargs(['--peer=']).exitProcess(false).fail(false).option('peer', { array: true, nargs: 1 });
  expect(() => strict.parseSync()).toThrow('--peer: a value is missing');
  expect(ours('--peer=').peer).toEqual([]);
});

test.each([
  [['-x'], 'unknown option -x'],
  [['-kx'], 'unknown option -kx'],
  [['-port', '80'], 'unknown option -'],
  [['--no-flag'], 'unknown option --no-flag'],
  [['--__proto__', '1'], 'unknown option --__proto__'],
  [['--toString=1'], 'unknown option --toString'],
  [['--port', '1', '--', '--bogus'], 'unknown option --bogus'],
  [['-k'], '-k: a value is missing'],
  [['--key', '--flag'], '--key: a value is missing'],
  [['-5'], 'unexpected argument -5'],
])('rejects %j', (argv, message) => {
  expect(() => ours(...argv)).toThrow(message);
});

test('a lone -- changes nothing', () => {
  expect(ours('--', '--port', '5').port).toBe(5);
});

test.each([
  [['--key="a b"'], 'a b'],
  [['--key', "'a b'"], 'a b'],
  [['-k=""'], ''],
  [['--key="a'], '"a'],
  [['--key', '"'], '"'],
  [['--key="a\nb"'], 'a\nb'],
])('quotes around a value are removed, as in a file: %j', (argv, key) => {
  expect(ours(...argv).key).toBe(key);
});

test('quotes: yargs retains them for options with a fixed number of arguments', () => {
  const counted = yargs(['--key="a"']).exitProcess(false).option('key', { string: true, nargs: 1 });
  expect((counted.parseSync() as Record<string, unknown>)['key']).toBe('"a"');
  expect(ours('--peer="a:1"', '--peer', "'b:2'").peer).toEqual(['a:1', 'b:2']);
});
