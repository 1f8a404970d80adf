import fc from 'fast-check';
import { fillPlaceholders, splitCommand } from '../../src/hooks/target';
import { describeTarget, parseTarget } from '../../src/hooks/target';

describe('splitCommand', () => {
  it.each([
    ['notify %s', ['notify', '%s']],
    ['  notify \t %s \n', ['notify', '%s']],
    [`"/opt/my hook" '%s %h'`, ['/opt/my hook', '%s %h']],
    ['a"b c"d', ['ab cd']],
    [`say "it's"`, ['say', "it's"]],
    ['say ""', ['say', '']],
    ['say "never closed ', ['say', 'never closed ']],
    ['C:\\tools\\n.exe \\"', ['C:\\tools\\n.exe', '\\']],
    ['echo a;rm -rf / | x > y $(z)', ['echo', 'a;rm', '-rf', '/', '|', 'x', '>', 'y', '$(z)']],
    ['   ', []],
  ])('splits %j', (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  it('returns any quoted words', () => {
    const word = fc.string().map((text) => text.replaceAll('"', ''));
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(splitCommand(words.map((text) => `"${text}"`).join(' '))).toEqual(words);
      }),
    );
  });
});

describe('fillPlaceholders', () => {
  const values = { s: 'HASH', h: '7', c: '%s' };

  it.each([
    ['%s', 'HASH'],
    ['block-%h=%s', 'block-7=HASH'],
    ['%%s', '%s'],
    ['100%', '100%'],
    ['%x and %', '%x and %'],
    ['%x%s', '%xHASH'],
    ['%c', '%s'],
    ['%😀%s', '%😀HASH'],
    ['%toString', '%toString'],
  ])('expands %j', (word, filled) => {
    expect(fillPlaceholders(word, values)).toBe(filled);
  });

  it('retains a percent sign before another placeholder, and continues after it', () => {
    expect(fillPlaceholders('%\n%s', values)).toBe('%\nHASH');
  });
});

describe('parseTarget', () => {
  it('treats http and https in any case as a webhook, any other value as a command', () => {
    expect(parseTarget(' HTTP://localhost:1/x?token=1 ')).toEqual({
      kind: 'webhook',
      url: 'HTTP://localhost:1/x?token=1',
    });
    expect(parseTarget('httpx --go')).toEqual({ kind: 'command', words: ['httpx', '--go'] });
    expect(parseTarget('https://')).toMatchObject({ kind: 'unusable' });
    expect(parseTarget('""')).toMatchObject({ kind: 'unusable' });
  });

  it('descriptions have no secrets', () => {
    const described = (value: string): string => {
      const target = parseTarget(value);
      if (target.kind === 'unusable') throw new Error(target.why);
      return describeTarget(target);
    };
    expect(described('https://user:pass@example.org:8443/hook?token=abc#x')).toBe('https://example.org:8443/hook?...');
    expect(described('http://example.org')).toBe('http://example.org/');
    expect(described('curl -H "token: abc"')).toBe('curl with 2 argument(s)');
    expect(described('/bin/true')).toBe('/bin/true');
  });
});
