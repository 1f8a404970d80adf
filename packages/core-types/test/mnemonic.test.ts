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

test('recorded seeds, good and bad', () => {
  for (const row of readJsonLines<Row>('vectors/mnemonics.jsonl')) {
    if (row.op === 'encode') {
      expect(encodeMnemonic(hex(row.sec))).toBe(row.words);
      expect(decode(row.words)).toBe(row.decoded);
    } else {
      expect(decode(row.words)).toEqual(row.sec ?? row.error);
    }
  }
});

test('the seed of the primitives file', () => {
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

test('every 32 bytes have their words', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      expectBytes(decodeMnemonic(encodeMnemonic(bytes)), bytes);
    }),
  );
  expect(() => encodeMnemonic(Buffer.alloc(31))).toThrow(RangeError);
});

test('one word is told as one', () => {
  expect(decode('abbey')).toMatchObject({ message: expect.stringContaining('it is 1 word long.') });
});
