import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile, openChainDb } from '@wrkz/chain-db';
import { createMemoryLogger, EarlyExit, type MemoryLogger } from '@wrkz/service-kit';
import { SqliteConnection } from '@wrkz/sqlite';
import { nodeArguments } from '@wrkz/testing';
import { Daemon, readConfig } from '../../src';
import { newSuite } from '../network/daemons';
import { runDaemon } from '../support/process';

/*
 * The table of refused combinations, row by row: message, exit code, and unchanged data.
 * configuration.test.ts has the messages of combinations that are refused without data.
 */

const suite = newSuite();
afterAll(() => suite.stopAll());

type Folder = 'empty' | 'full' | 'lite' | 'damaged mark' | 'newer' | 'of the other network';

const made = new Map<Folder, string>();
/** The folder of the database in a data directory. */
const devnet = (dataDir: string): string => join(dataDir, 'devnet');

function edit(dataDir: string, statement: string): void {
  const connection = new SqliteConnection(databaseFile(devnet(dataDir)));
  connection.exec(statement);
  connection.close();
}

beforeAll(async () => {
  made.set('full', await suite.chainA());
  const lite = suite.folder();
  mkdirSync(devnet(lite));
  const node = await suite.node({ from: lite, args: ['--lite', '--lite-height', '5'] });
  await node.stop();
  made.set('lite', node.dataDir);
  made.set('empty', suite.folder());
  for (const [name, change] of [
    ['damaged mark', "UPDATE meta SET value = 'light:5' WHERE key = 'lite_node_profile'"],
    ['newer', 'PRAGMA user_version = 900'],
  ] as const) {
    const folder = suite.folder();
    cpSync(node.dataDir, folder, { recursive: true });
    edit(folder, change);
    made.set(name, folder);
  }
  const other = suite.folder();
  cpSync(node.dataDir, other, { recursive: true });
  renameSync(devnet(other), join(other, 'simnet'));
  made.set('of the other network', other);
});

const PAGE_SIZE = 8192;

/** The chain database but the page with the session number, which each open for writing increments. */
function withoutSession(bytes: Buffer): Buffer {
  return bytes.fill(0, 2 * PAGE_SIZE, 3 * PAGE_SIZE);
}

/**
 * Every file below a folder by name, with a digest of its content. Files that SQLite creates for a connection are omitted: the
 * shared memory of the log, and an empty log. Session numbers are omitted too.
 */
function contents(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    files
      .filter((file) => statSync(join(folder, file)).isFile() && !/-(shm|control)$/.test(file))
      .filter((file) => !file.endsWith('-wal') || statSync(join(folder, file)).size > 0)
      .map((file) => [
        file,
        createHash('sha256')
          .update(
            file.endsWith('chain.sqlite')
              ? withoutSession(readFileSync(join(folder, file)))
              : readFileSync(join(folder, file)),
          )
          .digest('hex'),
      ]),
  );
}

/** Starts the whole program, as its main function does, up to its refusal. */
async function refusal(argv: readonly string[]): Promise<{ code: number; text: string; logger: MemoryLogger }> {
  const logger = createMemoryLogger('info');
  let daemon: Daemon | undefined;
  try {
    daemon = Daemon.create(readConfig(argv), { logger });
    await daemon.start();
    const code = await daemon.finished;
    const text = logger.entries.map(({ message }) => message).join('\n');
    return { code: code ?? 0, text, logger };
  } catch (error) {
    return { code: error instanceof EarlyExit ? error.exitCode : 1, text: (error as Error).message, logger };
  } finally {
    await daemon?.stop();
  }
}

const LITE = ['--lite', '--lite-height=5'];
const ROWS: readonly (readonly [Folder, readonly string[], string | RegExp])[] = [
  [
    'empty',
    ['--lite'],
    '--lite requires --lite-height, the height from which full block data is kept. There is no sensible default: it decides what this node can never serve or rescan again.',
  ],
  [
    'full',
    [...LITE, '--prune'],
    '--lite and --prune cannot be combined. Pruning below the lite height would remove nothing, and above it would break the promise a lite node makes to serve every block from its lite height up.',
  ],
  [
    'lite',
    [...LITE, '--daemon-mode=explorer'],
    '--lite and --daemon-mode explorer cannot be combined. Block and transaction lookups below the lite height need the transaction records a lite node never stores, so the explorer endpoints would return nothing for those heights rather than report an error.',
  ],
  ['full', ['--lite-height=5'], '--lite-height needs --lite'],
  ['full', ['--prune-depth=500'], '--prune-depth needs --prune'],
  [
    'full',
    LITE,
    '--lite can only be chosen for a new database. This one already holds a chain that was synced in full, and nothing here will delete it for you. Point --data-dir at an empty directory, or remove this one yourself, to build a lite node.',
  ],
  [
    'lite',
    [],
    'This database was built as a lite node from height 5, so it does not hold the block data a full node serves. Restart with --lite --lite-height 5, or delete the data directory to sync a full node from scratch.',
  ],
  [
    'lite',
    ['--prune'],
    'This database was built as a lite node from height 5, so it does not hold the block data a full node serves. Restart with --lite --lite-height 5, or delete the data directory to sync a full node from scratch.',
  ],
  [
    'lite',
    ['--lite', '--lite-height=6'],
    'This database was built as a lite node from height 5, not 6. The stored height cannot be changed - blocks below it were never written. Restart with --lite-height 5, or delete the data directory to rebuild at a different height.',
  ],
  [
    'damaged mark',
    LITE,
    'The lite-node marker in this database is unreadable. Refusing to start rather than guess how it was built. Remove the data directory to rebuild.',
  ],
  [
    'lite',
    [...LITE, '--rewind-to-height=3'],
    'Cannot rewind to 3: this lite node only stores full block data from 5. The blocks below that height were never stored, so there is nothing to roll back to.',
  ],
  ['full', ['--rewind-to-height=0'], /^--rewind-to-height: 0 would leave no block; use --resync to begin again$/],
  [
    'full',
    ['--rewind-to-height=320'],
    'Cannot rewind to 320: the chain is 721 blocks tall and a rewind may reach at most 400 blocks below its top, so you can only rewind to 321. Nothing was changed. Use --resync to rebuild the chain from the network instead.',
  ],
  [
    'empty',
    ['--import-lite-snapshot=x'],
    '--import-lite-snapshot needs --lite and the --lite-height the snapshot was made at. A snapshot only describes the region below a lite height, so there is nothing to import it into without one.',
  ],
  ['newer', LITE, /has schema version 900, this program reads \d+: it was written by a newer program$/],
  ['of the other network', ['--network=simnet', ...LITE], /belongs to devnet, not to simnet$/],
  ['full', ['--daemon-mode=blockexplorer'], /--daemon-mode: .*standard.*explorer/],
  ['full', ['--enable-blockexplorer'], /use --daemon-mode explorer/],
  [
    'lite',
    ['--export-blockchain', '--dump-file=/x.dump'],
    /This node is a lite node and stores no transaction data below height 5$/,
  ],
  ['full', ['--prune', '--export-blockchain', '--dump-file=/x.dump'], /a pruned node exports no dump/],
];

test.each(ROWS)('refuses on a database that is %s: %j', async (folder, args, text) => {
  const dataDir = made.get(folder) as string;
  const before = contents(dataDir);
  const reported = await refusal([...nodeArguments('devnet', dataDir), ...args]);
  expect(reported.text).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
  expect(reported.code).toBe(1);
  expect(contents(dataDir)).toEqual(before);
});

test('raises a prune depth below the minimum with a warning', async () => {
  const reported = await refusal([...nodeArguments('devnet', suite.folder()), '--prune', '--prune-depth=5']);
  expect([reported.code, reported.logger.entries.map(({ message }) => message)]).toEqual([
    0,
    expect.arrayContaining([
      'The configured prune depth (5) from CLI is below the enforced minimum (400, about 7 hours). Using the minimum for network health.',
    ]),
  ]);
});

test('refuses --resync if it cannot delete a file', async () => {
  const dataDir = suite.folder();
  cpSync(made.get('lite') as string, dataDir, { recursive: true });
  const before = contents(dataDir);
  const remove = fs.rmSync;
  const spy = jest.spyOn(fs, 'rmSync').mockImplementation((path, options) => {
    if (String(path).includes('chain.sqlite')) throw new Error('EPERM: operation not permitted');
    remove(path, options);
  });
  const reported = await refusal([...nodeArguments('devnet', dataDir), '--resync', ...LITE]);
  spy.mockRestore();
  expect([reported.code, reported.text]).toEqual([
    1,
    expect.stringMatching(/^Could not delete data path: .*chain\.sqlite/),
  ]);
  expect(contents(dataDir)).toEqual(before);
});

test('refuses a rewind below the bodies of a pruned database', async () => {
  const dataDir = suite.folder();
  cpSync(made.get('full') as string, dataDir, { recursive: true });
  const db = openChainDb({ directory: devnet(dataDir), network: 'devnet' });
  while (db.writer?.pruneStep(600).done === false);
  db.close();
  const before = contents(dataDir);
  const reported = await refusal([...nodeArguments('devnet', dataDir), '--rewind-to-height=599']);
  expect([reported.code, reported.text]).toEqual([
    1,
    'Cannot rewind to 599: This node is a pruned node and stores no block data below height 600, so you can only rewind to 600. ' +
      'Nothing was changed. Use --resync to rebuild the chain from the network instead.',
  ]);
  expect(contents(dataDir)).toEqual(before);
});

test('prints the error on stderr and exits with 1', async () => {
  const dataDir = made.get('lite') as string;
  const before = contents(dataDir);
  const ended = await runDaemon(nodeArguments('devnet', dataDir), suite.folder());
  expect(ended.code).toBe(1);
  expect(ended.stdout + ended.stderr).toContain('Restart with --lite --lite-height 5, or delete the data directory');
  expect(contents(dataDir)).toEqual(before);
});
