import * as crypto from '../src';
import { bytes, GROUP_ORDER, ringRows, ringVectorTests } from './curve-vectors';

describe('recorded ring signatures', () => ringVectorTests(crypto));

describe('ring signing', () => {
  const good = ringRows().filter((row) => row.kind === 'good');

  it('makes valid signatures for every recorded ring', () => {
    for (const row of good) {
      const { prefix_hash: hash, key_image: image, sec = '', index = -1 } = row;
      const ring = row.ring.map(bytes);
      const signatures = crypto.generateRingSignatures(bytes(hash), bytes(image), ring, bytes(sec), index);
      expect(signatures.length).toBe(64 * ring.length);
      expect(crypto.checkRingSignature(bytes(hash), bytes(image), ring, signatures)).toBe(true);
    }
  });

  it('does not sign for another ring member or with another secret', () => {
    const row = good.find((candidate) => candidate.ring.length === 4);
    if (row === undefined) throw new Error('no ring of four recorded');
    const { prefix_hash: hash, key_image: image, sec = '', index = -1 } = row;
    const ring = row.ring.map(bytes);
    const wrongIndex = crypto.generateRingSignatures(bytes(hash), bytes(image), ring, bytes(sec), (index + 1) % 4);
    expect(crypto.checkRingSignature(bytes(hash), bytes(image), ring, wrongIndex)).toBe(false);
    const other = crypto.generateKeyPair().secretKey;
    const wrongSecret = crypto.generateRingSignatures(bytes(hash), bytes(image), ring, other, index);
    expect(crypto.checkRingSignature(bytes(hash), bytes(image), ring, wrongSecret)).toBe(false);
  });

  it('reports what it cannot sign', () => {
    const { secretKey, publicKey } = crypto.generateKeyPair();
    const image = crypto.generateKeyImage(publicKey, secretKey);
    const hash = Buffer.alloc(32, 7);
    const bad = Buffer.alloc(32, 0xff);
    const sign = crypto.generateRingSignatures;
    expect(() => sign(hash, image, [], secretKey, 0)).toThrow('a ring needs a member');
    expect(() => sign(hash, bad, [publicKey], secretKey, 0)).toThrow('invalid key image');
    expect(() => sign(hash, image, [publicKey, bad], secretKey, 0)).toThrow('invalid public key in the ring');
    expect(() => sign(hash, image, [publicKey], secretKey, 1)).toThrow(RangeError);
    expect(() => sign(hash, image, [publicKey], GROUP_ORDER, 0)).toThrow(/invalid secret key/);
    expect(() => sign(hash, image, [publicKey.subarray(1)], secretKey, 0)).toThrow('public keys[0] must be 32 bytes');
  });
});

describe('checking', () => {
  it('requires 64 bytes of signatures per ring member, and a non-empty ring', () => {
    const hash = Buffer.alloc(32);
    const image = bytes(`01${'00'.repeat(31)}`);
    expect(() => crypto.checkRingSignature(hash, image, [hash], Buffer.alloc(128))).toThrow(RangeError);
    expect(() => crypto.checkRingSignature(hash, image, [hash], Buffer.alloc(0))).toThrow(RangeError);
    expect(crypto.checkRingSignature(hash, image, [], Buffer.alloc(0))).toBe(false);
  });
});
