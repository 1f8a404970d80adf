import fc from 'fast-check';
import { checkKey, secretKeyToPublicKey } from '@wrkz/crypto';
import { readJsonLines } from '@wrkz/testing/fixtures';
import {
  ADDRESS_PREFIX,
  AddressError,
  decodeAddress,
  decodeBase58,
  DecodeError,
  decodeTagged,
  encodeAddress,
  encodeBase58,
  encodeTagged,
} from '../src';
import { expectBytes, hex, readSections, refuses } from './recorded';

interface Verdict {
  code: number;
  message: string;
}
type Row =
  | {
      op: 'address';
      address: string;
      integrated: string;
      payment_id: string;
      spend_pub: string;
      spend_sec: string;
      view_pub: string;
      view_sec: string;
      extracted_address: string;
      extracted_payment_id: string;
    }
  | {
      op: 'validate';
      address: string;
      integrated_allowed: Verdict;
      integrated_not_allowed: Verdict;
      parse_ok: boolean;
      prefix?: number;
      spend_pub?: string;
      view_pub?: string;
    };

const rows = readJsonLines<Row>('vectors/addresses.jsonl');

function verdict(text: string, allowIntegrated: boolean): Verdict {
  try {
    decodeAddress(text, { allowIntegrated });
    return { code: 0, message: 'The operation completed successfully.' };
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return { code: error.code, message: error.message };
  }
}

/** Since integrated addresses may have short payment ids, the text has three lengths; the recordings have two. */
function today({ code, message }: Verdict): Verdict {
  return { code, message: message.replace('98 chars or 186 chars', '98 chars, 120 chars, or 186 chars') };
}

test('recorded addresses are encoded and decoded', () => {
  for (const row of rows) {
    if (row.op !== 'address') continue;
    const keys = { spendPublic: hex(row.spend_pub), viewPublic: hex(row.view_pub) };
    expectBytes(secretKeyToPublicKey(hex(row.spend_sec)), keys.spendPublic);
    expectBytes(secretKeyToPublicKey(hex(row.view_sec)), keys.viewPublic);
    expect(encodeAddress(keys)).toBe(row.address);
    expect(encodeAddress({ ...keys, paymentId: row.payment_id })).toBe(row.integrated);
    expect(decodeAddress(row.address)).toEqual(keys);
    expect(decodeAddress(row.integrated)).toEqual({ ...keys, paymentId: row.payment_id });
    expect([row.extracted_address, row.extracted_payment_id]).toEqual([row.address, row.payment_id]);
  }
});

test('recorded addresses are accepted or rejected as recorded', () => {
  for (const row of rows) {
    if (row.op !== 'validate') continue;
    expect(verdict(row.address, true)).toEqual(today(row.integrated_allowed));
    expect(verdict(row.address, false)).toEqual(today(row.integrated_not_allowed));
    const parsed = (() => {
      try {
        return decodeTagged(row.address);
      } catch {
        return undefined;
      }
    })();
    const keys = [parsed?.data.subarray(0, 32), parsed?.data.subarray(32)];
    const parses = parsed?.data.length === 64 && keys.every((key) => key !== undefined && checkKey(key));
    expect(parses).toBe(row.parse_ok);
    if (row.prefix === undefined) continue;
    expect({ prefix: Number(parsed?.tag), spend: keys[0]?.toString('hex'), view: keys[1]?.toString('hex') }).toEqual({
      prefix: row.prefix,
      spend: row.spend_pub,
      view: row.view_pub,
    });
  }
});

test('the addresses of the primitives file are reproduced', () => {
  const lines = readSections('mainnet/primitives.txt').get('keys') ?? new Map<string, string>();
  const spendPublic = hex(lines.get('spend_public') ?? '');
  const viewPublic = hex(lines.get('view_public') ?? '');
  const address = encodeAddress({ spendPublic, viewPublic });
  expect(`${address} (len 98)`).toBe(lines.get('address (prefix 999730)'));
  // This line encodes the bytes of the id, while the network encodes its hex text. So it only tests the order of the parts.
  const raw = encodeTagged(ADDRESS_PREFIX, Buffer.concat([hex('0102030405060708'), spendPublic, viewPublic]));
  expect(`${raw} (len 109)`).toBe(lines.get('integrated address (pid 0102030405060708)'));
  const short = encodeAddress({ spendPublic, viewPublic, paymentId: '0102030405060708' });
  expect(short).toHaveLength(120);
  expect(decodeAddress(short)).toEqual({ spendPublic, viewPublic, paymentId: '0102030405060708' });
  expect(verdict(short, false).code).toBe(25);
});

describe('addresses that no program makes are rejected', () => {
  const [sample] = rows;
  if (sample?.op !== 'address') throw new Error('the first row should be an address');
  const keys = Buffer.concat([hex(sample.spend_pub), hex(sample.view_pub)]);

  test('with an invalid payment id or invalid keys', () => {
    expect(verdict(encodeTagged(ADDRESS_PREFIX, Buffer.concat([Buffer.from('z'.repeat(16)), keys])), true).code).toBe(
      16,
    );
    const noPoint = Buffer.alloc(32, 0xff);
    expect(verdict(encodeTagged(ADDRESS_PREFIX, Buffer.concat([keys.subarray(0, 32), noPoint])), true).code).toBe(15);
  });

  test('with a neighbouring prefix number that gives the same first characters', () => {
    // The last of the three prefix bytes has the smallest effect on the first characters.
    const texts = rows
      .flatMap((row) => (row.op === 'address' ? [Buffer.concat([hex(row.spend_pub), hex(row.view_pub)])] : []))
      .flatMap((data) => [-1n, 1n].map((step) => encodeTagged(ADDRESS_PREFIX + step * 2n ** 14n, data)))
      .filter((text) => text.startsWith('Wrkz'));
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) expect(verdict(text, true).code).toBe(13);
  });

  test('are rejected by the encoder, too', () => {
    const [spendPublic, viewPublic] = [keys.subarray(0, 32), keys.subarray(32)];
    expect(() => encodeAddress({ spendPublic: spendPublic.subarray(1), viewPublic })).toThrow(RangeError);
    expect(() => encodeAddress({ spendPublic, viewPublic, paymentId: 'zz' })).toThrow(RangeError);
  });
});

test('recorded base58 texts are encoded and decoded', () => {
  type Base58Row =
    | { op: 'encode'; data: string; base58: string; tag: string; addr: string }
    | { op: 'decode'; base58: string; ok: boolean; data?: string }
    | { op: 'decode_addr'; addr: string; ok: boolean; data?: string; tag?: string };
  for (const row of readJsonLines<Base58Row>('vectors/base58.jsonl')) {
    if (row.op === 'encode') {
      expect(encodeBase58(hex(row.data))).toBe(row.base58);
      expect(encodeTagged(BigInt(row.tag), hex(row.data))).toBe(row.addr);
    } else if (row.op === 'decode') {
      if (row.ok) expect(decodeBase58(row.base58).toString('hex')).toBe(row.data);
      else expect(refuses(() => decodeBase58(row.base58), DecodeError)).toBe(true);
    } else if (row.ok) {
      const { tag, data } = decodeTagged(row.addr);
      expect({ tag: tag.toString(), data: data.toString('hex') }).toEqual({ tag: row.tag, data: row.data });
    } else {
      expect(refuses(() => decodeTagged(row.addr), DecodeError)).toBe(true);
    }
  }
  for (const [name, text] of readSections('mainnet/primitives.txt').get(
    'base58 (CryptoNote block variant, 8-byte blocks -> 11 chars)',
  ) ?? []) {
    const bytes = /^encode\(([0-9a-f]*)\)$/.exec(name)?.[1];
    expect(encodeBase58(hex(bytes ?? '??'))).toBe(text);
  }
});

test('base58 is unchanged after encoding and decoding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (bytes, tag) => {
      expectBytes(decodeBase58(encodeBase58(bytes)), bytes);
      const tagged = decodeTagged(encodeTagged(tag, bytes));
      expect(tagged.tag).toBe(tag);
      expectBytes(tagged.data, bytes);
    }),
  );
});
