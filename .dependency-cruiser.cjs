'use strict';

/** What each package may import from the suite. An import may only point down the ladder; apps never import each other. */
const LADDER = {
  crypto: [],
  'core-types': ['crypto'],
  consensus: ['core-types', 'crypto'],
  levin: ['core-types', 'crypto'],
  api: [],
  pages: [],
  sqlite: [],
  'service-kit': [],
  'chain-db': ['sqlite', 'consensus', 'core-types', 'crypto', 'service-kit'],
  client: ['api', 'core-types', 'crypto', 'service-kit'],
  'wallet-core': ['sqlite', 'client', 'levin', 'api', 'consensus', 'core-types', 'crypto', 'service-kit'],
  'wallet-server': ['client', 'wallet-core', 'core-types', 'service-kit'],
  miner: ['api', 'client', 'consensus', 'core-types', 'crypto', 'service-kit'],
};
/** Packages of pure rules. eslint forbids them clocks, randomness and other globals. */
const PURE = ['core-types', 'consensus', 'levin', 'api'];
/** Threads of these packages load the small entry `service-kit/base` instead of the whole package. */
const SMALL = ['chain-db', 'client'];

const ladder = Object.entries(LADDER).map(([name, allowed]) => ({
  name: `ladder-${name}`,
  comment: `packages/${name} may import ${allowed.join(', ') || 'no other package'}`,
  severity: 'error',
  from: { path: `^packages/${name}/src/` },
  to: { path: '^(packages|apps)/', pathNot: `^packages/(${[name, ...allowed].join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...ladder,
    {
      name: 'ladder-apps',
      comment: 'apps do not import each other',
      severity: 'error',
      from: { path: '^apps/([^/]+)/src/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'testing-in-tests-only',
      severity: 'error',
      from: { path: '^(packages|apps)/[^/]+/src/', pathNot: '^packages/testing/' },
      to: { path: '^packages/testing/' },
    },
    {
      name: 'small-entry-in-threads',
      comment: 'these packages are loaded by threads: import @wrkz/service-kit/base',
      severity: 'error',
      from: { path: `^packages/(${SMALL.join('|')})/src/` },
      to: { path: '^packages/service-kit/src/index.ts$' },
    },
    {
      name: 'pure-packages',
      comment: 'these packages know no files, sockets, processes, clocks or randomness',
      severity: 'error',
      from: { path: `^packages/(${PURE.join('|')})/src/` },
      to: { dependencyTypes: ['core'] },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    // Which of the two SQLite libraries is installed depends on the Node.js version.
    {
      name: 'not-resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^better-sqlite3' },
    },
    {
      name: 'undeclared-dependency',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'development-dependency-in-source',
      severity: 'error',
      from: { path: '^(packages|apps)/[^/]+/src/', pathNot: '^packages/testing/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/(dist|fixtures)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.test.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@wrkz/source', 'node', 'require', 'import'],
    },
  },
};
