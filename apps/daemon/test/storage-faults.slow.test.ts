import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChainReader, openChainDb } from '@wrkz/chain-db';
import { chainAWallet, TestNodeClient } from '@wrkz/testing';
import { newSuite } from './network/daemons';
import { send } from './rpc/support/recorded';
import { startReader } from './serve-rpc/support/reader';
import { digestOf, engineBench } from './support/engine';
import { DaemonProcess } from './support/process';
import { temporaryDirectory } from './support/temporary';
import { consoleAt } from './upkeep/console-at';

/* A daemon in its own process that is suspended, or whose system clock is set. */

const suite = newSuite();
const miner = chainAWallet('alice').address;
afterAll(() => suite.stopAll());

interface Node {
  readonly directory: string;
  readonly socket: string;
  readonly process: DaemonProcess;
  readonly client: TestNodeClient;
}

async function startNode(args: readonly string[] = [], hook?: string): Promise<Node> {
  const cwd = temporaryDirectory();
  const socket = join(cwd, 'node.sock');
  const ports = ['--rpc-bind-port', '0', '--p2p-bind-ip', '127.0.0.1', '--p2p-bind-port', '0', '--no-zmq'];
  const peers = ['--add-exclusive-node', '127.0.0.1:1', '--rpc-ipc-path', socket, '--no-console'];
  const all = ['--network', 'devnet', '--data-dir', cwd, '--log-file', '/dev/null', ...ports, ...peers, ...args];
  const process = new DaemonProcess(all, cwd, hook);
  suite.closeAtEnd({
    close: async () => {
      process.kill('SIGKILL');
      await process.ended;
    },
  });
  const [, url = ''] = await process.prints(/RPC at (http:\/\/127\.0\.0\.1:\d+)/);
  return { directory: cwd, socket, process, client: new TestNodeClient(url) };
}

function reading<T>(directory: string, work: (reader: ChainReader) => T): T {
  const db = openChainDb({ directory: join(directory, 'devnet'), network: 'devnet', readonly: true });
  try {
    return work(db.reader);
  } finally {
    db.close();
  }
}

/** Stops the node and compares its state with a twin that was given the same blocks without a fault. */
async function expectTwin({ directory, process }: Node): Promise<void> {
  process.kill('SIGTERM');
  expect((await process.ended).code).toBe(0);
  const twin = engineBench('devnet');
  await twin.engine.addBlocks(
    reading(directory, (reader) => reader.rawBlocks(1, Infinity)),
    'import',
  );
  expect(await digestOf(join(directory, 'devnet'), 'devnet')).toBe(await twin.digest());
}

test('readers respond while the daemon is suspended, and it continues afterwards', async () => {
  const node = await startNode();
  const reader = suite.closeAtEnd(
    await startReader({ dataDir: node.directory, socket: node.socket, args: ['--node-timeout', '1'] }),
  );
  const get = (path: string) => send(reader.url, { method: 'GET', path, body: null });
  await node.client.generate(miner, 20);
  for (let round = 0; round < 12; round++) {
    const before = reading(node.directory, (db) => db.height());
    const mined = node.client.generate(miner, 30);
    // The moment is another one in each round: within proofs of work, commits and checkpoints.
    while (reading(node.directory, (db) => db.height()) < before + 2 * round) await get('/height');
    node.process.kill('SIGSTOP');
    const height = reading(node.directory, (db) => db.height());
    const blocks = reading(node.directory, (db) => db.rawBlocks(0, Infinity)).length;
    expect(blocks).toBe(height + 1);
    const body = JSON.stringify({ startHeight: 1, blockCount: 5 });
    for (let request = 0; request < 10; request++) {
      const raw = await send(reader.url, { method: 'POST', path: '/getrawblocks', body });
      expect([(await get('/info')).status, raw.status]).toEqual([200, 200]);
    }
    if (round % 5 === 0) expect((await get('/peers')).status).toBe(503);
    expect(reading(node.directory, (db) => db.height())).toBe(height);
    node.process.kill('SIGCONT');
    expect(await mined).toHaveLength(30);
    expect(reading(node.directory, (db) => db.height())).toBe(before + 30);
  }
  await expectTwin(node);
});

test('blocks, events, scrub and compaction continue when the system clock is set by hours, and no event is deleted', async () => {
  const folder = temporaryDirectory();
  const offset = join(folder, 'offset');
  const hook = join(folder, 'hook.cjs');
  writeFileSync(offset, '0');
  appendFileSync(
    hook,
    `const { now } = Date;
     const { readFileSync } = require('node:fs');
     Date.now = () => now() + Number(readFileSync(${JSON.stringify(offset)}, 'latin1'));`,
  );
  const args = [
    '--events-during-sync',
    '--events-keep',
    '1',
    '--scrub-hours',
    '1',
    '--auto-compaction-min-gap-blocks',
    '1',
  ];
  const node = await startNode(args, hook);
  const say = consoleAt(node.socket);
  const { latest } = await node.client.get<{ latest: number }>('/events');
  for (const hours of [0, 5, -5, -50, 0]) {
    writeFileSync(offset, String(hours * 3_600_000));
    // In the past of each of these clocks.
    const timestamp = Math.floor(Date.now() / 1000) - 7 * 86_400;
    expect(await node.client.generate(miner, 10, { timestamp })).toHaveLength(10);
    await say('compact_db start');
    await say('compact_db wait');
    expect(await say('compact_db status')).toContain('Last result: completed successfully');
    expect(await say('db_status')).toContain('Scrub: no damage');
  }
  const { events } = await node.client.get<{ events: { time: number }[] }>(
    `/events?topics=block&limit=1000&after=${String(latest)}`,
  );
  expect(events).toHaveLength(50);
  const hours = events.map(({ time }) => Math.round((time - (events[0]?.time ?? 0)) / 3_600_000));
  expect([...new Set(hours)]).toEqual([0, 5, -5, -50]);
  await expectTwin(node);
});
