import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportSnapshot, openChainDb } from '@wrkz/chain-db';
import { createMemoryLogger } from '@wrkz/service-kit';
import { nodeArguments } from '@wrkz/testing';
import { Daemon, readConfig } from '../../src';
import { newSuite } from '../network/daemons';
import { exercises } from '../support/exercises';

exercises('dry-run');

const suite = newSuite();
let data: string;
beforeAll(async () => {
  data = await suite.chainA();
  const work = join(data, 'devnet', 'repair');
  mkdirSync(work);
  writeFileSync(join(work, 'bodies'), 'x'.repeat(1000));
  mkdirSync(join(data, 'devnet', 'snapshot-import'));
});
afterAll(() => suite.stopAll());

/** Every file below a folder with its content, without the empty log and its index that each reader leaves. */
function contents(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .filter((name) => !name.endsWith('-shm') && !(name.endsWith('-wal') && statSync(join(folder, name)).size === 0))
    .map((name) => {
      const path = join(folder, name);
      return `${name} ${statSync(path).isFile() ? createHash('sha1').update(readFileSync(path)).digest('hex') : ''}`;
    });
}

async function dryRun(...args: string[]): Promise<{ code: number | undefined; lines: string }> {
  const logger = createMemoryLogger('info');
  const daemon = Daemon.create(readConfig([...nodeArguments('devnet', data), '--dry-run', ...args]), { logger });
  await daemon.start();
  const code = await daemon.finished;
  await daemon.stop();
  return { code, lines: logger.lines.join('\n') };
}

test.each<[string[], RegExp]>([
  [
    ['--resync'],
    /--resync would delete the chain of 721 blocks, \d+ files of \d+ bytes:[^]*chain\.sqlite \(\d+ bytes\)/,
  ],
  [['--resync'], /repair \(1000 bytes\)[^]*Nothing was changed: --dry-run$/],
  [
    ['--rewind-to-height', '700'],
    /would remove 21 blocks \(700 to 720\) with \d+ transactions, \d+ bytes of blocks; 700 blocks would remain/,
  ],
  [['--rewind-to-height', '5000'], /Nothing to rewind: the chain has 721 blocks/],
  [
    ['--prune'],
    /--prune would delete the bodies and signatures of 320 blocks \(1 to 320\), [1-9]\d+ bytes; the last 400 blocks and genesis/,
  ],
  [['--prune', '--prune-depth', '720'], /--prune would delete nothing: the last 720 blocks are retained/],
])('%j reports what would be deleted, and changes nothing', async (args, text) => {
  const before = contents(data);
  const { code, lines } = await dryRun(...args);
  expect([code, lines]).toEqual([0, expect.stringMatching(text)]);
  expect(contents(data)).toEqual(before);
});

test('exits with 1 if the start itself would be refused', async () => {
  const { code, lines } = await dryRun('--rewind-to-height', '5');
  expect([code, lines]).toEqual([1, expect.stringContaining('Cannot rewind to 5: the chain is 721 blocks tall')]);
});

test('reports the records of a snapshot, and refuses an invalid file', async () => {
  const file = join(suite.folder(), 'x.litesnap');
  const args = ['--lite', '--lite-height', '300', '--import-lite-snapshot', file];
  writeFileSync(file, 'no snapshot');
  const before = contents(data);
  const none = await dryRun(...args);
  expect([none.code, none.lines]).toEqual([1, expect.stringContaining('the dry-run failed: ')]);
  const db = openChainDb({ directory: join(data, 'devnet'), network: 'devnet', readonly: true });
  rmSync(file);
  await exportSnapshot({ reader: db.reader, network: 'devnet', liteHeight: 300, path: file });
  db.close();
  const { code, lines } = await dryRun(...args);
  // The import itself would be refused here.
  expect([code, lines]).toEqual([
    1,
    expect.stringMatching(
      /would write [1-9]\d+ records of the blocks below height 300 to .*[^]*an import deletes none[^]*--lite can only be chosen/,
    ),
  ]);
  expect(contents(data)).toEqual(before);
});

test('is refused without an option that deletes', () => {
  const refusal = '--dry-run needs what would be done: --resync, --rewind-to-height, --prune, --import-lite-snapshot';
  expect(() => readConfig(['--dry-run'])).toThrow(refusal);
  expect(() => readConfig(['--dry-run', '--verify'])).toThrow(/--dry-run needs|choose one of/);
  expect(() => readConfig(['--dry-run', '--resync', '--import-blockchain'])).toThrow('choose one of');
});

test('a resync deletes the work folders too', async () => {
  const node = await suite.node({ from: data, args: ['--resync', '--skip-boot-compaction'] });
  expect(node.height).toBe(0);
  for (const name of ['repair', 'snapshot-import']) {
    expect(existsSync(join(node.dataDir, 'devnet', name))).toBe(false);
  }
  await node.stop();
});
