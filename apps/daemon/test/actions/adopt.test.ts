import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile } from '@wrkz/chain-db';
import { digestOf } from '@wrkz/testing';
import { newSuite } from '../network/daemons';
import { DaemonProcess, type Ended } from '../support/process';

const suite = newSuite();
let data: string;
beforeAll(async () => {
  data = await suite.chainA();
});
afterAll(() => suite.stopAll());

/** A data directory with a copy of the database file alone. */
function copied(): { dataDir: string; file: string } {
  const dataDir = suite.folder();
  const file = databaseFile(join(dataDir, 'devnet'));
  mkdirSync(join(dataDir, 'devnet'));
  copyFileSync(databaseFile(join(data, 'devnet')), file);
  return { dataDir, file };
}

const run = (...args: string[]): Promise<Ended> => new DaemonProcess(args, suite.folder()).ended;

const onDevnet = (dataDir: string): string[] => ['--network', 'devnet', '--data-dir', dataDir, '--no-console'];

test('rejects a copied database with a named error, and uses it after `wrkz-daemon adopt`', async () => {
  const { dataDir, file } = copied();
  const before = readFileSync(file);
  const refused = await run(...onDevnet(dataDir), '--rewind-to-height', '700', '--p2p-bind-port', '0');
  expect(refused.code).toBe(1);
  expect(refused.stdout + refused.stderr).toContain(
    `the chain database ${file} was copied or replaced: there is no control file. To use it here, run: wrkz-daemon adopt ${file}`,
  );
  expect(readdirSync(join(dataDir, 'devnet')).filter((name) => name.startsWith('chain'))).toEqual(['chain.sqlite']);
  expect(readFileSync(file).equals(before)).toBe(true);

  const adopted = await run('adopt', file);
  expect(adopted).toMatchObject({ code: 0, stdout: expect.stringContaining(`${file} is sound and was adopted`) });
  const verified = await run(...onDevnet(dataDir), '--verify');
  expect(verified.stdout).toContain('no problem found');
  expect(await digestOf(dataDir, 'devnet')).toBe(await digestOf(data, 'devnet'));
});

test('rejects a damaged page, a log of another database and a missing file with one line each', async () => {
  const { file } = copied();
  const sound = readFileSync(file);
  const torn = Buffer.from(sound);
  torn.fill(0xa5, sound.length - 5000, sound.length - 4000);
  writeFileSync(file, torn);
  const errors = async (): Promise<string[]> => {
    const { code, stderr, stdout } = await run('adopt', file);
    expect([code, stdout]).toEqual([1, '']);
    return stderr.trim().split('\n');
  };
  expect(await errors()).toEqual([
    expect.stringMatching(/^adopt: .*chain\.sqlite: page \d+ does not fit its checksum$/),
  ]);
  expect(readFileSync(file).equals(torn)).toBe(true);
  rmSync(file);
  expect(await errors()).toEqual([expect.stringMatching(/^adopt: there is no chain database at /)]);
  const usage = await run('adopt');
  expect([usage.code, usage.stderr]).toEqual([1, expect.stringContaining('file')]);
});
