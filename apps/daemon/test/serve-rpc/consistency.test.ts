import { once } from 'node:events';
import { cpSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile, openChainDb } from '@wrkz/chain-db';
import { createMemoryLogger } from '@wrkz/service-kit';
import type { SqliteDatabase } from '@wrkz/sqlite';
import { chainAWallet, TestNodeClient } from '@wrkz/testing';
import type { SeenCommit } from '../../src/serve-rpc/chain-source';
import { newSuite } from '../network/daemons';
import { send } from '../rpc/support/recorded';
import { DaemonProcess } from '../support/process';
import { temporaryDirectory } from '../support/temporary';
import { nodeWithReader, type NodeWithReader, type RunningReader, startReader } from './support/reader';

/* A reader beside a node that reorganizes, is killed, restarts, has a new chain, or is of a newer version. */

const suite = newSuite();
const miner = chainAWallet('alice').address;
let imported: string;

beforeAll(async () => {
  imported = await suite.chainA();
});
afterAll(() => suite.stopAll());

type Info = Record<string, unknown> & { readonly height: number; readonly top_block_hash: string };

const infoOf = async (url: string): Promise<Info> =>
  JSON.parse((await send(url, { method: 'GET', path: '/info', body: null })).text) as Info;
const post = (url: string, path: string, body: object) =>
  send(url, { method: 'POST', path, body: JSON.stringify(body) });
/** How soon it is seen is measured in bench/readers. */
const PATIENCE = 300_000;
const nextCommit = async (reader: RunningReader): Promise<SeenCommit> => {
  const [seen] = (await once(reader.service.source, 'commit', { signal: AbortSignal.timeout(PATIENCE) })) as [
    SeenCommit,
  ];
  return seen;
};

describe('a chain that changes', () => {
  let node: NodeWithReader['node'];
  let reader: RunningReader;

  beforeAll(async () => {
    ({ node, reader } = await nodeWithReader(suite, { from: imported, args: ['--enable-metrics'] }));
  });

  test('applies a reorganisation, and never returns a cached response of the old branch', async () => {
    const range = { startHeight: 500, blockCount: 20, skipCoinbaseTransactions: false };
    const before = await post(reader.url, '/getwalletsyncdata', range);
    await post(reader.url, '/getwalletsyncdata', range);
    const kept = async (): Promise<string> =>
      (await send(reader.url, { method: 'GET', path: '/metrics', body: null })).text;
    expect(await kept()).toMatch(/^wrkz_rpc_sync_cache_hits_total 1$/m);

    const seen = nextCommit(reader);
    await node.daemon.parts.chain.rewindTo(505);
    expect((await seen).kind).toBe('switch');
    expect(await infoOf(reader.url)).toMatchObject({ height: 506, top_block_hash: node.tip });
    const [grown] = await node.generate(miner, 220);
    const after = await post(reader.url, '/getwalletsyncdata', range);
    expect(after.text).toBe((await post(node.url, '/getwalletsyncdata', range)).text);
    expect(after.text).toContain(grown);
    expect(after.text).not.toBe(before.text);
  });

  test('responds with the new chain immediately after a commit', async () => {
    for (let round = 0; round < 5; round++) {
      await node.daemon.parts.chain.rewindTo(node.height - 1);
      const range = { startHeight: 480, blockCount: 20, skipCoinbaseTransactions: false };
      expect((await infoOf(reader.url)).top_block_hash).toBe(node.tip);
      expect((await post(reader.url, '/getwalletsyncdata', range)).text).toBe(
        (await post(node.url, '/getwalletsyncdata', range)).text,
      );
    }
  });

  test('responds alike during VACUUM', async () => {
    const range = { startHeight: 100, blockCount: 5 };
    const before = await post(reader.url, '/getrawblocks', range);
    const { dataDir } = node;
    await node.stop();
    changeUnder(join(dataDir, 'devnet'), 'VACUUM');
    await until(async () => (await post(reader.url, '/getrawblocks', range)).text === before.text);
  });

  test('ends with an error text on tables of a newer version', async () => {
    const { dataDir, folder, socket } = stopped();
    const logger = createMemoryLogger();
    const ended = new Promise<number | undefined>((resolve) => {
      void startReader({ dataDir, socket, logger, requestStop: resolve }).then((reader) => {
        suite.closeAtEnd(reader);
        changeUnder(
          folder,
          'BEGIN; CREATE TABLE of_tomorrow (id INTEGER PRIMARY KEY); PRAGMA user_version = 9999; COMMIT',
        );
      });
    });
    expect(await ended).toBe(1);
    expect(logger.lines.join('\n')).toMatch(
      /has schema version 9999, this program reads \d+: it was written by a newer/,
    );
  });

  test('is read without a write: neither a lock nor a byte of the database changes', async () => {
    const { dataDir, folder, socket } = stopped();
    const bytes = readFileSync(databaseFile(folder));
    const control = readFileSync(`${databaseFile(folder)}-control`);
    const reader = await startReader({ dataDir, socket });
    expect((await infoOf(reader.url)).height).toBe(721);
    await post(reader.url, '/getrawblocks', { startHeight: 1, blockCount: 50 });
    await reader.close();
    expect(readFileSync(databaseFile(folder)).equals(bytes)).toBe(true);
    expect(readFileSync(`${databaseFile(folder)}-control`).equals(control)).toBe(true);
  });
});

/** Changes the database as a node does: the control file counts the commit. */
function changeUnder(directory: string, sql: string): void {
  const db = openChainDb({ directory, network: 'devnet' });
  const database = Reflect.get(db, 'database') as SqliteDatabase;
  database.connection.exec(sql);
  database.committed();
  db.close();
}

/** The data of a stopped node. */
function stopped(): { readonly dataDir: string; readonly folder: string; readonly socket: string } {
  const dataDir = suite.folder();
  cpSync(imported, dataDir, { recursive: true });
  return { dataDir, folder: join(dataDir, 'devnet'), socket: join(suite.folder(), 'nobody.sock') };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const limit = AbortSignal.timeout(PATIENCE);
  while (!(await holds())) {
    limit.throwIfAborted();
    await new Promise((later) => setTimeout(later, 20));
  }
}

describe('a reader of a node in another process', () => {
  const READY = /RPC at (http:\/\/127\.0\.0\.1:\d+)/;
  const cwd = temporaryDirectory();
  const socket = join(cwd, 'node.sock');
  let reader: RunningReader | undefined;
  let node: DaemonProcess;
  let client: TestNodeClient;

  async function start(...more: string[]): Promise<void> {
    const ports = ['--rpc-bind-port', '0', '--p2p-bind-ip', '127.0.0.1', '--p2p-bind-port', '0', '--no-zmq'];
    const peers = ['--add-exclusive-node', '127.0.0.1:1', '--rpc-ipc-path', socket, '--no-console'];
    node = new DaemonProcess(['--network', 'devnet', '--data-dir', cwd, ...ports, ...peers, ...more], cwd);
    const [, url = ''] = await node.prints(READY);
    client = new TestNodeClient(url);
  }

  const url = (): string => reader?.url ?? '';
  const peers = async (): Promise<number> => (await send(url(), { method: 'GET', path: '/peers', body: null })).status;
  const log = (): string => `${databaseFile(join(cwd, 'devnet'))}-wal`;

  beforeAll(async () => {
    await start();
    await client.generate(miner, 20);
    reader = await startReader({ dataDir: cwd, socket });
  });
  afterAll(async () => {
    node.kill('SIGKILL');
    await node.ended;
    await reader?.close();
  });

  test('continues after a kill of the node, and reports the network as unknown', async () => {
    expect(await infoOf(url())).toMatchObject({ height: 21, synced: true, network_height: 21 });
    node.kill('SIGKILL');
    await node.ended;
    await until(async () => (await infoOf(url())).synced === false);
    expect(await infoOf(url())).toMatchObject({ height: 21, network_height: 1, tx_pool_size: 0, status: 'OK' });
    expect(await peers()).toBe(503);
    expect((await post(url(), '/getrawblocks', { startHeight: 1, blockCount: 5 })).status).toBe(200);
  });

  test('reads new blocks after a restart of the node, and forwards requests again', async () => {
    await start();
    await client.generate(miner, 3);
    await until(async () => (await infoOf(url())).synced === true);
    expect((await infoOf(url())).height).toBe(24);
    expect(await peers()).toBe(200);
  });

  test('reads on after a clean stop, which leaves an empty log', async () => {
    const { ino } = statSync(log());
    node.kill('SIGTERM');
    expect(await node.ended).toMatchObject({ code: 0 });
    expect(statSync(log())).toMatchObject({ ino, size: 0 });
    expect((await infoOf(url())).height).toBe(24);
    await start();
    await client.generate(miner, 2);
    await until(async () => (await infoOf(url())).height === 26);
    expect(statSync(log()).ino).toBe(ino);
  });

  test('opens the new files after a resync', async () => {
    node.kill('SIGTERM');
    await node.ended;
    await start('--resync');
    await until(async () => (await infoOf(url())).height === 1);
    const [, top] = await client.generate(miner, 2);
    expect(await infoOf(url())).toMatchObject({ height: 3, top_block_hash: top });
    expect((await post(url(), '/getrawblocks', { startHeight: 1, blockCount: 5 })).text).toBe(
      JSON.stringify(await client.post('/getrawblocks', { startHeight: 1, blockCount: 5 })),
    );
  });
});
