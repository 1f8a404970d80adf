/**
 * The areas of the mutation run, by name: folder of the project, folder of its sources without the files and folders of
 * `except`, the tests that run against each mutant, and the max share of survivors.
 */
export const AREAS = {
  consensus: {
    folder: 'packages/consensus',
    sources: 'src',
    except: ['src/index.ts', 'src/view.ts'],
    tests: ['test/**/*.test.ts'],
    /** Percent of all mutants, without those that `equivalents.json` explains. */
    maxSurvivors: 3,
  },
  chain: {
    folder: 'apps/daemon',
    sources: 'src/chain',
    tests: ['test/{alternative-tree,client,engine,failed-blocks,refusal-order,reorganisation,task-queue,zone}.test.ts'],
    maxSurvivors: 15,
  },
  // The next three are sampled: `--sample 3`.
  p2p: {
    folder: 'apps/daemon',
    sources: 'src/p2p',
    except: ['src/p2p/port-mapping'],
    tests: ['test/p2p/!(port-mapping)/*.test.ts', 'test/p2p/!(ipv6).test.ts'],
    maxSurvivors: 8,
  },
  mempool: {
    folder: 'apps/daemon',
    sources: 'src/mempool',
    tests: ['test/{pool,pool-*,mining}.test.ts'],
    maxSurvivors: 8,
  },
  rpc: {
    folder: 'apps/daemon',
    sources: 'src/rpc',
    except: ['src/rpc/index.ts', 'src/rpc/readers/thread.ts'],
    tests: ['test/rpc/!(readers|running-daemon|reader-memory).test.ts'],
    maxSurvivors: 8,
  },
  ledger: {
    folder: 'packages/wallet-core',
    sources: 'src/ledger',
    except: ['src/ledger/model.ts', 'src/ledger/state.ts'],
    // Without the scans of chain A, which take half a minute.
    tests: ['test/ledger/!(chain-a|reference-files).test.ts'],
    maxSurvivors: 3,
  },
  send: {
    folder: 'packages/wallet-core',
    sources: 'src/send',
    // Without whole wallets at whole nodes (test/money), which take a minute.
    tests: ['test/send/*.test.ts'],
    maxSurvivors: 3,
  },
  'wallet-db': {
    folder: 'packages/wallet-core',
    sources: 'src/wallet-db',
    tests: ['test/wallet-db/{damage,open,seal,tables}.test.ts'],
    maxSurvivors: 3,
  },
  sqlite: {
    folder: 'packages/sqlite',
    sources: 'src',
    except: ['src/index.ts', 'src/node-gyp-build.d.ts'],
    tests: ['test/!(kill|damage).test.ts'],
    maxSurvivors: 3,
  },
  // Without the repair, whose tests take a minute. A whole run takes hours: `--sample 10`.
  'chain-db': {
    folder: 'packages/chain-db',
    sources: 'src',
    except: ['src/index.ts', 'src/repair', 'src/verify/page-check-process.ts'],
    tests: ['test/!(*kill|*kills|damage|damage-modes|repair).test.ts', 'test/snapshot/!(kill).test.ts'],
    maxSurvivors: 3,
  },
};
