import { checkHash, hardwareThreads, IMPLEMENTATIONS, powHash, searchNonce, setImplementation } from '../src';

const data = Buffer.from(Array.from({ length: 90 }, (_, i) => i));
const search = { algorithm: 'cn_upx', data, nonceOffset: 82, nonceSize: 8, difficulty: 200n } as const;
const impossible = { ...search, difficulty: 0xffffffffffffffffn };

afterEach(() => setImplementation('auto'));

describe('nonce search', () => {
  it.each(IMPLEMENTATIONS)('finds a valid nonce with the %s implementation', async (name) => {
    try {
      setImplementation(name);
    } catch {
      return; // Not supported by this processor.
    }
    const before = Buffer.from(data);
    const found = await searchNonce({ ...search, difficulty: 50n, startNonce: 0x1122334455667788n });
    expect(data).toEqual(before);
    if (found === null) throw new Error('no nonce found');
    expect(found.nonceBytes.length).toBe(8);
    expect(found.nonceBytes.readBigUInt64LE()).toBe(found.nonce);
    expect(found.nonce).toBeGreaterThanOrEqual(0x1122334455667788n);
    const solved = Buffer.from(data);
    found.nonceBytes.copy(solved, 82);
    expect(powHash('cn_upx', solved)).toEqual(found.hash);
    expect(checkHash(found.hash, 50n)).toBe(true);
    expect(found.hashes).toBeGreaterThanOrEqual(1n);
  });

  it('writes a 4-byte nonce and nothing after it', async () => {
    const found = await searchNonce({ ...search, nonceOffset: 39, nonceSize: 4, difficulty: 20n, threads: 1 });
    if (found === null) throw new Error('no nonce found');
    const solved = Buffer.from(data);
    solved.writeUInt32LE(Number(found.nonce), 39);
    expect(found.nonceBytes).toEqual(solved.subarray(39, 43));
    expect(powHash('cn_upx', solved)).toEqual(found.hash);
  });

  it('tries every nonce of a range once and then reports that there is none', async () => {
    for (const size of [1n, 2n, 5n, 13n]) {
      let hashes = 0n;
      const first = 0xffffffffffffffffn - size + 1n;
      const range = { ...impossible, startNonce: first, onProgress: (count: bigint) => (hashes = count) };
      expect(await searchNonce({ ...range, maxNonce: 0xffffffffffffffffn })).toBeNull();
      expect(hashes).toBeLessThanOrEqual(size);
    }
    const only = await searchNonce({ ...search, difficulty: 1n, startNonce: 7n, maxNonce: 7n });
    expect(only?.nonce).toBe(7n);
    expect(only?.hashes).toBe(1n);
  });

  it('finds the only nonce of a range at any position', async () => {
    const hashes = Array.from({ length: 12 }, (_, nonce) => {
      const tried = Buffer.from(data);
      tried.writeBigUInt64LE(BigInt(nonce), 82);
      return powHash('cn_upx', tried);
    });
    const value = (hash: Buffer): bigint => BigInt(`0x${Buffer.from(hash).reverse().toString('hex')}`);
    const least = hashes.reduce((best, hash) => (value(hash) < value(best) ? hash : best));
    const difficulty = ((1n << 256n) - 1n) / value(least);
    const found = await searchNonce({ ...search, difficulty, maxNonce: 11n });
    expect(found?.nonce).toBe(BigInt(hashes.indexOf(least)));
  });

  it('reports progress and stops at the abort', async () => {
    const controller = new AbortController();
    let reports = 0;
    const running = searchNonce({
      ...impossible,
      signal: controller.signal,
      onProgress: (hashes) => {
        expect(hashes).toBeGreaterThan(0n);
        reports++;
        controller.abort();
      },
    });
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(reports).toBe(1);
  });

  it('rejects with the reason of the signal, also of one that was aborted before', async () => {
    const reason = new Error('no longer wanted');
    const controller = new AbortController();
    const running = searchNonce({ ...impossible, signal: controller.signal });
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
    await expect(searchNonce({ ...impossible, signal: controller.signal })).rejects.toBe(reason);
  });

  it('runs several searches concurrently', async () => {
    const nonces = [0n, 1_000_000n, 2_000_000n];
    const found = await Promise.all(
      nonces.map((startNonce) => searchNonce({ ...search, startNonce, threads: hardwareThreads() })),
    );
    found.forEach((result, i) => expect(result?.nonce).toBeGreaterThanOrEqual(nonces[i] ?? 0n));
  });

  it('rejects inconsistent options', async () => {
    const wrong = async (change: object, message: RegExp | string): Promise<void> =>
      expect(searchNonce({ ...search, ...change })).rejects.toThrow(message);
    await wrong({ nonceOffset: 83 }, 'the nonce must be inside the data');
    await wrong({ nonceOffset: -1 }, 'nonceOffset must be an integer from 0 to 90');
    await wrong({ nonceSize: 5 }, 'nonceSize must be 4 or 8');
    await wrong({ nonceSize: 4, maxNonce: 1n << 32n }, 'maxNonce must fit into 4 bytes');
    await wrong({ startNonce: 5n, maxNonce: 4n }, 'startNonce must not be above maxNonce');
    await wrong({ difficulty: 1n << 64n }, 'difficulty must be an unsigned 64-bit integer');
    await wrong({ threads: 0 }, 'threads must be an integer from 1 to 1024');
    await wrong({ algorithm: 'chukwa', data: Buffer.alloc(12), nonceOffset: 0 }, /at least 16 bytes/);
  });
});
