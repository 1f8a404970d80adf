import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { networkOf, parseBlock } from '@wrkz/core-types';
import { EarlyExit, type OptionSpec, UsageError } from '@wrkz/service-kit';
import { DAEMON_OPTIONS, readConfig } from '../../src';
import { CONFIG_REFUSALS } from '../../src/config/option-checks';
import { exercises } from '../support/exercises';
import { temporaryDirectory } from '../support/temporary';

exercises('help', 'version', 'config-file', 'save-config', 'dump-config', 'explain-config');
exercises('os-version', 'print-genesis-tx', 'fee-address', 'fee-amount', 'import-validate');
exercises('prune', 'prune-depth', 'lite', 'lite-height');
exercises('db-enable-compression', 'db-compression-level', 'db-compression-dict-bytes', 'db-max-open-files');
exercises('db-block-size', 'db-row-cache-percent', 'db-bottom-filters');
exercises('sync-peer-failure-threshold', 'sync-batch-min', 'sync-batch-max', 'block-sync-bytes', 'verify');

const specs: readonly OptionSpec[] = DAEMON_OPTIONS;

function exitOf(...argv: string[]): EarlyExit {
  try {
    readConfig(argv);
  } catch (error) {
    if (error instanceof EarlyExit) return error;
    throw error;
  }
  throw new Error(`${argv.join(' ')} did not exit`);
}

describe('options that print and exit', () => {
  it('print help with every option', () => {
    const { message, exitCode } = exitOf('--help');
    expect(exitCode).toBe(0);
    expect(specs.filter(({ name }) => !message.includes(`--${name}`)).map(({ name }) => name)).toEqual([]);
  });

  it('print version, system and first coinbase', () => {
    expect(exitOf('--version').message).toMatch(/^wrkz-daemon \d+\.\d+\.\d+\.\d+$/);
    expect(exitOf('--os-version').message).toMatch(/^\w+ \d+\./);
    const { coinbase } = parseBlock(networkOf('mainnet').genesis.block);
    expect(exitOf('--print-genesis-tx', '--network', 'devnet')).toMatchObject({
      exitCode: 0,
      message: coinbase.bytes.toString('hex'),
    });
  });

  it('print the configuration: dumped, saved, read back from JSON and INI, explained', () => {
    const folder = temporaryDirectory();
    const argv = ['--network=devnet', '--in-peers=3', '--seed-node=a:1', '--seed-node=b:2', '--no-console'];
    const dumped = JSON.parse(exitOf('--dump-config', ...argv).message) as Record<string, unknown>;
    expect(Object.keys(dumped)).toEqual(specs.filter(({ oneShot }) => oneShot !== true).map(({ name }) => name));
    expect(dumped).toMatchObject({
      network: 'devnet',
      'in-peers': 3,
      'seed-node': ['a:1', 'b:2'],
    });
    const inForce = {
      'data-dir': expect.stringContaining('daemon'),
      'prune-depth': 400,
      'rpc-bind-port': 37_856,
      'p2p-bind-port': 37_855,
      'zmq-pub': expect.stringMatching(/^tcp:\/\/127\.0\.0\.1:\d+$/),
    };
    expect(dumped).toMatchObject(inForce);
    expect(Object.values(dumped)).not.toContain(null);
    const saved = join(folder, 'saved.json');
    expect(exitOf('--save-config', saved, ...argv).exitCode).toBe(0);
    const names = Object.keys(inForce);
    expect(JSON.parse(readFileSync(saved, 'utf8'))).toEqual({
      ...dumped,
      ...Object.fromEntries(names.map((name) => [name, null])),
    });
    const direct = readConfig(argv).options;
    expect(readConfig(['--config-file', saved])).toMatchObject({ options: direct, warnings: [] });
    const ini = join(folder, 'a.conf');
    writeFileSync(ini, '# ours\nnetwork=devnet\nin-peers=3\nseed-node=a:1\nseed-node=b:2\nno-console=true\n');
    expect(readConfig(['-c', ini]).options).toEqual(direct);
    const lines = exitOf('-c', ini, '--in-peers=4', '--explain-config').message.split('\n');
    const reported = new Map(
      lines.map((line) => [line.split(/ +/)[0], line.replace(/^\S+ +/, '').replace(/ {2,}/, '  ')]),
    );
    expect(reported.get('in-peers')).toBe('4  command line');
    expect(reported.get('network')).toBe(`"devnet"  file ${ini}`);
    expect(reported.get('rpc-bind-port')).toBe('37856  default');
    expect(reported.get('p2p-bind-port')).toBe('37855  default');
    expect(reported.size).toBe(Object.keys(dumped).length);
    expect(exitOf('--explain-config', '--sync-batch-max=5').message).toMatch(/^sync-batch-max +120 +command line$/m);
  });

  it('reject an unknown key by name, and an action in a file, which a service would repeat at each restart', () => {
    const path = join(temporaryDirectory(), 'a.conf');
    writeFileSync(path, 'frobnicate=1\n');
    expect(exitOf('-c', path)).toMatchObject({ exitCode: 1 });
    expect(exitOf('-c', path).message).toContain('unknown key "frobnicate"');
    for (const line of ['resync=true', 'verify=1', 'rewind-to-height=5', 'import-blockchain=yes', 'backup=x.sqlite']) {
      writeFileSync(path, `${line}\n`);
      const [name = ''] = line.split('=');
      expect(exitOf('-c', path)).toMatchObject({
        exitCode: 1,
        message: expect.stringContaining(`--${name} is an action`),
      });
    }
    writeFileSync(path, 'resync=false\nverify=0\nrewind-to-height=0\nimport-blockchain=no\nbackup=\n');
    expect(readConfig(['-c', path])).toMatchObject({ action: 'serve', warnings: [] });
  });

  it('use dump-file and max-export-blocks from a file', () => {
    const path = join(temporaryDirectory(), 'a.conf');
    writeFileSync(path, 'dump-file=/tmp/a.dump\nmax-export-blocks=5000\n');
    const { options } = readConfig(['-c', path, '--export-blockchain']);
    expect(options).toMatchObject({ 'dump-file': '/tmp/a.dump', 'max-export-blocks': 5000 });
  });

  it('accept a configuration saved by Wrkzd of 2025, and warn about its data directory', () => {
    const folder = temporaryDirectory();
    mkdirSync(join(folder, 'DB'));
    writeFileSync(join(folder, 'DB', 'CURRENT'), 'MANIFEST-000001\n');
    const path = join(folder, 'wrkzd.json');
    writeFileSync(path, JSON.stringify({ ...SAVED_BY_WRKZD, 'data-dir': folder }));
    const { options, warnings } = readConfig(['-c', path]);
    expect(options).toMatchObject({ 'rpc-bind-port': 17_856, 'log-level': '2', 'no-console': true });
    expect(warnings).toEqual([
      expect.stringMatching(/db-max-file-size in .* is ignored: the chain is one SQLite file/),
      expect.stringMatching(/db-max-open-files has no effect/),
      expect.stringContaining(`${folder} holds a database of the C++ node`),
    ]);
  });

  it('print the replacement for options of older programs', () => {
    expect(exitOf('--enable-blockexplorer').message).toContain('use --daemon-mode explorer');
  });
});

/** The file that `Wrkzd --save-config` of July 2025 writes, without the data directory. */
const SAVED_BY_WRKZD = {
  ...{ 'load-checkpoints': 'default', 'log-file': '/tmp/Wrkzd.log', 'log-level': 2, 'no-console': true },
  ...{ 'db-enable-level-db': false, 'db-enable-compression': true, 'db-max-open-files': 125 },
  ...{ 'db-read-buffer-size': 256, 'db-threads': 8, 'db-write-buffer-size': 64, 'db-max-file-size': 64 },
  ...{ 'allow-local-ip': false, 'hide-my-port': false, 'p2p-bind-ip': '0.0.0.0', 'p2p-bind-port': 17_855 },
  ...{ 'p2p-external-port': 0, 'p2p-reset-peerstate': false, 'rpc-bind-ip': '127.0.0.1', 'rpc-bind-port': 17_856 },
  ...{ 'add-exclusive-node': [], 'add-peer': [], 'add-priority-node': [], 'seed-node': [] },
  ...{ 'enable-cors': '', 'enable-blockexplorer': false, 'enable-blockexplorer-detailed': false },
  ...{ 'enable-mining': false, 'fee-address': '', 'fee-amount': 0, 'transaction-validation-threads': 2 },
};

describe('option combinations', () => {
  /** How each row of the table is provoked. */
  const PROVOCATIONS: Record<keyof typeof CONFIG_REFUSALS, readonly string[]> = {
    noDataDir: ['--data-dir='],
    noDumpFile: ['--dump-file='],
    noBackupFile: ['--backup='],
    rpcProcessesWithoutSocket: ['--rpc-processes', '1'],
    twoAccessTokens: ['--rpc-access-token=x', '--rpc-access-token-file=y'],
    dryRunOfNothing: ['--dry-run'],
    noCheckpointsFile: ['--export-checkpoints='],
    systemP2pPort: ['--p2p-bind-port=1024'],
    systemRpcPort: ['--rpc-bind-port=80'],
    liteWithoutHeight: ['--lite'],
    liteAndPrune: ['--lite', '--lite-height=5', '--prune'],
    liteExplorer: ['--lite', '--lite-height=5', '--daemon-mode=explorer'],
    heightWithoutLite: ['--lite-height=5'],
    depthWithoutPrune: ['--prune-depth=20000'],
    snapshotWithoutLite: ['--import-lite-snapshot=x.litesnap'],
  };

  it.each(Object.entries(PROVOCATIONS))('%s', (name, argv) => {
    const exit = exitOf(...argv);
    expect(exit).toBeInstanceOf(UsageError);
    expect([exit.exitCode, exit.message]).toEqual([1, CONFIG_REFUSALS[name as keyof typeof PROVOCATIONS].text]);
  });

  it('accepts ports above the system ones, and 0 for any', () => {
    expect(() => readConfig(['--p2p-bind-port=1025', '--rpc-bind-port=0'])).not.toThrow();
  });

  it.each([
    [['--resync', '--verify']],
    [['--resync', '--rewind-to-height=5']],
    [['--rewind-to-height=5', '--import-blockchain']],
    [['--self-test', '--verify']],
    [['--export-checkpoints=x', '--export-blockchain']],
  ])('%j is refused as a conflict', (argv) => {
    expect(exitOf(...argv)).toMatchObject({ exitCode: 1, message: expect.stringContaining('choose one of --') });
  });

  it('accepts a resync followed by an import', () => {
    expect(readConfig(['--resync', '--import-blockchain']).action).toBe('import');
  });

  it('treats a rewind to 0 as a resync', () => {
    expect(exitOf('--rewind-to-height=0').message).toContain('use --resync');
  });
});

describe('adjusted values, and options without effect', () => {
  it.each([
    [['--sync-batch-min=50', '--sync-batch-max=20'], 'sync-batch-max', 50],
    [['--sync-peer-failure-threshold=0'], 'sync-peer-failure-threshold', 1],
    [['--block-sync-bytes=1000'], 'block-sync-bytes', 2_097_152],
  ] as const)('%j', (argv, name, value) => {
    const { options, warnings } = readConfig(argv);
    expect(options[name]).toBe(value);
    expect(warnings).toEqual([
      expect.stringMatching(new RegExp(`^--${name}: \\d+ is too small, ${String(value)} is used$`)),
    ]);
  });

  it('does not raise values that are large enough', () => {
    expect(readConfig(['--sync-batch-min=50', '--sync-batch-max=50']).warnings).toEqual([]);
  });

  it.each(specs.filter(({ noEffect }) => noEffect !== undefined).map((spec) => [spec.name, spec] as const))(
    '--%s is accepted with one warning',
    (name, { default: value }) => {
      const { warnings } = readConfig([`--${name}=${typeof value === 'boolean' ? 'false' : '1'}`]);
      expect(warnings).toEqual([expect.stringMatching(new RegExp(`^--${name} has no effect: `))]);
    },
  );

  it('the documentation lists the same number of such options', () => {
    const names = specs.filter(({ noEffect }) => noEffect !== undefined).map(({ name }) => name);
    expect(names.sort()).toEqual([
      'auto-compaction-min-free-bytes',
      'db-block-size',
      'db-bottom-filters',
      'db-compression-dict-bytes',
      'db-compression-level',
      'db-enable-compression',
      'db-max-open-files',
      'db-row-cache-percent',
      'fee-address',
      'fee-amount',
      'import-validate',
    ]);
    expect(() => readConfig(['--db-row-cache-percent=91'])).toThrow('out of range');
    expect(readConfig(['--db-max-open-files=-1']).options['db-max-open-files']).toBe(-1);
  });
});

describe('the storage mode', () => {
  it.each([
    [[], { kind: 'full' }, 10_080],
    [['--prune'], { kind: 'pruned', depth: 10_080 }, 10_080],
    [['--prune', '--prune-depth=20000'], { kind: 'pruned', depth: 20_000 }, 20_000],
    [['--prune-depth=10080'], { kind: 'full' }, 10_080],
    [['--prune', '--network=devnet'], { kind: 'pruned', depth: 400 }, 400],
    [['--prune', '--simnet'], { kind: 'pruned', depth: 10_080 }, 10_080],
    [['--lite', '--lite-height=7'], { kind: 'lite', height: 7 }, 10_080],
  ])('%j', (argv, storage, pruneDepth) => {
    expect(readConfig(argv)).toMatchObject({ storage, pruneDepth, warnings: [] });
  });

  it.each([
    [[], '10080, about 7 days', 10_080],
    [['--network=devnet'], '400, about 7 hours', 400],
  ])('a prune depth below the minimum is raised: %j', (argv, least, depth) => {
    const text = (source: string): string =>
      `The configured prune depth (5) from ${source} is below the enforced minimum (${least}). Using the minimum for network health.`;
    const config = readConfig(['--prune', '--prune-depth=5', ...argv]);
    expect(config).toMatchObject({ storage: { kind: 'pruned', depth }, pruneDepth: depth });
    expect(config.warnings).toEqual([text('CLI')]);
    const file = join(temporaryDirectory(), 'prune.conf');
    writeFileSync(file, 'prune=true\nprune-depth=5\n');
    expect(readConfig(['-c', file, ...argv]).warnings).toEqual([text('the configuration file')]);
  });

  it('accepts an explorer of a pruned node with a warning, and reads its dumped configuration again', () => {
    const argv = ['--prune', '--prune-depth=20000', '--daemon-mode=explorer'];
    expect(readConfig(argv).warnings).toEqual([expect.stringContaining('within the prune depth only')]);
    const saved = join(temporaryDirectory(), 'saved.json');
    exitOf('--save-config', saved, ...argv);
    expect(readConfig(['-c', saved]).storage).toEqual({ kind: 'pruned', depth: 20_000 });
    exitOf('--save-config', saved);
    expect(readConfig(['-c', saved, '--network=devnet', '--prune']).storage).toEqual({ kind: 'pruned', depth: 400 });
    expect(exitOf('--explain-config', '--network=devnet').message).toMatch(/^prune-depth +400 +default$/m);
  });
});
