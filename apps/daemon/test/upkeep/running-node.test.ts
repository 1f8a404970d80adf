import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openChainDb, verifyChain } from '@wrkz/chain-db';
import { createMemoryLogger, type MemoryLogger } from '@wrkz/service-kit';
import { Suite } from '@wrkz/testing';
import { readConfig } from '../../src/config/config';
import { Daemon } from '../../src/daemon';
import { exercises } from '../support/exercises';
import { consoleAt } from './console-at';

exercises('skip-boot-compaction');
jest.setTimeout(120_000);

/* The upkeep of a whole node, asked for on its console. */

const loggers: MemoryLogger[] = [];
const suite = new Suite((args) => {
  const logger = createMemoryLogger('info');
  loggers.push(logger);
  return Daemon.create(readConfig(args), { logger });
});
afterAll(() => suite.stopAll());

const lines = (): readonly string[] => loggers.at(-1)?.lines ?? [];

test('it compacts at the start and on the console, also by a rewrite, while it answers; a marker that is left is told', async () => {
  const from = await suite.chainA();
  const socket = join(suite.folder(), 'node.sock');
  const node = await suite.node({ from, args: ['--rpc-ipc-path', socket, '--enable-metrics'] });
  const say = consoleAt(socket);
  const directory = join(node.dataDir, 'devnet');
  await say('compact_db wait');
  expect(await say('compact_db status')).toBe('DB compaction status: idle\nLast result: completed successfully\n');
  expect(await say('compact_db force')).toContain('DB compaction started in background.');
  let longest = 0;
  const reader = openChainDb({ directory, network: 'devnet', readonly: true });
  const waited = say('compact_db wait');
  let over = false;
  void waited.then(() => (over = true));
  while (!over) {
    const begin = performance.now();
    expect(reader.reader.rawBlock(700)).toBeDefined();
    longest = Math.max(longest, performance.now() - begin);
    await new Promise((turn) => setImmediate(turn));
  }
  reader.close();
  expect(longest).toBeLessThan(1000);
  expect(await waited).toBe('Waiting for DB compaction to complete...\nDB compaction completed.\n');
  expect(await say('compact_db status')).toContain('Last result: completed successfully\n');
  expect(await say('db_status')).toMatch(
    /Free Pages[^]*Log Size[^]*Disk Free[^]*Compaction: idle\nScrub: no damage[^]*\nWriting: Yes\n/,
  );
  const metrics = await (await fetch(`http://127.0.0.1:${String(node.daemon.ports.rpc)}/metrics`)).text();
  for (const line of ['writes_paused 0', 'compaction_running 0', 'compactions_total{result="completed"} 2']) {
    expect(metrics).toContain(`wrkz_${line}\n`);
  }
  expect(metrics).toMatch(/^wrkz_db_bytes [1-9]\d+$/m);
  await node.daemon.parts.chain.rewindTo(719);
  await node.stop();
  expect(existsSync(join(directory, '.compact_db_in_progress'))).toBe(false);
  expect(lines().join('\n')).not.toContain('Detected unfinished');
  expect((await verifyChain({ directory, network: 'devnet' })).problems).toEqual([]);

  writeFileSync(join(directory, '.compact_db_in_progress'), '');
  const skips = await suite.node({ from: node.dataDir, args: ['--skip-boot-compaction'] });
  await skips.stop();
  expect(existsSync(join(skips.dataDir, 'devnet', '.compact_db_in_progress'))).toBe(true);
  expect(lines().join('\n')).not.toContain('Detected unfinished');
  const again = await suite.node({ from: node.dataDir });
  expect(lines().join('\n')).toContain(
    'Detected unfinished DB compaction marker from previous run. Restarting DB compaction in background.',
  );
  await again.stop();
});
