import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openChainDb } from '@wrkz/chain-db';
import { readConfig } from '../../src';
import { mapsPort } from '../../src/p2p/port-mapping/port-mapping';
import { peersConfig } from '../../src/wiring/peers';
import { daemonLogger } from '../../src/wiring/logger';
import { databaseMemory } from '../../src/wiring/storage';
import { readerThreads } from '../../src/rpc';
import { Bans } from '../../src/p2p/limits/bans';
import { PeerStore } from '../../src/p2p/peers/state-file';
import { BatchSize } from '../../src/p2p/sync/batch-size';
import { exercises } from '../support/exercises';
import { temporaryDirectory } from '../support/temporary';

exercises(
  'ban-list',
  'in-peers',
  'out-peers',
  'sync-max-peers',
  'sync-peer-failure-threshold',
  'sync-batch-min',
  'sync-batch-max',
);
exercises(
  'block-sync-size',
  'block-sync-bytes',
  'p2p-reset-peerstate',
  'p2p-external-port',
  'hide-my-port',
  'proxy',
  'max-upload',
);
exercises('allow-local-ip', 'no-default-seeds', 'p2p-bind-ip', 'resync');
exercises('db-read-buffer-size', 'db-write-buffer-size', 'db-threads');
exercises('log-level', 'log-file', 'log-max-size', 'log-max-files', 'log-format');

const MIB = 1024 * 1024;

describe('peers', () => {
  it.each([
    ['in-peers=3', { inPeers: 3 }],
    ['ban-list=a.txt', { banLists: ['a.txt'] }],
    ['out-peers=4', { outPeers: 4 }],
    ['sync-max-peers=5', { syncMaxPeers: 5 }],
    ['sync-peer-failure-threshold=6', { syncPeerFailureThreshold: 6 }],
    ['sync-batch-min=7', { syncBatchMin: 7 }],
    ['sync-batch-max=800', { syncBatchMax: 800 }],
    ['block-sync-size=9', { blockSyncSize: 9 }],
    ['block-sync-bytes=4194304', { blockSyncBytes: 4 * MIB }],
    ['p2p-reset-peerstate', { resetState: true }],
    ['resync', { resetState: true }],
    ['p2p-external-port=5000', { externalPort: 5000 }],
    ['hide-my-port', { hidePort: true }],
    ['proxy=127.0.0.1:9050', { hidePort: true, proxy: { host: '127.0.0.1', port: 9050 } }],
    ['proxy=[::1]', { hidePort: true, proxy: { host: '::1', port: 1080 } }],
    ['max-upload=5000000', { maxUpload: 5_000_000 }],
    ['allow-local-ip', { allowLocal: true }],
    ['p2p-bind-ip=127.0.0.1', { bindHost: '127.0.0.1' }],
    ['no-default-seeds', { seeds: [], dnsSeeds: [] }],
  ])('--%s reaches the peer options, and no other option changes', (option, changed) => {
    const usual = peersConfig(readConfig([]));
    const reported = peersConfig(readConfig([`--${option}`]));
    expect(reported).toMatchObject(changed);
    expect({ ...reported, ...usual, ...changed }).toEqual({ ...usual, ...changed });
    for (const name of Object.keys(usual) as (keyof typeof usual)[]) {
      if (!(name in changed) && typeof usual[name] !== 'function')
        expect([name, reported[name]]).toEqual([name, usual[name]]);
    }
  });

  it('a node behind a proxy announces its port only if it is configured, and requests no port mapping', () => {
    const config = readConfig(['--proxy=127.0.0.1', '--p2p-external-port=5000']);
    expect(peersConfig(config)).toMatchObject({ hidePort: false, externalPort: 5000 });
    expect(mapsPort(readConfig([]))).toBe(true);
    expect(mapsPort(config)).toBe(false);
  });

  it.each(['localhost:9050', '127.0.0.1:0', 'http://127.0.0.1:1080', '[::1'])('refuses the proxy %s', (proxy) => {
    expect(() => peersConfig(readConfig([`--proxy=${proxy}`]))).toThrow(/--proxy: .* is not an IP address and port/);
  });

  it('the defaults are the documented ones', () => {
    expect(peersConfig(readConfig([]))).toMatchObject({
      ...{ inPeers: 15, outPeers: 15, syncMaxPeers: 3, syncPeerFailureThreshold: 2, syncBatchMin: 120 },
      ...{ syncBatchMax: 600, blockSyncSize: 600, blockSyncBytes: 16 * MIB, resetState: false },
    });
  });

  it('one request is limited to the maximum number of blocks', () => {
    const limits = { syncBatchMin: 120, syncBatchMax: 600, blockSyncBytes: 16 * MIB };
    const batch = new BatchSize({ ...limits, blockSyncSize: 200 });
    for (let i = 0; i < 10; i++) batch.note(100, 100_000, 10);
    expect(batch.count).toBe(200);
    expect(new BatchSize({ ...limits, blockSyncSize: 1 }).count).toBe(1);
  });

  it('a reset deletes the own peer id and the peer lists, and retains the bans', async () => {
    const file = join(temporaryDirectory(), 'peers.json');
    const peer = { host: '192.0.2.1', port: 5, id: 1n, lastSeen: 5 };
    const store = (own: { peerId: bigint }, known: unknown[]) => {
      const bans = new Bans(
        () => 0,
        () => 1000,
      );
      const book = {
        restore: ({ white }: { white: readonly unknown[] }) => known.push(...white),
        bucketKey: Buffer.alloc(32),
        whiteEntries: () => [peer],
        grayEntries: () => [],
      };
      const parts = {
        own,
        book,
        bans,
        logger: { warning: () => undefined },
        called: () => [{ host: '192.0.2.1', port: 5 }],
      };
      return { bans, store: new PeerStore(file, parts as unknown as ConstructorParameters<typeof PeerStore>[1]) };
    };
    const before = store({ peerId: 7n }, []);
    before.bans.restore([{ host: '192.0.2.9', until: 5000 }]);
    await before.store.save();
    const known: unknown[] = [];
    const own = { peerId: 8n };
    const after = store(own, known);
    expect(await after.store.restore(true)).toEqual([]);
    expect([own.peerId, known, after.bans.list().length]).toEqual([8n, [], 1]);
    expect(await after.store.restore()).toHaveLength(1);
    expect([own.peerId, known.length]).toEqual([7n, 1]);
  });
});

describe('the database', () => {
  it('the defaults are unchanged', () => {
    expect(databaseMemory(readConfig([]).options)).toEqual({
      readerCache: 32 * MIB,
      walLimit: 64 * MIB,
      checkpointAt: 32 * MIB,
    });
    expect(readerThreads(readConfig([]).options['db-threads'])).toBe(readerThreads());
  });

  it('accepts the minimum and large values', () => {
    for (const size of ['1', '4096']) {
      const { options } = readConfig([`--db-read-buffer-size=${size}`, `--db-write-buffer-size=${size}`]);
      const memory = databaseMemory(options);
      // Each setting is read back from SQLite when the database is opened.
      const directory = temporaryDirectory();
      openChainDb({ directory, network: 'devnet', memory }).close();
    }
  });

  it('always has two reader threads or more, so that a long query leaves one for short queries', () => {
    expect(readerThreads(readConfig(['--db-threads=1']).options['db-threads'])).toBe(2);
  });
});

describe('the log', () => {
  it('is written to a file, is rotated, and has the configured level and format', async () => {
    const folder = temporaryDirectory();
    const argv = ['--log-level=3', '--log-file', join(folder, 'a.log'), '--log-max-size=1', '--log-max-files=2'];
    const config = readConfig(['--network=devnet', '--log-format=json', ...argv]);
    const stdout = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const logger = daemonLogger(config, [process.stdout]);
    logger.debug('not this one');
    for (let i = 0; i < 6000; i++) logger.info(`${String(i)} ${'x'.repeat(500)}`);
    await logger.close();
    stdout.mockRestore();
    expect(readdirSync(folder).sort()).toEqual(['a.log', 'a.log.1', 'a.log.2']);
    const newest = readFileSync(join(folder, 'a.log'), 'utf8').trimEnd().split('\n');
    expect(JSON.parse(newest.at(-1) ?? '')).toMatchObject({ level: 'info', message: expect.stringMatching(/^5999 /) });
    expect(newest.join('')).not.toContain('not this one');
  });

  it('levels have the numbers of the other programs', () => {
    const stdout = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const levels = ['fatal', 'error', 'warning', 'info', 'debug', 'trace'];
    const found = levels.map((_, i) => daemonLogger(readConfig([`--log-level=${String(i)}`, '--log-file=']), []).level);
    stdout.mockRestore();
    expect(found).toEqual(levels);
    expect(readConfig([]).options['log-level']).toBe('2');
    expect(() => readConfig(['--log-level=6'])).toThrow('expected a level 0 to 5');
  });
});
