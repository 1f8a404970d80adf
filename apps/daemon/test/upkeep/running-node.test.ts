import { statSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile, openChainDb, verifyChain } from '@wrkz/chain-db';
import { createMemoryLogger, type MemoryLogger } from '@wrkz/service-kit';
import { chainA, Suite } from '@wrkz/testing';
import { readConfig } from '../../src/config/config';
import { Daemon } from '../../src/daemon';
import { exercises } from '../support/exercises';
import { consoleAt } from './console-at';

exercises('skip-boot-compaction');

/* The maintenance of a whole node, by console commands. */

const loggers: MemoryLogger[] = [];
const suite = new Suite((args) => {
  const logger = createMemoryLogger('info');
  loggers.push(logger);
  return Daemon.create(readConfig(args), { logger });
});
afterAll(() => suite.stopAll());

const lines = (): readonly string[] => loggers.at(-1)?.lines ?? [];

test('compacts at the start and on the console, while it serves requests', async () => {
  const from = await suite.chainA();
  const socket = join(suite.folder(), 'node.sock');
  const node = await suite.node({ from, args: ['--rpc-ipc-path', socket, '--enable-metrics'] });
  const say = consoleAt(socket);
  const directory = join(node.dataDir, 'devnet');
  await say('compact_db wait');
  expect(await say('compact_db status')).toBe('DB compaction status: idle\nLast result: completed successfully\n');

  const { chain } = node.daemon.parts;
  await chain.rewindTo(100);
  const before = statSync(databaseFile(directory)).size;
  expect(await say('compact_db force')).toContain('DB compaction started in background.');
  const waited = say('compact_db wait');
  const readable = openChainDb({ directory, network: 'devnet', readonly: true });
  expect(readable.reader.rawBlock(50)).toBeDefined();
  readable.close();
  // Blocks are accepted between two slices.
  const added = await chain.addBlocks(chainA().slice(101, 121), 'sync');
  expect(added.map(({ code }) => code)).toEqual(Array.from({ length: 20 }, () => 'ADDED_TO_MAIN'));
  expect(await waited).toBe('Waiting for DB compaction to complete...\nDB compaction completed.\n');
  expect(await say('compact_db status')).toContain('Last result: completed successfully\n');
  expect(lines().join('\n')).toMatch(/the database was compacted.*freedPages/);
  expect(statSync(databaseFile(directory)).size).toBeLessThan(before / 2);

  expect(await say('db_status')).toMatch(
    /Free Pages[^]*Log Size[^]*Disk Free[^]*Compaction: idle\nScrub: no damage[^]*\nWriting: Yes\n/,
  );
  const metrics = await (await fetch(`http://127.0.0.1:${String(node.daemon.ports.rpc)}/metrics`)).text();
  for (const line of ['writes_paused 0', 'compaction_running 0', 'compactions_total{result="completed"} 2']) {
    expect(metrics).toContain(`wrkz_${line}\n`);
  }
  expect(metrics).toMatch(/^wrkz_db_bytes [1-9]\d+$/m);
  await node.stop();
  const { problems, height, digest } = await verifyChain({ directory, network: 'devnet' });
  expect({ problems, height }).toEqual({ problems: [], height: 120 });
  const twin = await suite.node({ from });
  await twin.daemon.parts.chain.rewindTo(120);
  expect(digest).toBe(await twin.digest());
});

test('does not compact at the start with --skip-boot-compaction', async () => {
  const node = await suite.node({ from: await suite.chainA(), args: ['--skip-boot-compaction'] });
  await node.stop();
  expect(lines().join('\n')).not.toContain('compact');
});
