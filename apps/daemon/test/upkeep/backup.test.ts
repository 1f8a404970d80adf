import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { databaseFile } from '@wrkz/chain-db';
import { createMemoryLogger, type MemoryLogger } from '@wrkz/service-kit';
import { digestOf } from '@wrkz/testing';
import { Daemon, readConfig } from '../../src';
import { newSuite } from '../network/daemons';
import { exercises } from '../support/exercises';
import { killBackups } from './backup-kills';

exercises('backup');

const suite = newSuite();
let data: string;
let wanted: string;
beforeAll(async () => {
  data = await suite.chainA();
  wanted = await digestOf(data, 'devnet');
});
afterAll(() => suite.stopAll());

async function backup(dataDir: string, to: string): Promise<{ code: number | undefined; logger: MemoryLogger }> {
  const logger = createMemoryLogger('info');
  const daemon = Daemon.create(readConfig(['--network', 'devnet', '--data-dir', dataDir, '--backup', to]), { logger });
  await daemon.start();
  const code = await daemon.finished;
  await daemon.stop();
  return { code, logger };
}

/** The digest of a backup that is put where a node has its database. */
async function restored(file: string): Promise<string> {
  const dataDir = suite.folder();
  mkdirSync(join(dataDir, 'devnet'));
  cpSync(file, databaseFile(join(dataDir, 'devnet')));
  return digestOf(dataDir, 'devnet');
}

test('backs up an idle data directory, and one whose node is running', async () => {
  const to = join(suite.folder(), 'idle.sqlite');
  const { code, logger } = await backup(data, to);
  expect(code).toBe(0);
  expect(logger.lines.join('\n')).toMatch(
    /Backing up .* MiB to [^]*The backup .* is complete: its top is block 720 \(/,
  );
  expect(readdirSync(dirname(to))).toEqual(['idle.sqlite', 'idle.sqlite-control']);
  expect(await restored(to)).toBe(wanted);

  const node = await suite.node({ from: data });
  const busy = join(suite.folder(), 'busy.sqlite');
  const made = backup(node.dataDir, busy);
  await node.daemon.parts.chain.rewindTo(715);
  expect((await made).code).toBe(0);
  await node.stop();
  expect([wanted, await digestOf(node.dataDir, 'devnet')]).toContain(await restored(busy));
});

test('refuses an unusable target or source before anything is written', async () => {
  const folder = suite.folder();
  const there = join(folder, 'there');
  writeFileSync(there, 'mine');
  for (const [dataDir, to, text] of [
    [data, there, `the backup failed: --backup: the file ${there} exists already and is not overwritten`],
    [data, join(folder, 'none', 'x'), `the backup failed: --backup: the folder ${join(folder, 'none')} does not exist`],
    [data, databaseFile(join(data, 'devnet')) + '-journal', '--backup: the database itself uses the name'],
    [suite.folder(), join(folder, 'x'), 'the backup failed: there is no chain database'],
  ] as const) {
    const { code, logger } = await backup(dataDir, to);
    expect(code).toBe(1);
    expect(logger.linesOf('fatal').join('\n')).toContain(text);
  }
  expect(readdirSync(folder)).toEqual(['there']);
  expect(() => readConfig(['--backup', ''])).toThrow('--backup: a file is expected');
  expect(() => readConfig(['--backup', 'x', '--verify'])).toThrow('choose one of');
});

test('a stop ends it and leaves no file', async () => {
  const to = join(suite.folder(), 'stopped.sqlite');
  const logger = createMemoryLogger('info');
  const daemon = Daemon.create(readConfig(['--network', 'devnet', '--data-dir', data, '--backup', to]), { logger });
  await daemon.start();
  await daemon.stop();
  expect(await daemon.finished).toBe(1);
  expect(logger.lines.join('\n')).toContain('Stopped before the backup was complete; no file was left');
  expect(readdirSync(dirname(to))).toEqual([]);
});

test('a killed backup leaves no incomplete file under its name, and the next one removes the remains', async () => {
  const to = await killBackups(data, suite.folder(), [400, 700]);
  expect(existsSync(to)).toBe(true);
  expect(statSync(to).size).toBeGreaterThan(0);
  expect(await restored(to)).toBe(wanted);
});
