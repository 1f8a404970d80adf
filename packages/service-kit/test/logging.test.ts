import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import {
  createLogger,
  createMemoryLogger,
  type LogFields,
  loggerFromOptions,
  NODE_LOG_SCALE,
  parseLogLevel,
  silentLogger,
} from '../src';

describe('levels', () => {
  test.each([
    ['0', 'fatal'],
    ['2', 'warning'],
    [5, 'trace'],
    ['INFO', 'info'],
    ['warning', 'warning'],
    ['disabled', 'disabled'],
    ['6', undefined],
    ['loud', undefined],
    ['', undefined],
  ])('%j is %s', (text, level) => expect(parseLogLevel(text)).toBe(level));

  test('lines below the threshold are not written; the threshold is shared with children', () => {
    const logger = createMemoryLogger('warning');
    const child = logger.child('p2p');
    child.info('one');
    child.warning('two');
    logger.setLevel('info');
    child.info('three');
    logger.setLevel('disabled');
    child.fatal('four');
    expect(logger.lines.map((line) => line.slice(24))).toEqual(['WARNING [p2p] two', 'INFO    [p2p] three']);
    expect(child.enabled('fatal')).toBe(false);
    expect(child.level).toBe('disabled');
  });
});

describe('log injection', () => {
  test('escapes control characters and direction marks', () => {
    const logger = createMemoryLogger();
    logger.info('a\r\n2026-01-01 FATAL b\u001b[2Jc\u2028d\u202ee', { peer: 'x\ny', list: ['p\nq'] });
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]).toMatch(
      /a\\r\\n2026-01-01 FATAL b\\u001b\[2Jc\\u2028d\\u202ee peer="x\\ny" list=\["p\\nq"\]$/,
    );
  });

  test('truncates a huge message', () => {
    const logger = createMemoryLogger();
    logger.info('x'.repeat(1_000_000));
    expect(logger.lines[0]!.length).toBeLessThan(5000);
  });
});

describe('secrets', () => {
  test('known secrets and fields named like secrets never appear', () => {
    const logger = createMemoryLogger('trace', ['top-secret']);
    logger.hide('later-secret');
    logger.child('x').info('key top-secret and later-secret', {
      apiKey: 'abc-in-field',
      nested: { viewSecretKey: 'deep-in-field', amount: 5n },
      token: 'tok-in-field',
    });
    expect(logger.lines[0]).toContain(
      'key *** and *** apiKey=*** nested={"nested":{"viewSecretKey":"***"'.replace('{"nested":', ''),
    );
    expect(logger.lines[0]).not.toMatch(/top-secret|later-secret|in-field/);
    expect(logger.lines[0]).toContain('"amount":"5"');
  });
});

describe('targets', () => {
  test('a file gets every complete line of a burst', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'log-')), 'a.log');
    const logger = createLogger({ level: 'debug', console: 'none', file });
    for (let i = 0; i < 5000; i++) logger.debug(`line ${i}`);
    await logger.close();
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(5000);
    expect(lines[4999]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} DEBUG   line 4999$/);
  });

  test('a file that cannot be written is an error at once', () => {
    expect(() => createLogger({ level: 'info', file: '/dev/null/x' })).toThrow('cannot open the log file /dev/null/x');
  });

  test('the silent logger writes nothing', () => {
    expect(() => silentLogger().child('a').fatal('b')).not.toThrow();
  });
});

interface Entry {
  readonly message: string;
  readonly fields: {
    readonly error?: { readonly stack: string };
  };
}

describe('JSON lines', () => {
  const log = (level: 'info' | 'debug', message: string, fields?: LogFields, secrets: string[] = []) => {
    const logger = createMemoryLogger(level, secrets, 'json');
    logger.child('p2p').child('sync').info(message, fields);
    expect(logger.lines).toHaveLength(1);
    return { line: logger.lines[0]!, entry: JSON.parse(logger.lines[0]!) as Entry };
  };

  test('one object per line, with unchanged fields', () => {
    const fields = { height: 5, amount: 7n, hash: Buffer.from('ab12', 'hex'), list: [1, 'b'], none: undefined };
    const { entry } = log('info', 'hello', fields);
    expect(entry).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: 'info',
      part: 'p2p.sync',
      message: 'hello',
      fields: { height: 5, amount: '7', hash: 'ab12', list: [1, 'b'] },
    });
    const root = createMemoryLogger('info', [], 'json');
    root.warning('bare');
    expect(Object.keys(JSON.parse(root.lines[0]!))).toEqual(['timestamp', 'level', 'message']);
  });

  test('control characters and direction marks are escaped', () => {
    const said = 'a\r\nb\u001b[2Jc\u2028d\u202ee\u009bf\ufeff';
    const { line, entry } = log('info', said, { [said]: said, deep: [said] });
    // eslint-disable-next-line no-control-regex -- logs must not contain these
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\ufeff]/);
    expect(entry.message).toBe(said);
    expect(entry.fields).toEqual({ [said]: said, deep: [said] });
  });

  test('secrets are hidden by name and by value, at any position, in both formats', () => {
    const secret = 'top "hush"\\value';
    const fields = {
      token: 'tok-in-field',
      note: `x ${secret} y`,
      nested: { viewSecretKey: 'deep-in-field', list: [secret], [secret]: 1 },
      error: new Error(`refused ${secret}`),
    };
    for (const format of ['text', 'json'] as const) {
      const logger = createMemoryLogger('info', [secret], format);
      logger.info(`key ${secret}`, fields);
      expect(logger.lines[0]).not.toMatch(/in-field|value|top|hush/);
      expect(logger.lines[0]!.split('***').length).toBe(8);
    }
  });

  test('errors have name and message, and their stack at level debug', () => {
    const error = new RangeError('too far');
    expect(log('info', 'it failed', { error }).entry.fields).toEqual({
      error: { name: 'RangeError', message: 'too far' },
    });
    expect(log('debug', 'it failed', { error }).entry.fields.error?.stack).toContain('logging.test');
  });

  test('huge messages and fields are truncated, and circular references end', () => {
    const circle: Record<string, unknown> = { name: 'a' };
    for (let i = 0; i < 100; i++) circle[`self${String(i)}`] = circle;
    expect(log('info', 'x'.repeat(1_000_000)).line.length).toBeLessThan(5000);
    expect(log('info', 'a', { list: Array.from({ length: 100_000 }, () => 'x') }).line.length).toBeLessThan(10_000);
    expect(log('info', 'a', { circle }).line).toContain('name');
    const text = createMemoryLogger();
    text.info('a', { circle });
    expect(text.lines[0]).toContain('"name":"a"');
  });

  test('a file contains them too', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'log-')), 'a.log');
    const logger = createLogger({ level: 'info', format: 'json', console: 'none', file, secrets: ['hidden-thing'] });
    logger.child('rpc').error('no', { status: 503, by: 'hidden-thing' });
    await logger.close();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      level: 'error',
      part: 'rpc',
      message: 'no',
      fields: { status: 503, by: '***' },
    });
  });
});

test.each([
  ['x', 'x'],
  ['two words', '"two words"'],
  [5, '5'],
  [5n, '5'],
  [null, 'null'],
  [true, 'true'],
  [Buffer.from('abcd', 'hex'), 'abcd'],
  [Buffer.alloc(65, 1), '01'.repeat(64)],
  [new Error('short'), '"short"'],
  [{ a: 1n, b: [2] }, '{"a":"1","b":[2]}'],
  ['', '""'],
])('a field as text: %p is %s', (value, text) => {
  const logger = createMemoryLogger();
  logger.info('m', { v: value, skipped: undefined });
  expect(logger.lines[0]).toMatch(/ INFO {4}m v=/);
  expect(logger.lines[0]!.slice(logger.lines[0]!.indexOf(' v=') + 3)).toBe(text);
  expect(logger.entries[0]).toMatchObject({ level: 'info', part: '', message: 'm' });
});

describe('each entry is one line', () => {
  const loop: Record<string, unknown> = {};
  loop['loop'] = loop;
  const throwing = (): never => {
    throw new Error('not for the log');
  };
  const proxy = new Proxy({}, { ownKeys: throwing, getPrototypeOf: throwing });
  const selfMade: Error = Object.defineProperty(new Error('x'), 'message', { get: () => selfMade });
  const unreadable = Object.defineProperty(new Error('x'), 'message', { get: throwing });
  const nameless = Object.defineProperties(new Error('x'), { name: { value: Symbol('name') } });
  const hostile: Record<string, LogFields> = {
    'a member that throws': Object.defineProperty({ fine: 1 }, 'bad', { get: throwing, enumerable: true }),
    'one deeper': { fine: 1, deep: Object.defineProperty({}, 'bad', { get: throwing, enumerable: true }) },
    'an object that throws': { fine: 1, proxy },
    'fields that throw': proxy,
    'an invalid time': { fine: 1, time: new Date(NaN), deep: { time: new Date(NaN) } },
    'a toJSON that throws': { fine: 1, bad: { toJSON: throwing } },
    'a toJSON that answers itself': { fine: 1, bad: { toJSON: () => hostile['a toJSON that answers itself'] } },
    'an error that is its own message': { fine: 1, error: selfMade },
    'an error without a message': { fine: 1, error: unreadable },
    'an error with a symbol for a name': { fine: 1, error: nameless },
    'a circle': { fine: 1, loop },
    'ten million holes': { fine: 1, list: new Array(10_000_000) },
  };
  test.each(Object.entries(hostile))('%s', (_name, fields) => {
    for (const format of ['text', 'json'] as const) {
      const logger = createMemoryLogger('debug', [], format);
      logger.info('seen', fields);
      expect(logger.lines).toHaveLength(1);
      expect(logger.lines[0]).toContain('seen');
      expect(logger.lines[0]!.length).toBeLessThan(50_000);
      if (format === 'json') expect(JSON.parse(logger.lines[0]!)).toMatchObject({ message: 'seen' });
      if ('fine' in fields) expect(logger.lines[0]).toMatch(/fine\\*"?[=:]1/);
    }
  });

  test('a message that is not a text', () => {
    for (const [message, text] of [
      [undefined, 'undefined'],
      [null, 'null'],
      [5, '5'],
      [Symbol('s'), 'Symbol(s)'],
    ] as const) {
      const logger = createMemoryLogger('debug', ['hidden'], 'json');
      logger.info(message as unknown as string);
      expect(JSON.parse(logger.lines[0]!)).toMatchObject({ message: text });
    }
  });

  test('an address is unchanged', () => {
    const logger = createMemoryLogger();
    logger.info('seen', { at: new URL('http://127.0.0.1:1/x'), time: new Date(NaN) });
    expect(logger.lines[0]).toMatch(/at=http:\/\/127\.0\.0\.1:1\/x time=null$/);
  });
});

describe('secrets in other forms', () => {
  const secrets = ['12345678901', 'deadbeefdeadbeef', 'hush-hush'];
  const fields = {
    number: 12345678901,
    bigint: 12345678901n,
    bytes: Buffer.from('deadbeefdeadbeef', 'hex'),
    function: () => 'hush-hush',
    symbol: Symbol('hush-hush'),
    address: new URL('http://127.0.0.1/hush-hush'),
    'hush-hush': 1,
  };
  test.each(['text', 'json'] as const)('as numbers, bytes, functions, symbols and names: %s', (format) => {
    const logger = createMemoryLogger('debug', secrets, format);
    logger.info('seen', { ...fields, deep: [{ ...fields }] });
    for (const secret of secrets) expect(logger.lines[0]).not.toContain(secret);
  });

  test('of two secrets with the same prefix the longer is hidden completely, in any order', () => {
    const logger = createMemoryLogger('debug', ['abcd', 'abcdefgh']);
    logger.hide('abcdefghijkl');
    logger.info('abcdefghijkl abcdefgh abcd');
    expect(logger.lines[0]).toMatch(/ \*\*\* \*\*\* \*\*\*$/);
  });
});

describe('the logger of a program', () => {
  const secrets = ['top-secret'];
  const optionsOf = (file: string) =>
    ({
      'log-level': 'warning',
      'log-format': 'json',
      'log-file': file,
      'log-max-size': 0,
      'log-max-files': 5,
    }) as const;

  test('has the level, format, file and secrets of its options', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'log-')), 'service.log');
    const logger = loggerFromOptions({ options: optionsOf(file), secrets }, { scale: NODE_LOG_SCALE, console: 'none' });
    logger.info('not written');
    logger.warning('key top-secret');
    await logger.close();
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warning', message: 'key ***' });
  });

  test('fails on a required log file that cannot be opened, and continues without an optional one', () => {
    const file = join(tmpdir(), 'no-such-folder', 'service.log');
    const config = { options: optionsOf(file), secrets };
    expect(() => loggerFromOptions(config, { scale: NODE_LOG_SCALE, console: 'none' })).toThrow(
      `cannot open the log file ${file}: no such file or directory`,
    );
    const written: string[] = [];
    const stream = new Writable({ write: (chunk, _encoding, done) => (written.push(String(chunk)), done()) });
    const settings = { scale: NODE_LOG_SCALE, console: 'none', streams: [stream], fileRequired: false } as const;
    loggerFromOptions(config, settings);
    expect(written.join('')).toContain('no such file or directory; logging continues without a file');
  });
});
