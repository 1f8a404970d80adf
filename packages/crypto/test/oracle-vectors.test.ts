import { readJsonLines } from '@wrkz/testing/fixtures';
import { bytes, hex, KEY_CHECKS, keyRows, ringRows, ringVectorTests } from './curve-vectors';
import * as oracle from './oracle';

// Comparisons with the oracle require that it passes the recorded vectors itself. It needs a millisecond per multiplication,
// so only an even selection of the longer files is checked.
const thinned = <T>(rows: T[], count: number): T[] =>
  rows.filter(
    (_, index) => Math.floor((index * count) / rows.length) !== Math.floor(((index - 1) * count) / rows.length),
  );

describe('keys', () => {
  it.each(Object.entries(KEY_CHECKS))('%s', (op, check) => {
    const rows = keyRows(op);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of thinned(rows, 25)) check(row, oracle);
  });
});

describe('ring signatures', () => {
  const small = ringRows().filter((row) => row.ring.length <= 4);
  const kinds = [...new Set(small.map((row) => row.kind))];
  ringVectorTests(
    oracle,
    kinds.flatMap((kind) =>
      thinned(
        small.filter((row) => row.kind === kind),
        5,
      ),
    ),
  );
});

describe('hashes', () => {
  it('cn_fast_hash', () => {
    for (const row of readJsonLines<{ data: string; hash: string }>('vectors/cn_fast_hash.jsonl')) {
      expect(hex(oracle.cnFastHash(bytes(row.data)))).toBe(row.hash);
      expect(hex(oracle.keccak1600(bytes(row.data)).subarray(0, 32))).toBe(row.hash);
    }
  });

  it('tree hash', () => {
    type Row = {
      hashes?: string[];
      root: string;
      branch: string[];
      depth: number;
      leaf?: string;
      path?: string;
      root_null_path?: string;
    };
    for (const row of readJsonLines<Row>('vectors/tree.jsonl')) {
      const branch = row.branch.map(bytes);
      if (row.hashes !== undefined) {
        expect(hex(oracle.treeHash(row.hashes.map(bytes)))).toBe(row.root);
        expect(oracle.treeBranch(row.hashes.map(bytes)).map(hex)).toEqual(row.branch);
        expect(oracle.treeDepth(row.hashes.length)).toBe(row.depth);
      } else {
        const leaf = bytes(row.leaf ?? '');
        expect(hex(oracle.treeHashFromBranch(branch, branch.length, leaf, bytes(row.path ?? '')))).toBe(row.root);
        expect(hex(oracle.treeHashFromBranch(branch, branch.length, leaf))).toBe(row.root_null_path);
      }
    }
  });
});
