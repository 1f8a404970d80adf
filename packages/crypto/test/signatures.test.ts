import * as crypto from '../src';
import { bytes, GROUP_ORDER, signatureRows, signatureVectorTests } from './curve-vectors';

describe('recorded signatures', () => signatureVectorTests(crypto));

describe('signing', () => {
  it('makes valid signatures, each with its own nonce', () => {
    for (const row of signatureRows()) {
      if (row.sec === undefined) continue;
      const first = crypto.generateSignature(bytes(row.hash), bytes(row.pub), bytes(row.sec));
      const second = crypto.generateSignature(bytes(row.hash), bytes(row.pub), bytes(row.sec));
      expect(first.equals(second)).toBe(false);
      for (const signature of [first, second]) {
        expect(crypto.checkSignature(bytes(row.hash), bytes(row.pub), signature)).toBe(true);
        signature[40] = (signature[40] ?? 0) ^ 1;
        expect(crypto.checkSignature(bytes(row.hash), bytes(row.pub), signature)).toBe(false);
      }
    }
  });

  it('rejects a secret that is not reduced and other lengths', () => {
    const hash = Buffer.alloc(32);
    expect(() => crypto.generateSignature(hash, hash, GROUP_ORDER)).toThrow(/invalid secret key/);
    expect(() => crypto.checkSignature(hash, hash, Buffer.alloc(63))).toThrow('signature must be 64 bytes, not 63');
    expect(() => crypto.checkSignature(Buffer.alloc(3), hash, Buffer.alloc(64))).toThrow(RangeError);
  });
});
