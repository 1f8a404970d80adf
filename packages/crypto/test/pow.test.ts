import { readJsonLines } from '@wrkz/testing/fixtures';
import {
  checkHash,
  IMPLEMENTATIONS,
  type PowAlgorithm,
  powHash,
  powHashAsync,
  powHashMany,
  powLanes,
  setImplementation,
} from '../src';
import { primitiveHashes } from './primitives';

interface PowRow {
  algo: string;
  data: string;
  hash: string;
  finalizer?: string;
}

/** Our name of a recorded algorithm; only that of the Argon2id proof of work differs. */
const nameOf = (algo: string): PowAlgorithm => (algo === 'chukwa_slow_hash' ? 'chukwa' : algo) as PowAlgorithm;

const rows = readJsonLines<PowRow>('vectors/pow.jsonl');
const jobs = rows.map((row) => ({ algorithm: nameOf(row.algo), data: Buffer.from(row.data, 'hex') }));
const expected = rows.map((row) => row.hash);
const hex = (hashes: Buffer[]): string[] => hashes.map((hash) => hash.toString('hex'));

const supported = IMPLEMENTATIONS.filter((name) => {
  try {
    setImplementation(name);
    return true;
  } catch {
    return false;
  }
});

afterEach(() => setImplementation('auto'));

describe('proofs of work', () => {
  it('has vectors for all five hashes and for every finalizer of the four', () => {
    const kinds = new Set(rows.map((row) => `${row.algo} ${row.finalizer ?? ''}`));
    expect(kinds.size).toBe(4 * 4 + 1);
    expect(supported).toContain('portable');
  });

  it.each(supported)('reproduces every vector with the %s implementation, batched', async (name) => {
    setImplementation(name);
    expect(hex(await powHashMany(jobs))).toEqual(expected);
  });

  it.each(supported)('reproduces the recorded primitives with the %s implementation, one by one', (name) => {
    setImplementation(name);
    const sections = [
      'cn_slow_hash_v0',
      'cn_lite_slow_hash_v1',
      'cn_turtle_lite_slow_hash_v2',
      'chukwa_slow_hash',
      'cn_upx',
    ];
    for (const section of sections) {
      const lines = primitiveHashes(section);
      expect(lines.length).toBeGreaterThanOrEqual(3);
      for (const line of lines) {
        expect([section, line.name, powHash(nameOf(section), line.data).toString('hex')]).toEqual([
          section,
          line.name,
          line.hash,
        ]);
      }
    }
  });

  it('gives the same hash alone, on a native thread and at any index of a batch', async () => {
    const upx = jobs.filter((job) => job.algorithm === 'cn_upx').slice(0, 11);
    const alone = upx.map((job) => powHash(job.algorithm, job.data));
    for (let count = 0; count <= upx.length; count++) {
      expect(await powHashMany(upx.slice(0, count))).toEqual(alone.slice(0, count));
    }
    expect(await powHashAsync('cn_upx', upx[0]?.data ?? Buffer.alloc(0))).toEqual(alone[0]);
  });

  it('measures a number of lanes', async () => {
    expect(await powLanes('cn_upx')).toBeGreaterThanOrEqual(1);
    expect(await powLanes('chukwa')).toBe(1);
  });

  it('rejects unknown names and inputs too short to have a hash', async () => {
    expect(() => powHash('cn_r' as PowAlgorithm, Buffer.alloc(76))).toThrow('unknown proof of work cn_r');
    expect(() => powHash('toString' as PowAlgorithm, Buffer.alloc(76))).toThrow(TypeError);
    expect(() => powHash('cn_lite_slow_hash_v1', Buffer.alloc(42))).toThrow(
      'data must be at least 43 bytes for cn_lite_slow_hash_v1, not 42',
    );
    expect(() => powHash('chukwa', Buffer.alloc(15))).toThrow(RangeError);
    await expect(powHashMany([{ algorithm: 'chukwa', data: Buffer.alloc(3) }])).rejects.toThrow(RangeError);
    await expect(powHashAsync('cn_upx', 'x' as unknown as Buffer)).rejects.toThrow('data must be a Uint8Array');
  });
});

describe('check_hash', () => {
  it('reproduces every recorded result', () => {
    const checks = readJsonLines<{ hash: string; difficulty: string; ok: boolean }>('vectors/check_hash.jsonl');
    expect(checks.length).toBeGreaterThan(300);
    for (const { hash, difficulty, ok } of checks) {
      expect({ hash, difficulty, ok: checkHash(Buffer.from(hash, 'hex'), BigInt(difficulty)) }).toEqual({
        hash,
        difficulty,
        ok,
      });
    }
  });

  it('has its limit exactly at hash x difficulty = 2^256', () => {
    const le = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
    for (const difficulty of [2n, 3n, 1000n, 0xffffffffffffffffn]) {
      const limit = ((1n << 256n) - 1n) / difficulty;
      expect(checkHash(le(limit), difficulty)).toBe(true);
      expect(checkHash(le(limit + 1n), difficulty)).toBe(false);
    }
  });

  it('rejects difficulties that are not unsigned 64-bit integers', () => {
    expect(() => checkHash(Buffer.alloc(32), 1n << 64n)).toThrow(RangeError);
    expect(() => checkHash(Buffer.alloc(32), -1n)).toThrow(RangeError);
    expect(() => checkHash(Buffer.alloc(32), 5 as unknown as bigint)).toThrow(TypeError);
    expect(() => checkHash(Buffer.alloc(31), 1n)).toThrow(RangeError);
  });
});
