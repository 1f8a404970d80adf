import { AlternativeTree } from '../src/chain/alternative-tree';

/** A branch of `count` blocks of difficulty 10 on main block `fork`, named `<name>:<height>`. */
function grow(tree: AlternativeTree, name: string, fork: number, count: number, weight = 10n): string {
  let parent = `main:${String(fork)}`;
  for (let height = fork + 1; height <= fork + count; height++) {
    const hash = `${name}:${String(height)}`;
    tree.add({ hash, parent, height, cumulativeDifficulty: BigInt(fork) * 10n + BigInt(height - fork) * weight });
    parent = hash;
  }
  return parent;
}

const onMain = (hash: string): boolean => hash.startsWith('main:');

describe('side branches', () => {
  it('finds the path from the main chain to each block', () => {
    const tree = new AlternativeTree();
    const leaf = grow(tree, 'a', 10, 3);
    expect(tree.path(leaf).map((block) => block.height)).toEqual([11, 12, 13]);
    expect(tree.path('nowhere')).toEqual([]);
  });

  it('drops a branch that forks 181 blocks below the tip, retains one that forks 180 below', () => {
    const tree = new AlternativeTree();
    grow(tree, 'old', 19, 3);
    grow(tree, 'edge', 20, 3);
    expect(tree.excess(200, onMain)).toEqual(['old:20', 'old:21', 'old:22']);
  });

  it('drops blocks without a parent', () => {
    const tree = new AlternativeTree();
    grow(tree, 'a', 10, 3);
    tree.remove('a:11');
    expect(tree.excess(20, onMain).sort()).toEqual(['a:12', 'a:13']);
  });

  it('retains the heaviest branch and 50 others, evicts the lightest', () => {
    const tree = new AlternativeTree();
    for (let i = 0; i < 53; i++) grow(tree, `b${String(i)}`, 100, 2, BigInt(10 + i));
    const gone = tree.excess(150, onMain);
    expect(gone.sort()).toEqual(['b0:101', 'b0:102', 'b1:101', 'b1:102']);
  });

  it('does not evict the branch that has just grown, however light', () => {
    const tree = new AlternativeTree();
    for (let i = 0; i < 53; i++) grow(tree, `b${String(i)}`, 100, 2, BigInt(10 + i));
    const gone = tree.excess(150, onMain, 'b0:102');
    expect(gone.sort()).toEqual(['b1:101', 'b1:102']);
  });

  it('truncates branches to 100 blocks, except the heaviest and the one that grows towards 180', () => {
    const tree = new AlternativeTree();
    grow(tree, 'light', 20, 103);
    grow(tree, 'growing', 20, 150, 11n);
    const leaf = grow(tree, 'heavy', 20, 170, 12n);
    expect(tree.excess(200, onMain, 'growing:170')).toEqual(['light:121', 'light:122', 'light:123']);
    expect(tree.excess(200, onMain, leaf).filter((hash) => hash.startsWith('growing')).length).toBe(50);
  });

  it('retains the trunk shared by a retained and a dropped branch', () => {
    const tree = new AlternativeTree();
    grow(tree, 'trunk', 100, 2);
    for (let i = 0; i < 52; i++) {
      const hash = `twig${String(i)}`;
      tree.add({ hash, parent: 'trunk:102', height: 103, cumulativeDifficulty: BigInt(2000 + i) });
    }
    expect(tree.excess(150, onMain)).toEqual(['twig0']);
  });
});
