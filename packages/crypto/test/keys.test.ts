import fc from 'fast-check';
import * as crypto from '../src';
import { bytes, GROUP_ORDER, hex, keyVectorTests } from './curve-vectors';
import { primitives } from './primitives';

const secret = (): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ minLength: 32, maxLength: 32 }).map((seed) => crypto.scalarReduce32(seed));

describe('recorded keys', () => keyVectorTests(crypto));

describe('the primitives of mainnet', () => {
  const value = (title: string, start: string): string => {
    const line = primitives(title).find((text) => text.trim().startsWith(start));
    const found = line?.split('= ').pop();
    if (found === undefined) throw new Error(`no ${start} in the primitives`);
    return found;
  };
  const spend = bytes(value('keys', 'spend_secret'));
  const view = bytes(value('keys', 'view_secret'));
  const derivation = bytes(value('output derivation', 'derivation'));

  it('derives the wallet keys', () => {
    expect(hex(crypto.scalarReduce32(Buffer.alloc(32, 0x11)))).toBe(hex(spend));
    expect(hex(crypto.secretKeyToPublicKey(spend))).toBe(value('keys', 'spend_public'));
    expect(hex(crypto.viewKeyFromSpendKey(spend))).toBe(hex(view));
    expect(hex(crypto.secretKeyToPublicKey(view))).toBe(value('keys', 'view_public'));
  });

  it('derives sub-wallets 1, 2 and 5', async () => {
    const lines = primitives('deterministic subwallets');
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const [, index, secretKey, publicKey] = /index (\d+): secret=(\w+) public=(\w+)/.exec(line) ?? [];
      const pair = await crypto.deterministicSubWalletKeysAsync(spend, Number(index));
      expect([hex(pair.secretKey), hex(pair.publicKey)]).toEqual([secretKey, publicKey]);
    }
  });

  it('derives the same value from both sides', () => {
    const txSecret = bytes(value('output derivation', 'tx_secret'));
    const txPublic = bytes(value('output derivation', 'tx_public'));
    expect(crypto.secretKeyToPublicKey(txSecret)).toEqual(txPublic);
    expect(crypto.generateKeyDerivation(crypto.secretKeyToPublicKey(view), txSecret)).toEqual(derivation);
    expect(crypto.generateKeyDerivation(txPublic, view)).toEqual(derivation);
  });

  it('derives outputs 0, 1 and 300', () => {
    const lines = primitives('output derivation');
    for (const index of [0, 1, 300]) {
      const at = lines.indexOf(`output index ${index}:`);
      const [scalar, publicKey, secretKey, , image] = lines.slice(at + 1, at + 6).map((line) => line.split('= ').pop());
      const derivedSecret = crypto.deriveSecretKey(derivation, index, spend);
      const derivedPublic = crypto.derivePublicKey(derivation, index, crypto.secretKeyToPublicKey(spend));
      expect(hex(crypto.derivationToScalar(derivation, index))).toBe(scalar);
      expect(hex(derivedPublic)).toBe(publicKey);
      expect(hex(derivedSecret)).toBe(secretKey);
      expect(crypto.secretKeyToPublicKey(derivedSecret)).toEqual(derivedPublic);
      expect(hex(crypto.generateKeyImage(bytes(publicKey ?? ''), derivedSecret))).toBe(image);
    }
  });

  it('hashes to scalars and points', () => {
    const title = 'hash_to_scalar / hash_to_ec';
    expect(hex(crypto.hashToScalar(Buffer.from('abc')))).toBe(value(title, 'hash_to_scalar'));
    expect(hex(crypto.hashToPoint(Buffer.from('abc')))).toBe(value(title, 'hash_to_ec'));
    expect(hex(crypto.hashToPoint(crypto.secretKeyToPublicKey(spend)))).toBe(value(title, 'Hp(spend_public)'));
  });

  it('encrypts a short payment id', () => {
    const encrypted = crypto.encryptPaymentId(bytes('0102030405060708'), derivation);
    expect(hex(encrypted)).toBe(value('encrypted short payment id', 'encrypt'));
    expect(hex(crypto.encryptPaymentId(encrypted, derivation))).toBe('0102030405060708');
  });
});

describe('properties', () => {
  it('underive inverts derive, and the derived secret matches the derived key', () => {
    fc.assert(
      fc.property(secret(), secret(), fc.nat({ max: 2 ** 31 - 1 }), (spend, viewed, index) => {
        const derivation = crypto.generateKeyDerivation(crypto.secretKeyToPublicKey(viewed), spend) ?? Buffer.alloc(0);
        const base = crypto.secretKeyToPublicKey(spend);
        const derived = crypto.derivePublicKey(derivation, index, base) ?? Buffer.alloc(0);
        expect(crypto.underivePublicKey(derivation, index, derived)).toEqual(base);
        expect(crypto.secretKeyToPublicKey(crypto.deriveSecretKey(derivation, index, spend))).toEqual(derived);
      }),
      { numRuns: 100 },
    );
  });

  it('multiplies with the same result by the base table and by the point', () => {
    const base = crypto.secretKeyToPublicKey(Buffer.from([1, ...Buffer.alloc(31)]));
    fc.assert(
      fc.property(secret(), (value) => {
        expect(crypto.scalarMultKey(base, value)).toEqual(crypto.secretKeyToPublicKey(value));
      }),
      { numRuns: 100 },
    );
  });

  it('makes key images of prime order', () => {
    fc.assert(
      fc.property(secret(), (value) => {
        const image = crypto.generateKeyImage(crypto.secretKeyToPublicKey(value), value);
        expect(crypto.isPrimeOrder(image)).toBe(true);
        expect(hex(crypto.scalarMultKey(image, GROUP_ORDER))).toBe(`01${'00'.repeat(31)}`);
      }),
      { numRuns: 30 },
    );
  });

  it('generates distinct valid pairs', () => {
    const pairs = Array.from({ length: 50 }, () => crypto.generateKeyPair());
    expect(new Set(pairs.map((pair) => hex(pair.secretKey))).size).toBe(50);
    for (const pair of pairs) {
      expect(crypto.checkScalar(pair.secretKey)).toBe(true);
      expect(crypto.secretKeyToPublicKey(pair.secretKey)).toEqual(pair.publicKey);
    }
  });

  it('derives the primary wallet for sub-wallet 0', async () => {
    const { secretKey, publicKey } = crypto.generateKeyPair();
    expect(await crypto.deterministicSubWalletKeysAsync(secretKey, 0)).toEqual({ secretKey, publicKey });
  });
});

describe('one encoding per point', () => {
  const canonicalTop = 'ff'.repeat(30);

  it.each([
    ['y = p', `ed${canonicalTop}7f`],
    ['y = p + 1', `ee${canonicalTop}7f`],
    ['y = 2^255 - 1', `ff${canonicalTop}7f`],
    ['y = p with the sign bit', `ed${canonicalTop}ff`],
    ['the identity with the sign bit', `01${'00'.repeat(30)}80`],
    ['minus the identity with the sign bit', `ec${canonicalTop}ff`],
  ])('rejects %s', (_, key) => {
    expect(crypto.checkKey(bytes(key))).toBe(false);
    expect(crypto.isPrimeOrder(bytes(key))).toBe(false);
    expect(() => crypto.scalarMultKey(bytes(key), GROUP_ORDER)).toThrow(new RangeError('invalid point'));
  });

  it('accepts y = p - 1, a point of order two', () => {
    expect(crypto.checkKey(bytes(`ec${canonicalTop}7f`))).toBe(true);
    expect(crypto.isPrimeOrder(bytes(`ec${canonicalTop}7f`))).toBe(false);
  });
});

describe('arguments', () => {
  const key = Buffer.alloc(32);

  it('rejects other lengths and types before the native call', () => {
    expect(() => crypto.checkKey(Buffer.alloc(31))).toThrow(new RangeError('public key must be 32 bytes, not 31'));
    expect(() => crypto.checkScalar('00' as unknown as Buffer)).toThrow(TypeError);
    expect(() => crypto.generateKeyDerivation(key, Buffer.alloc(33))).toThrow(RangeError);
    expect(() => crypto.derivePublicKey(key, -1, key)).toThrow(RangeError);
    expect(() => crypto.derivePublicKey(key, 1.5, key)).toThrow(RangeError);
    expect(() => crypto.hashToPointRaw(Buffer.alloc(64))).toThrow(RangeError);
    expect(() => crypto.encryptPaymentId(Buffer.alloc(9), key)).toThrow(RangeError);
  });

  it.each([GROUP_ORDER, Buffer.alloc(32, 0xff)])('rejects a secret that is not reduced (%#)', (unreduced) => {
    expect(() => crypto.secretKeyToPublicKey(unreduced)).toThrow(new RangeError('invalid secret key'));
    expect(() => crypto.generateKeyDerivation(key, unreduced)).toThrow(RangeError);
    expect(() => crypto.generateKeyImage(key, unreduced)).toThrow(RangeError);
    expect(() => crypto.deriveSecretKey(key, 0, unreduced)).toThrow(RangeError);
  });
});
