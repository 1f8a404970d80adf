import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, createMemoryLogger, parseLogLevel, silentLogger } from '../src';

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

describe('what a stranger writes cannot leave its line', () => {
  test('control characters and direction marks are written out', () => {
    const logger = createMemoryLogger();
    logger.info('a\r\n2026-01-01 FATAL b\u001b[2Jc\u2028d\u202ee', { peer: 'x\ny', list: ['p\nq'] });
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]).toMatch(
      /a\\r\\n2026-01-01 FATAL b\\u001b\[2Jc\\u2028d\\u202ee peer="x\\ny" list=\["p\\nq"\]$/,
    );
  });

  test('a huge message is cut', () => {
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
  test('a file gets every line of a burst, whole', async () => {
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

  test('the silent logger takes everything and says nothing', () => {
    expect(() => silentLogger().child('a').fatal('b')).not.toThrow();
  });
});
