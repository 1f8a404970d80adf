import { readJsonLines } from '@wrkz/testing/fixtures';
import { cnFastHash } from '../src';
import { primitiveHashes } from './primitives';

describe('cn_fast_hash', () => {
  it('reproduces every recorded vector', () => {
    const rows = readJsonLines<{ data: string; hash: string }>('vectors/cn_fast_hash.jsonl');
    expect(rows.length).toBeGreaterThan(300);
    for (const row of rows) {
      expect({ data: row.data, hash: cnFastHash(Buffer.from(row.data, 'hex')).toString('hex') }).toEqual(row);
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
  });
});
