import { readJsonLines } from '@wrkz/testing/fixtures';
import { cnFastHash, keccak1600 } from '../src';
import { primitiveHashes } from './primitives';

describe('cn_fast_hash', () => {
  it('reproduces every recorded vector', () => {
    const rows = readJsonLines<{ data: string; hash: string }>('vectors/cn_fast_hash.jsonl');
    expect(rows.length).toBeGreaterThan(300);
    for (const row of rows) {
      expect({ data: row.data, hash: cnFastHash(Buffer.from(row.data, 'hex')).toString('hex') }).toEqual(row);
    }
  });

  it('is the first 32 bytes of the 200-byte state', () => {
    for (const size of [0, 1, 135, 136, 137, 272, 1000]) {
      const data = Buffer.alloc(size, size);
      const state = keccak1600(data);
      expect(state.length).toBe(200);
      expect(state.subarray(0, 32)).toEqual(cnFastHash(data));
    }
  });

  it('reproduces the named inputs of the primitives', () => {
    const rows = primitiveHashes('cn_fast_hash');
    expect(rows).toHaveLength(5);
    for (const { name, data, hash } of rows) {
      expect([name, cnFastHash(data).toString('hex')]).toEqual([name, hash]);
    }
  });

  it('rejects anything but bytes', () => {
    expect(() => cnFastHash('abc' as unknown as Buffer)).toThrow(new TypeError('data must be a Uint8Array'));
    expect(() => keccak1600(undefined as unknown as Buffer)).toThrow(TypeError);
  });
});
