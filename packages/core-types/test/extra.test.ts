import fc from 'fast-check';
import { readJsonLines } from '@wrkz/testing/fixtures';
import { buildExtra, buildNonce, parseExtra, parseExtraWallet } from '../src';
import { expectBytes, hex } from './recorded';

interface Row {
  extra: string;
  core: { mm: { depth: number; root: string } | null; parse_ok: boolean; payment_id: string; pubkey: string | null };
  parseExtra: {
    data: string;
    mm_depth: number;
    mm_root: string;
    payment_id: string;
    pow_nonce: string;
    pubkey: string;
  };
}

const rows = readJsonLines<Row>('vectors/parse_extra.jsonl');

test('the daemon parses extra as recorded', () => {
  for (const row of rows) {
    const { publicKey, mergeMiningTag, paymentId, parseOk } = parseExtra(hex(row.extra));
    expect({
      mm: mergeMiningTag ? { depth: Number(mergeMiningTag.depth), root: mergeMiningTag.root.toString('hex') } : null,
      parse_ok: parseOk,
      payment_id: paymentId,
      pubkey: publicKey?.toString('hex') ?? null,
    }).toEqual(row.core);
  }
});

test('wallets parse extra as recorded', () => {
  for (const row of rows) {
    const read = parseExtraWallet(hex(row.extra));
    expect({
      data: read.data.toString('hex'),
      mm_depth: Number(read.mergeMining.depth),
      mm_root: read.mergeMining.root.toString('hex'),
      payment_id: read.paymentId,
      pow_nonce: read.powNonce.toString(),
      pubkey: read.publicKey.toString('hex'),
    }).toEqual(row.parseExtra);
  }
});

const key = Buffer.alloc(32, 7);
const root = Buffer.alloc(32, 9);
const powNonce = hex('0102030405060708');

test('both parsers parse the built extra', () => {
  const id = 'ab'.repeat(32);
  const nonce = buildNonce({ paymentId: id, data: Buffer.from('hello') });
  const extra = buildExtra({ publicKey: key, nonce, mergeMining: { depth: 3n, root }, powNonce });
  const wallet = parseExtraWallet(extra);
  expectBytes(wallet.publicKey, key);
  expect(wallet.paymentId).toBe(id);
  expect(wallet.data.toString()).toBe('hello');
  expect(wallet.mergeMining).toEqual({ depth: 3n, root });
  expect(wallet.powNonce).toBe(0x0807060504030201n);
  const parts = [{ publicKey: key }, { nonce }, { mergeMining: { depth: 3n, root } }, { powNonce }];
  expectBytes(extra, Buffer.concat(parts.map(buildExtra)));
  const daemon = parseExtra(extra);
  expect(daemon.mergeMiningTag).toEqual({ depth: 3n, root });
  expectBytes(daemon.publicKey ?? key.subarray(1), key);
  expectBytes(daemon.nonce ?? key, nonce);
  // The daemon finds a payment id only if no data follows it.
  expect(daemon.paymentId).toBe('');
  expect(parseExtra(buildExtra({ nonce: buildNonce({ paymentId: id }) })).paymentId).toBe(id);
});

test('an encrypted payment id is returned encrypted, and its bytes are not parsed again as fields', () => {
  const nonce = buildNonce({ paymentId: '01'.repeat(8), data: Buffer.alloc(40, 5) });
  const wallet = parseExtraWallet(buildExtra({ nonce }));
  expect(wallet.paymentId).toBe('01'.repeat(8));
  expect(wallet.data).toHaveLength(40);
  expectBytes(wallet.publicKey, Buffer.alloc(32));
});

test('no fields give empty bytes', () => {
  expect(buildExtra({})).toHaveLength(0);
  expect(buildNonce({ paymentId: '', data: Buffer.alloc(0) })).toHaveLength(0);
  expect(parseExtra(Buffer.alloc(0))).toEqual({ paymentId: '', parseOk: true });
});

test('fields of the wrong size are not built', () => {
  expect(() => buildExtra({ publicKey: Buffer.alloc(31) })).toThrow(RangeError);
  expect(() => buildExtra({ nonce: Buffer.alloc(256) })).toThrow(RangeError);
  expect(() => buildExtra({ powNonce: Buffer.alloc(7) })).toThrow(RangeError);
  expect(() => buildNonce({ paymentId: 'xy'.repeat(8) })).toThrow(RangeError);
});

test('no extra makes a parser throw', () => {
  const bytes = (maxLength: number): fc.Arbitrary<Buffer> => fc.uint8Array({ maxLength }).map((b) => Buffer.from(b));
  const field = fc.oneof(
    bytes(255).map((nonce) => buildExtra({ nonce })),
    bytes(90),
    fc.constant(buildExtra({ mergeMining: { depth: 2n ** 64n - 1n, root } })),
    fc.constant(hex('02ffffffffffffffffff01')),
  );
  fc.assert(
    fc.property(fc.array(field, { maxLength: 5 }), (fields) => {
      const extra = Buffer.concat(fields);
      expect(parseExtraWallet(extra).publicKey).toHaveLength(32);
      expect(typeof parseExtra(extra).parseOk).toBe('boolean');
    }),
  );
});
