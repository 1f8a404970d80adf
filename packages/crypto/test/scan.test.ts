import * as crypto from '../src';
import {
  bytes,
  hex,
  keyRows,
  outputScan,
  ringRows,
  ringVectorTests,
  supportedLanes,
  type RingRow,
} from './curve-vectors';

/** Eight, four and one lane, as supported by this processor. */
const LANES = supportedLanes();
afterAll(() => crypto.setCurveLanes('auto'));

const job = (row: RingRow): crypto.RingCheck => ({
  prefixHash: bytes(row.prefix_hash),
  keyImage: bytes(row.key_image),
  publicKeys: row.ring.map(bytes),
  signatures: bytes(row.sigs.join('')),
});

describe.each(LANES)('batches, %s lanes', (lanes) => {
  beforeAll(() => crypto.setCurveLanes(lanes));

  it('gives every recorded ring its result', async () => {
    const rows = ringRows();
    expect(await crypto.checkRingSignaturesAsync(rows.map(job))).toEqual(rows.map((row) => row.valid));
  });

  it('gives the same results in small batches', async () => {
    const rows = ringRows().slice(0, 120);
    for (let at = 0; at < rows.length; at += 3) {
      const part = rows.slice(at, at + 3);
      expect(await crypto.checkRingSignaturesAsync(part.map(job))).toEqual(part.map((row) => row.valid));
    }
  });

  it('checks every recorded key', async () => {
    const rows = keyRows('check_key');
    const keys = rows.map((row) => bytes(row['key'] ?? ''));
    expect(await crypto.checkKeysAsync(keys)).toEqual(rows.map((row) => row.ok));
    for (let count = 0; count < 20; count++) {
      expect(await crypto.checkKeysAsync(keys.slice(0, count))).toEqual(rows.slice(0, count).map((row) => row.ok));
    }
  });

  it('checks whether key images are in the prime-order subgroup', async () => {
    const rows = keyRows('scalarmultKey_by_l');
    const images = [...rows.map((row) => bytes(row['key_image'] ?? '')), Buffer.alloc(32, 0xff)];
    expect(await crypto.checkKeyImagesAsync(images)).toEqual([...rows.map((row) => row.in_subgroup), false]);
  });

  it('makes the recorded key images', async () => {
    const rows = keyRows('generate_key_image');
    const pairs = rows.map((row) => ({ publicKey: bytes(row['pub'] ?? ''), secretKey: bytes(row['sec'] ?? '') }));
    const images = await crypto.generateKeyImagesAsync(pairs);
    expect(images.map(hex)).toEqual(rows.map((row) => row['key_image']));
  });

  it.each([
    ['few', 0],
    ['many', 20],
  ])('finds exactly the outputs to our spend keys if these are %s', async (_name, more) => {
    const view = crypto.generateKeyPair();
    const ours = Array.from({ length: 5 }, () => crypto.generateKeyPair().publicKey);
    const stranger = crypto.generateKeyPair().publicKey;
    const expected: crypto.OwnedOutput[] = [];
    const transactions = Array.from({ length: 60 }, (_, transaction) => {
      const { secretKey, publicKey } = crypto.generateKeyPair();
      const derivation = crypto.generateKeyDerivation(view.publicKey, secretKey) ?? Buffer.alloc(0);
      const outputs = Array.from({ length: transaction % 7 }, (_unused, output) => {
        const spendKey = (transaction * 3 + output) % 9; // five of nine are ours
        const base = ours[spendKey];
        if (base !== undefined) expected.push({ transaction, output, spendKey, derivation });
        return crypto.derivePublicKey(derivation, output, base ?? stranger) ?? Buffer.alloc(0);
      });
      return { publicKey, outputs };
    });
    // An invalid key, and keys without outputs.
    const unused = [Buffer.alloc(32, 0xff), ...Array.from({ length: more }, () => crypto.generateKeyPair().publicKey)];
    const scan = (list: typeof transactions) => outputScan(view.secretKey, list, [...ours, ...unused]);
    expect(expected.length).toBeGreaterThan(80);
    expect(await crypto.scanOutputsAsync(scan(transactions))).toEqual(expected);

    // An invalid key, and a key with the opposite x coordinate, do not affect other outputs.
    const bad = Buffer.alloc(32, 0xff);
    const negative = Buffer.from(transactions[6]?.outputs[0] ?? bad);
    negative.writeUInt8(negative.readUInt8(31) ^ 0x80, 31);
    const replaced = new Map([
      [5, bad],
      [6, negative],
    ]);
    const damaged = transactions.map((one, index) => ({
      publicKey: index === 4 ? bad : one.publicKey,
      outputs: replaced.has(index) ? [replaced.get(index) ?? bad, ...one.outputs.slice(1)] : one.outputs,
    }));
    expect(await crypto.scanOutputsAsync(scan(damaged))).toEqual(
      expected.filter((own) => own.transaction !== 4 && !(replaced.has(own.transaction) && own.output === 0)),
    );
  });

  it('handles empty lists', async () => {
    expect(await crypto.checkRingSignaturesAsync([])).toEqual([]);
    expect(await crypto.checkKeyImagesAsync([])).toEqual([]);
    expect(await crypto.generateKeyImagesAsync([])).toEqual([]);
    const viewSecret = crypto.generateKeyPair().secretKey;
    expect(await crypto.scanOutputsAsync(outputScan(viewSecret, [], []))).toEqual([]);
  });
});

describe('lane counts', () => {
  beforeAll(() => crypto.setCurveLanes('auto'));

  it('are used exactly where enabled and supported', () => {
    crypto.setImplementation('portable');
    expect(crypto.curveLanes()).toBe(1);
    crypto.setImplementation('auto');
    const { fma, avx512, ifma } = crypto.cpuFeatures();
    const narrow = fma ? 4 : 1;
    expect(crypto.curveLanes()).toBe(avx512 && ifma ? 8 : narrow);
  });

  it('do not change the order of many jobs over the threads', async () => {
    const rows = Array.from({ length: 4 }, () => ringRows()).flat();
    expect(await crypto.checkRingSignaturesAsync(rows.map(job))).toEqual(rows.map((row) => row.valid));
  });

  describe('single checks give the same results', () => ringVectorTests(crypto, ringRows().slice(0, 100)));
});

test('a ring check and a key image check give the same result for a key image', async () => {
  const rows = ringRows();
  const point = bytes(
    keyRows('check_key').find((row) => row.ok === true && !crypto.isPrimeOrder(bytes(row['key']!)))!['key']!,
  );
  const jobs = rows
    .map(job)
    .flatMap((each) => [each, { ...each, keyImage: point }, { ...each, keyImage: Buffer.alloc(32, 0xff) }]);
  const verdicts = await crypto.checkRingsAsync(jobs);
  expect(verdicts.map(({ primeOrder }) => primeOrder)).toEqual(
    jobs.map(({ keyImage }) => crypto.isPrimeOrder(keyImage)),
  );
  expect(verdicts.map(({ valid }) => valid)).toEqual(await crypto.checkRingSignaturesAsync(jobs));
  expect(new Set(verdicts.map((verdict) => JSON.stringify(verdict))).size).toBe(3);
});

describe('arguments', () => {
  it('rejects its promise for invalid arguments, and does not throw', async () => {
    const key = Buffer.alloc(32, 1);
    const good = { prefixHash: key, keyImage: key, publicKeys: [key], signatures: Buffer.alloc(64) };
    await expect(crypto.checkRingSignaturesAsync([good, { ...good, signatures: Buffer.alloc(63) }])).rejects.toThrow(
      'signatures of ring 1 must be 64 bytes, not 63',
    );
    await expect(crypto.checkRingSignaturesAsync([{ ...good, keyImage: Buffer.alloc(1) }])).rejects.toThrow(RangeError);
    await expect(crypto.checkKeysAsync([key, Buffer.alloc(31)])).rejects.toThrow('public keys[1] must be 32 bytes');
    const scan = outputScan(Buffer.alloc(32, 0xff), [], []);
    await expect(crypto.scanOutputsAsync(scan)).rejects.toThrow(/invalid view secret key/);
    await expect(
      crypto.generateKeyImagesAsync([{ publicKey: key, secretKey: Buffer.alloc(32, 0xff) }]),
    ).rejects.toThrow(/invalid secret keys\[0\]/);
  });
});
