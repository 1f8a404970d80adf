/**
 * What is mutated, by name: the project's folder, the folder of its sources (`except` for some), the tests that are asked (`order` first, the quick ones), and
 * the most that may survive.
 */
export const AREAS = {
  consensus: {
    folder: 'packages/consensus',
    sources: 'src',
    except: ['src/index.ts', 'src/view.ts'],
    tests: ['test/**/*.test.ts'],
    order: ['checkpoints', 'reward', 'difficulty', 'rules', 'boundaries', 'block-refusals', 'branch-view', 'mutations'],
    /** Percent of all mutants that may survive without being named in `equivalents.json`. */
    most: 3,
  },
  chain: {
    folder: 'apps/daemon',
    sources: 'src/chain',
    tests: ['test/{alternative-tree,client,engine,failed-blocks,refusal-order,reorganisation,task-queue,zone}.test.ts'],
    most: 15,
  },
};
