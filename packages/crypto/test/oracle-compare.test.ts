import fc from 'fast-check';
import * as crypto from '../src';
import { bytes, GROUP_ORDER, outputScan, supportedLanes } from './curve-vectors';
import * as oracle from './oracle';
import { decode, encode, L, toBytes, toNumber } from './oracle/field';

const LANES = supportedLanes();
afterEach(() => crypto.setCurveLanes('auto'));

// The native module and the oracle must return equal results for random and hostile input.

const P = 2n ** 255n - 19n;
/** The eight points of small order; the first is the identity. */
const TORSION = [
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  `${'00'.repeat(32)}`,
  `${'00'.repeat(31)}80`,
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
].map(bytes);

const any32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((value) => Buffer.from(value));
const reduced = any32.map((value) => crypto.scalarReduce32(value));
const edgeScalar = fc
  .tuple(
    fc.constantFrom(0n, 1n, L, 2n * L, 8n * L, 2n ** 252n, 2n ** 253n, 2n ** 255n, 2n ** 256n),
    fc.integer({ min: -9, max: 9 }),
  )
  .map(([base, offset]) => toBytes((base + BigInt(offset) + 2n ** 256n) % 2n ** 256n));
const anyScalar = fc.oneof(any32, reduced, edgeScalar);
const point = fc.oneof(
  reduced.map((secret) => crypto.secretKeyToPublicKey(secret)),
  any32.map((data) => crypto.hashToPointRaw(data)), // whole group, not only the prime subgroup
  fc.constantFrom(...TORSION),
);
/** y at and above p, with and without the sign bit. */
const nonCanonical = fc
  .tuple(fc.bigInt({ min: P - 2n, max: 2n ** 255n - 1n }), fc.boolean())
  .map(([y, sign]) => toBytes(y + (sign ? 2n ** 255n : 0n)));
const bitFlipped = fc
  .tuple(point, fc.nat({ max: 255 }))
  .map(([key, bit]) => toBytes(toNumber(key) ^ (1n << BigInt(bit))));
const anyKey = fc.oneof(point, any32, nonCanonical, bitFlipped);
const index = fc.oneof(fc.nat({ max: 300 }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));

const agree = <A extends unknown[]>(
  name: string,
  native: (...args: A) => unknown,
  expected: (...args: A) => unknown,
  args: { [K in keyof A]: fc.Arbitrary<A[K]> },
  numRuns = 80,
): void => {
  const outcome = (run: (...args: A) => unknown, input: A): unknown => {
    try {
      return run(...input);
    } catch (error) {
      if (error instanceof RangeError) return 'RangeError';
      throw error;
    }
  };
  it(name, () => {
    fc.assert(
      fc.property(fc.tuple(...args), (input) => {
        expect(outcome(native, input as A)).toEqual(outcome(expected, input as A));
      }),
      { numRuns },
    );
  });
};

describe('hashes', () => {
  const data = fc.uint8Array({ maxLength: 500 });
  const hashes = fc.array(any32, { minLength: 1, maxLength: 70 });
  agree('cnFastHash', crypto.cnFastHash, oracle.cnFastHash, [data]);
  agree('treeHash', crypto.treeHash, oracle.treeHash, [hashes]);
  const path = fc.option(any32, { nil: null });
  agree(
    'treeHashFromBranch',
    (branch: Buffer[], leaf: Buffer, bits: Buffer | null) =>
      crypto.treeHashFromBranch(branch, branch.length, leaf, bits),
    (branch: Buffer[], leaf: Buffer, bits: Buffer | null) =>
      oracle.treeHashFromBranch(branch, branch.length, leaf, bits),
    [fc.array(any32, { maxLength: 30 }), any32, path],
  );
});

describe('points and scalars', () => {
  agree('checkKey', crypto.checkKey, oracle.checkKey, [anyKey], 500);
  agree('checkScalar', crypto.checkScalar, oracle.checkScalar, [anyScalar], 500);
  agree('scalarReduce32', crypto.scalarReduce32, oracle.scalarReduce32, [anyScalar], 500);
  agree('isPrimeOrder', crypto.isPrimeOrder, oracle.isPrimeOrder, [anyKey]);
  agree('scalarMultKey', crypto.scalarMultKey, oracle.scalarMultKey, [anyKey, anyScalar], 150);
  agree('secretKeyToPublicKey', crypto.secretKeyToPublicKey, oracle.secretKeyToPublicKey, [anyScalar]);
  agree('hashToScalar', crypto.hashToScalar, oracle.hashToScalar, [fc.uint8Array({ maxLength: 200 })]);
  agree('hashToPoint', crypto.hashToPoint, oracle.hashToPoint, [fc.uint8Array({ maxLength: 200 })]);
  agree('hashToPointRaw', crypto.hashToPointRaw, oracle.hashToPointRaw, [fc.oneof(any32, nonCanonical, edgeScalar)]);
});

describe('keys', () => {
  agree('generateKeyDerivation', crypto.generateKeyDerivation, oracle.generateKeyDerivation, [anyKey, anyScalar]);
  agree('derivationToScalar', crypto.derivationToScalar, oracle.derivationToScalar, [any32, index]);
  agree('derivePublicKey', crypto.derivePublicKey, oracle.derivePublicKey, [any32, index, anyKey]);
  agree('underivePublicKey', crypto.underivePublicKey, oracle.underivePublicKey, [any32, index, anyKey]);
  agree('deriveSecretKey', crypto.deriveSecretKey, oracle.deriveSecretKey, [any32, index, reduced]);
  agree('generateKeyImage', crypto.generateKeyImage, oracle.generateKeyImage, [anyKey, reduced]);
  agree('viewKeyFromSpendKey', crypto.viewKeyFromSpendKey, oracle.viewKeyFromSpendKey, [any32]);
  it('deterministicSubWalletKeysAsync', async () => {
    await fc.assert(
      fc.asyncProperty(any32, fc.nat({ max: 60 }), async (secret, subWallet) => {
        const expected = oracle.deterministicSubWalletKeys(secret, subWallet);
        expect(await crypto.deterministicSubWalletKeysAsync(secret, subWallet)).toEqual(expected);
      }),
      { numRuns: 80 },
    );
  });
  const id = fc.uint8Array({ minLength: 8, maxLength: 8 });
  agree('encryptPaymentId', crypto.encryptPaymentId, oracle.encryptPaymentId, [id, any32]);
});

interface Ring {
  hash: Buffer;
  image: Buffer;
  keys: Buffer[];
  secret: Buffer;
  real: number;
}

const ring: fc.Arbitrary<Ring> = fc
  .tuple(any32, fc.array(reduced, { minLength: 1, maxLength: 4 }), fc.nat())
  .map(([hash, secrets, seed]) => {
    const real = seed % secrets.length;
    const keys = secrets.map((secret) => crypto.secretKeyToPublicKey(secret));
    const [secret, key] = [secrets[real], keys[real]];
    if (secret === undefined || key === undefined) throw new Error('the ring is empty');
    return { hash, image: crypto.generateKeyImage(key, secret), keys, secret, real };
  });

/** A change of one part of the signed data of a ring, or none. */
const damage = fc.oneof(
  fc.record({ kind: fc.constantFrom('hash', 'image', 'member', 'signature'), bit: fc.nat({ max: 2047 }) }),
  fc.record({
    kind: fc.constantFrom('none', 'image + torsion', 'member + torsion', 'c + l', 'r + l'),
    bit: fc.nat({ max: 2047 }),
  }),
);

function flip(value: Uint8Array, bit: number): Buffer {
  const flipped = Buffer.from(value);
  const at = (bit >> 3) % flipped.length;
  flipped[at] = (flipped[at] ?? 0) ^ (1 << (bit & 7));
  return flipped;
}

/** The point plus one of small order, not the identity. */
function addTorsion(key: Buffer, which: number): Buffer {
  const [base, torsion] = [decode(key), decode(TORSION[1 + (which % 7)] ?? Buffer.alloc(32))];
  return base === null || torsion === null ? key : encode(base.add(torsion));
}

function addOrder(signatures: Buffer, at: number): Buffer {
  const changed = Buffer.from(signatures);
  toBytes((toNumber(changed.subarray(at, at + 32)) + toNumber(GROUP_ORDER)) % 2n ** 256n).copy(changed, at);
  return changed;
}

type Checked = [hash: Buffer, image: Buffer, keys: Buffer[], signatures: Buffer];

function damaged(one: Ring, signatures: Buffer, { kind, bit }: { kind: string; bit: number }): Checked {
  const member = bit % one.keys.length;
  const replaced = (change: (key: Buffer) => Buffer): Buffer[] =>
    one.keys.map((key, position) => (position === member ? change(key) : key));
  switch (kind) {
    case 'hash':
      return [flip(one.hash, bit), one.image, one.keys, signatures];
    case 'image':
      return [one.hash, flip(one.image, bit), one.keys, signatures];
    case 'member':
      return [one.hash, one.image, replaced((key) => flip(key, bit >> 2)), signatures];
    case 'signature':
      return [one.hash, one.image, one.keys, flip(signatures, bit)];
    case 'image + torsion':
      return [one.hash, addTorsion(one.image, bit), one.keys, signatures];
    case 'member + torsion':
      return [one.hash, one.image, replaced((key) => addTorsion(key, bit)), signatures];
    case 'c + l':
      return [one.hash, one.image, one.keys, addOrder(signatures, 64 * member)];
    case 'r + l':
      return [one.hash, one.image, one.keys, addOrder(signatures, 64 * member + 32)];
    default:
      return [one.hash, one.image, one.keys, signatures];
  }
}

describe('ring signatures', () => {
  it('accept the rings of each other', () => {
    fc.assert(
      fc.property(ring, ({ hash, image, keys, secret, real }) => {
        const native = crypto.generateRingSignatures(hash, image, keys, secret, real);
        const plain = oracle.generateRingSignatures(hash, image, keys, secret, real);
        expect(oracle.checkRingSignature(hash, image, keys, native)).toBe(true);
        expect(crypto.checkRingSignature(hash, image, keys, plain)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('give the same result for damaged rings, one at a time and in batches', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(ring, damage), { minLength: 1, maxLength: 6 }), async (rings) => {
        const checks = rings.map(([one, change]) =>
          damaged(one, crypto.generateRingSignatures(one.hash, one.image, one.keys, one.secret, one.real), change),
        );
        const expected = checks.map((args) => oracle.checkRingSignature(...args));
        expect(checks.map((args) => crypto.checkRingSignature(...args))).toEqual(expected);
        const jobs = checks.map(([prefixHash, keyImage, publicKeys, signatures]) => ({
          prefixHash,
          keyImage,
          publicKeys,
          signatures,
        }));
        for (const lanes of LANES) {
          crypto.setCurveLanes(lanes);
          expect(await crypto.checkRingSignaturesAsync(jobs)).toEqual(expected);
        }
      }),
      { numRuns: 12 },
    );
  });
});

describe.each(LANES)('batches of hostile input, %s lanes', (lanes) => {
  beforeEach(() => crypto.setCurveLanes(lanes));

  it('have the results of single checks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyKey, { maxLength: 80 }), reduced, async (keys, secret) => {
        expect(await crypto.checkKeysAsync(keys)).toEqual(keys.map((key) => crypto.checkKey(key)));
        expect(await crypto.checkKeyImagesAsync(keys)).toEqual(keys.map((key) => crypto.isPrimeOrder(key)));
        const pairs = keys.map((publicKey) => ({ publicKey, secretKey: secret }));
        expect(await crypto.generateKeyImagesAsync(pairs)).toEqual(
          keys.map((key) => crypto.generateKeyImage(key, secret)),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('find by scan the same outputs as single checks', async () => {
    const transactions = fc.array(fc.tuple(anyKey, fc.array(anyKey, { maxLength: 5 })), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(transactions, reduced, async (list, viewSecret) => {
        // Every base that the single forms underive is one of "our" keys, so each output must be found.
        const expected: crypto.OwnedOutput[] = [];
        const spendKeys: Buffer[] = [];
        for (const [transaction, [publicKey, outputs]] of list.entries()) {
          const derivation = crypto.generateKeyDerivation(publicKey, viewSecret);
          for (const [output, key] of outputs.entries()) {
            const base = derivation && crypto.underivePublicKey(derivation, output, key);
            if (derivation === null || base === null) continue;
            const known = spendKeys.findIndex((own) => own.equals(base));
            expected.push({ transaction, output, spendKey: known < 0 ? spendKeys.push(base) - 1 : known, derivation });
          }
        }
        const scanned = outputScan(
          viewSecret,
          list.map(([publicKey, outputs]) => ({ publicKey, outputs })),
          spendKeys,
        );
        expect(await crypto.scanOutputsAsync(scanned)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});
