import fc from 'fast-check';
import { buildExtra, buildNonce, parseExtraWallet } from '../src';

/*
 * A second parser of extra, like that of the wallets of July 2025, from the description of the protocol. It does not support
 * encrypted payment ids (docs/differences.md). For any other extra both parsers return the same.
 */

interface ReadExtra {
  publicKey?: string;
  paymentId?: string;
  data?: string;
  root?: string;
  powNonce?: string;
}

/** @returns value and size; undefined for a number that overflows or is not canonical */
function varint(bytes: Buffer, at: number): [value: number, size: number] | undefined {
  let value = 0;
  for (let i = 0; ; i++) {
    const group = bytes[at + i];
    if (group === undefined) return [value, i];
    if ((i === 9 && group > 1) || (i > 0 && group === 0)) return undefined;
    value += (group % 128) * 128 ** i;
    if (group < 128) return [value, i + 1];
  }
}

function readNonce(nonce: Buffer, read: ReadExtra): number {
  let understood = 0;
  let at = 0;
  while (at < nonce.length) {
    let size = 0;
    if (nonce[at] === 0 && nonce.length - at > 32 && read.paymentId === undefined) {
      read.paymentId = nonce.toString('hex', at + 1, at + 33);
      size = 33;
    } else if (nonce[at] === 0x7f && nonce.length - at > 1 && read.data === undefined) {
      const [length, bytes] = varint(nonce, at + 1) ?? [Infinity, 0];
      const start = at + 1 + bytes;
      if (start + length <= nonce.length) {
        read.data = nonce.toString('hex', start, start + length);
        size = 1 + bytes + length;
      }
    }
    understood += size;
    at += Math.max(1, size);
  }
  return understood;
}

function readAsJuly2025(extra: Buffer): ReadExtra {
  const read: ReadExtra = {};
  let hasNonce = false;
  let at = 0;
  while (at < extra.length && Object.keys(read).length < 5) {
    const tag = extra[at];
    const left = extra.length - at;
    const [length, bytes] = varint(extra, at + 1) ?? [Infinity, 0];
    let size = 1;
    if (tag === 1 && left > 32 && read.publicKey === undefined) {
      read.publicKey = extra.toString('hex', at + 1, at + 33);
      size = 33;
    } else if (tag === 2 && left > 1 && !hasNonce) {
      hasNonce = true;
      const start = at + 1 + bytes;
      size = 1 + bytes;
      if (left > bytes + length) size += readNonce(extra.subarray(start, start + length), read);
    } else if (tag === 3 && left > bytes + length && length >= 33 && read.root === undefined) {
      const depth = varint(extra, at + 1 + bytes);
      const rootAt = at + 1 + bytes + (depth?.[1] ?? 0);
      if (depth !== undefined && rootAt + 32 <= extra.length) {
        read.root = extra.toString('hex', rootAt, rootAt + 32);
        size = 1 + depth[1] + 32;
      }
    } else if (tag === 4 && left > 8 && read.powNonce === undefined) {
      read.powNonce = extra.toString('hex', at + 1, at + 9);
      size = 9;
    }
    at += size;
  }
  return read;
}

function readAsNow(extra: Buffer): ReadExtra {
  const { publicKey, paymentId, data, mergeMining, powNonce } = parseExtraWallet(extra);
  const nonce = Buffer.alloc(8);
  nonce.writeBigUInt64LE(powNonce);
  return {
    publicKey: publicKey.toString('hex'),
    paymentId,
    data: data.toString('hex'),
    root: mergeMining.root.toString('hex'),
    powNonce: nonce.toString('hex'),
  };
}

const ABSENT = {
  publicKey: '00'.repeat(32),
  paymentId: '',
  data: '',
  root: '00'.repeat(32),
  powNonce: '00'.repeat(8),
};

const bytes = (minLength: number, maxLength = minLength): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ minLength, maxLength }).map((part) => Buffer.from(part));
const hexOf = (size: number): fc.Arbitrary<string> => bytes(size).map((part) => part.toString('hex'));

/** Parts of a nonce; none begins with the tag of an encrypted payment id. */
const noncePart = fc.oneof(
  hexOf(32).map((paymentId) => buildNonce({ paymentId })),
  bytes(1, 20).map((data) => buildNonce({ data })),
  bytes(8).map((id) => Buffer.concat([Buffer.of(1), id])),
  bytes(0, 6).filter((junk) => junk[0] !== 3),
);

const fieldWith = (nonce: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> =>
  fc.oneof(
    fc.integer({ min: 1, max: 4 }).map((padding) => Buffer.alloc(padding)),
    bytes(32).map((publicKey) => buildExtra({ publicKey })),
    nonce.map((part) => buildExtra({ nonce: part })),
    fc.record({ depth: fc.bigInt(0n, 2n ** 20n), root: bytes(32) }).map((mergeMining) => buildExtra({ mergeMining })),
    bytes(8).map((powNonce) => buildExtra({ powNonce })),
    bytes(1, 40),
  );

const plainNonce = fc.array(noncePart, { maxLength: 4 }).map((parts) => Buffer.concat(parts).subarray(0, 255));
const extraWith = (nonce: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> =>
  fc.array(fieldWith(nonce), { maxLength: 5 }).map((fields) => Buffer.concat(fields));

test('extra without an encrypted payment id is parsed as by the wallets of July 2025', () => {
  fc.assert(
    fc.property(extraWith(plainNonce), (extra) => {
      const now = readAsNow(extra);
      // A field of unknown bytes may hold a nonce with an encrypted payment id by chance.
      fc.pre(now.paymentId?.length !== 16);
      expect(now).toEqual({ ...ABSENT, ...readAsJuly2025(extra) });
    }),
    { numRuns: 2_000 },
  );
});

test('an encrypted payment id is returned, where the wallets of July 2025 return none or a plain one after it', () => {
  fc.assert(
    fc.property(hexOf(8), extraWith(plainNonce), bytes(32), (paymentId, rest, publicKey) => {
      const extra = Buffer.concat([buildExtra({ publicKey, nonce: buildNonce({ paymentId }) }), rest]);
      expect(readAsNow(extra).paymentId).toBe(paymentId);
      expect(readAsJuly2025(extra).paymentId).not.toBe(paymentId);
    }),
    { numRuns: 500 },
  );
});
