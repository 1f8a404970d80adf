import { readJsonLines } from '@wrkz/testing/fixtures';
import { cnFastHash, treeDepth, treeHash, treeHashFromBranch } from '../src';
import { treeBranch } from './oracle';
import { primitives } from './primitives';

interface TreeRow {
  hashes: string[];
  root: string;
  branch: string[];
  depth: number;
  root_from_branch_of_leaf0: string;
}
interface BranchRow {
  op: 'tree_hash_from_branch';
  branch: string[];
  leaf: string;
  path: string;
  root: string;
  root_null_path: string;
}

const rows = readJsonLines<TreeRow | BranchRow>('vectors/tree.jsonl');
const trees = rows.filter((row): row is TreeRow => 'hashes' in row);
const branches = rows.filter((row): row is BranchRow => 'op' in row);
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

describe('tree hash', () => {
  it('reproduces every recorded tree: root, depth and root from the branch of leaf 0', () => {
    expect(trees.length).toBeGreaterThan(50);
    for (const row of trees) {
      const hashes = row.hashes.map(bytes);
      const branch = row.branch.map(bytes);
      expect(treeHash(hashes).toString('hex')).toBe(row.root);
      expect(treeDepth(hashes.length)).toBe(row.depth);
      const root = treeHashFromBranch(branch, row.depth, hashes[0] ?? Buffer.alloc(0));
      expect(root.toString('hex')).toBe(row.root_from_branch_of_leaf0);
    }
  });

  it('reproduces every recorded root from a branch, with path bits and without', () => {
    expect(branches.length).toBeGreaterThan(50);
    for (const row of branches) {
      const branch = row.branch.map(bytes);
      const withPath = treeHashFromBranch(branch, branch.length, bytes(row.leaf), bytes(row.path));
      const without = treeHashFromBranch(branch, branch.length, bytes(row.leaf), null);
      expect([withPath.toString('hex'), without.toString('hex')]).toEqual([row.root, row.root_null_path]);
    }
  });

  it('reproduces the recorded roots of the primitives', () => {
    const leaf = (i: number): Buffer => cnFastHash(Buffer.from([i]));
    const roots = primitives('tree_hash').filter((line) => line.startsWith('tree_hash(count='));
    expect(roots.length).toBeGreaterThan(7);
    for (const line of roots) {
      const [, count = '0', root] = /count=(\d+)\) = ([0-9a-f]{64})/.exec(line) ?? [];
      expect(treeHash(Array.from({ length: Number(count) }, (_, i) => leaf(i))).toString('hex')).toBe(root);
    }
  });

  it('computes the root from leaf 0 for every count up to 600, also across 512', () => {
    const hashes = Array.from({ length: 600 }, (_, i) => cnFastHash(Buffer.from([i & 255, i >> 8])));
    for (let count = 1; count <= hashes.length; count++) {
      const leaves = hashes.slice(0, count);
      const root = treeHashFromBranch(treeBranch(leaves), treeDepth(count), hashes[0] ?? Buffer.alloc(0));
      expect(root).toEqual(treeHash(leaves));
    }
  });

  it('rejects empty lists, wrong lengths and short branches', () => {
    const leaf = Buffer.alloc(32);
    expect(() => treeHash([])).toThrow(RangeError);
    expect(() => treeHash([leaf, Buffer.alloc(31)])).toThrow('hashes[1] must be 32 bytes, not 31');
    expect(() => treeHash('x' as unknown as Buffer[])).toThrow(TypeError);
    expect(() => treeDepth(0)).toThrow(RangeError);
    expect(() => treeHashFromBranch([leaf], 2, leaf)).toThrow('branch must have 2 hashes, not 1');
    expect(() => treeHashFromBranch([leaf], 257, leaf)).toThrow(RangeError);
    expect(() => treeHashFromBranch([leaf], 1, leaf, Buffer.alloc(31))).toThrow(RangeError);
  });
});
