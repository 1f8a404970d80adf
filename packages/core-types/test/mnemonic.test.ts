import fc from 'fast-check';
import { readJsonLines } from '@wrkz/testing/fixtures';
import { decodeMnemonic, encodeMnemonic, MnemonicError } from '../src';
import { expectBytes, hex, readSections } from './recorded';

type Row =
  | { op: 'encode'; sec: string; words: string; decoded: string }
  | { op: 'decode'; words: string; sec?: string; error?: { code: number; message: string } };

function decode(words: string): unknown {
  try {
    return decodeMnemonic(words).toString('hex');
  } catch (error) {
    if (!(error instanceof MnemonicError)) throw error;
    return { code: error.code, message: error.message };
  }
}

test('recorded seeds are decoded or rejected as recorded', () => {
  for (const row of readJsonLines<Row>('vectors/mnemonics.jsonl')) {
    if (row.op === 'encode') {
      expect(encodeMnemonic(hex(row.sec))).toBe(row.words);
      expect(decode(row.words)).toBe(row.decoded);
    } else {
      expect(decode(row.words)).toEqual(row.sec ?? row.error);
    }
  }
});

test('the seed of the primitives file is reproduced', () => {
  const lines = readSections('mainnet/primitives.txt');
  const secret =
    lines.get('keys')?.get('spend_secret = sc_reduce32(32 x 0x11)') ?? lines.get('keys')?.get('spend_secret');
  const seed =
    lines.get('mnemonic (25 words, electrum-style, crc32 checksum word)')?.get('mnemonic(spend_secret)') ?? '';
  expect(decodeMnemonic(seed).toString('hex')).toBe('243d1bb4f6adfeb83a74196e321732fc10111111111111111111111111111101');
  if (secret !== undefined) expect(encodeMnemonic(hex(secret))).toBe(seed);
  expect(decode(seed.replace(/\S+$/, 'abbey'))).toEqual({
    code: 35,
    message: 'The mnemonic seed given has an invalid checksum word.',
  });
});

test('any 32 bytes are unchanged after encoding and decoding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      expectBytes(decodeMnemonic(encodeMnemonic(bytes)), bytes);
    }),
  );
  expect(() => encodeMnemonic(Buffer.alloc(31))).toThrow(RangeError);
});

const secret = '243d1bb4f6adfeb83a74196e321732fc10111111111111111111111111111101';

test.each([' ', '\t', '\n', '\v', '\f', '\r', ' \r\n'])(
  'words are separated by the white space of ASCII: %j',
  (space) => {
    expect(decode(encodeMnemonic(hex(secret)).replaceAll(' ', space))).toBe(secret);
  },
);

test.each(['\u00a0', '\u3000', '\ufeff', '\u2003'])('another space is part of a word, as in C++: %j', (space) => {
  const words = encodeMnemonic(hex(secret)).split(' ');
  expect(decode(words.join(space))).toMatchObject({ code: 34 });
  const [first = '', ...rest] = words;
  expect(decode([`${first}${space}`, ...rest].join(' '))).toEqual({
    code: 33,
    message: `The mnemonic seed given has a word that is not present in the english word list (${first}${space}).`,
  });
});

test('a letter outside ASCII matches no word', () => {
  const [, ...rest] = encodeMnemonic(hex(secret)).split(' ');
  // The Kelvin sign is a "k" in lower case.
  expect(decode(['\u212anife', ...rest].join(' '))).toMatchObject({ code: 33 });
});

test('the checksum word is compared case-insensitively, the others exactly', () => {
  const words = encodeMnemonic(hex(secret)).split(' ');
  const upper = (at: number): string => words.map((word, i) => (i === at ? word.toUpperCase() : word)).join(' ');
  expect(decode(upper(24))).toBe(secret);
  expect(decode(upper(3))).toMatchObject({ code: 35 });
});

test('a single word is reported as one', () => {
  expect(decode('abbey')).toMatchObject({ message: expect.stringContaining('it is 1 word long.') });
});
