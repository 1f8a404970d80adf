import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChainReader, ChainWriter, CorruptDatabase, damageIn, databaseFile, KeyImageSpent } from '@wrkz/chain-db';
import { Checkpoints } from '@wrkz/consensus';
import { networkOf, parseTransaction } from '@wrkz/core-types';
import { createMemoryLogger, createMetrics } from '@wrkz/service-kit';
import { SqliteConnection } from '@wrkz/sqlite';
import { chainA, Forge, TestWallet } from '@wrkz/testing';
import { readConfig } from '../src/config/config';
import { Daemon } from '../src/daemon';
import { DamageWatch } from '../src/damage/damage-watch';
import { checkChainEntry } from '../src/p2p/sync/chain-entry';
import { P2pChain } from '../src/wiring/p2p-ports';
import { newSuite } from './network/daemons';
import { engineBench, type EngineBench, NOW } from './support/engine';
import { temporaryDirectory } from './support/temporary';

/*
 * A disk changes stored data. Requests get an error, the log contains the remedy, and no peer that delivered a
 * block or a transaction gets points (docs/protocol/lessons.md#damage-that-looks-like-an-invalid-block).
 */

const REMEDY = /What to do: run with --verify/;

/** The first block of chain A with a key input, and that input. */
const SPENDER = chainA().findIndex(({ transactions }) => transactions.length > 0);
const spending = chainA()[SPENDER]?.transactions[0];
if (spending === undefined) throw new Error('chain A spends nothing');
const keyImages = parseTransaction(spending).transaction.inputs.flatMap((input) =>
  input.type === 'key' ? [input.keyImage] : [],
);

/** Changes one bit of these bytes. */
function flipBit(file: string, bytes: Buffer): void {
  const content = readFileSync(file);
  const at = content.indexOf(bytes);
  if (at < 0) throw new Error('the bytes are not in the file');
  content.writeUInt8(content.readUInt8(at + 20) ^ 4, at + 20);
  writeFileSync(file, content);
}

/** Overwrites the head of the page that holds these bytes. */
function damagePage(file: string, bytes: Buffer): void {
  const PAGE = 8192;
  const content = readFileSync(file);
  const at = content.indexOf(bytes);
  if (at < 0) throw new Error('the bytes are not in the file');
  content.fill(0xff, at - (at % PAGE), at - (at % PAGE) + 8);
  writeFileSync(file, content);
}

/** Flips a bit in the last page of a table. */
function damageTable(file: string, table: string): void {
  const connection = new SqliteConnection(file, { readonly: true });
  const page = connection
    .prepare<[string], [number]>('SELECT max(pageno) FROM dbstat WHERE name = ?')
    .raw(true)
    .get(table)?.[0];
  connection.close();
  const content = readFileSync(file);
  const at = (page ?? 0) * 8192 - 100;
  content.writeUInt8(content.readUInt8(at) ^ 1, at);
  writeFileSync(file, content);
}

afterEach(() => jest.restoreAllMocks());

describe('a key image that is only in the tables', () => {
  async function below(options: Parameters<typeof engineBench>[1] = {}): Promise<EngineBench> {
    const bench = engineBench('devnet', options);
    await bench.engine.addBlocks(chainA().slice(1, SPENDER), 'import');
    expect(bench.engine.tip().height).toBe(SPENDER - 1);
    return bench;
  }

  it('rejects no block outside of the checkpoint zone because of a table that contradicts the rules', async () => {
    const bench = await below();
    jest.spyOn(ChainWriter.prototype, 'append').mockImplementation(() => {
      throw new KeyImageSpent(keyImages[0]!, SPENDER, 3);
    });
    const adding = bench.engine.addBlocks(chainA().slice(SPENDER, SPENDER + 1), 'sync');
    await expect(adding).rejects.toThrow(/looked up as unspent is spent \(block \d+ spends .*What to do/);
    jest.restoreAllMocks();
    await bench.digest();
  });

  it.each([['in the checkpoint zone', 10_000] as const, ['outside of it', -1] as const])(
    'reports damage instead of rejecting the block if other tables contradict it: %s',
    async (_, highest) => {
      const known = highest < 0 ? Checkpoints.none : new Checkpoints(new Map([[highest, Buffer.alloc(32)]]));
      const bench = await below({ checkpoints: known });
      jest.spyOn(ChainWriter.prototype, 'append').mockImplementation(() => {
        throw new CorruptDatabase('what is stored contradicts a new block');
      });
      const adding = bench.engine.addBlocks(chainA().slice(SPENDER, SPENDER + 1), 'sync');
      await expect(adding).rejects.toThrow(REMEDY);
      jest.restoreAllMocks();
      await bench.digest();
    },
  );
});

describe('a chain entry of a peer that starts with unknown blocks', () => {
  it('is taken for another chain and gives no penalty', () => {
    const hashes = [1, 2, 3, 4].map((fill) => Buffer.alloc(32, fill));
    const chain = {
      isKnown: () => false,
      heightOf: () => undefined,
      hashes: (start: number, count: number) => hashes.slice(start, Math.min(start + count, 2)),
    };
    const entry = { startHeight: 1, totalHeight: 4, hashes: hashes.slice(1) };
    expect(checkChainEntry(entry, chain, () => undefined)).toEqual({ anchor: hashes[1], hashes: hashes.slice(2) });
  });
});

describe('a block that a reorganisation replaces', () => {
  it('is on a damaged page: the engine stops and reports the page and the remedy', async () => {
    const network = networkOf('simnet');
    const bench = engineBench('simnet');
    const forge = (fork: number, name: string): Forge =>
      new Forge(bench.reader.viewAt(fork), {
        network,
        timestamp: NOW - 1_000_000 + fork * 60,
        extraNonce: Buffer.from(name),
      });
    const main = await forge(0, 'main').many(10);
    await bench.engine.addBlocks(main, 'submit');
    const side = await forge(7, 'side').many(4);
    await bench.engine.stop();
    flipBit(databaseFile(bench.directory), main[8]!.block.subarray(0, 40));

    const again = engineBench('simnet', { directory: bench.directory });
    const failures: string[] = [];
    again.engine.on('failed', ({ message }) => failures.push(message));
    expect(() => again.reader.rawBlock(9)).toThrow(
      /chain.sqlite: page \d+ of block_bodies \(blocks 0 to 10\) does not fit its checksum/,
    );
    await expect(again.engine.addBlocks(side, 'sync')).rejects.toThrow(/: page \d+ does not fit its checksum/);
    expect(failures).toEqual([expect.stringMatching(/can no longer be written: .*run with --verify/) as string]);
    expect(again.engine.tip()).toMatchObject({ height: 10 });
  });
});

describe('damaged blocks requested by peers', () => {
  it('are not served, logged once, and counted each time', () => {
    const logger = createMemoryLogger();
    const metrics = createMetrics('wrkz_');
    let now = 0;
    const watch = new DamageWatch(logger, () => now);
    watch.publish(metrics);
    const reader = {
      cached: <T>(_key: string, read: () => T): T => read(),
      snapshot: <T>(read: () => T): T => read(),
      heightOf: () => 7,
      rawBlock: () => {
        throw new CorruptDatabase('block 7 hashes to something else');
      },
      transaction: () => ({ height: 7, position: 1, bytes: Buffer.from('other bytes') }),
      hashAt: () => {
        throw Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' });
      },
    };
    const chain = new P2pChain({} as never, reader as unknown as ChainReader, {} as never, watch);
    expect(chain.rawBlock(Buffer.alloc(32))).toBeUndefined();
    expect(chain.rawBlock(Buffer.alloc(32))).toBeUndefined();
    expect(chain.transaction(Buffer.alloc(32))).toBeUndefined();
    expect(() => chain.hashAt(0)).toThrow('malformed');
    expect(watch.total).toBe(4);
    const lines = (): string[] => logger.entries.map(({ message }) => message);
    expect(lines()).toEqual([
      expect.stringMatching(/block 7 hashes to something else. What to do: run with --verify/) as string,
      expect.stringMatching(/the bytes of transaction 0{64}. What to do/) as string,
      expect.stringMatching(/disk image is malformed. What to do/) as string,
    ]);
    now = 60_000;
    chain.rawBlock(Buffer.alloc(32));
    expect(lines()).toHaveLength(4);
    return expect(metrics.registry.metrics()).resolves.toMatch(/^wrkz_database_damage_total 5$/m);
  });

  it('are remembered up to 1000 log messages, so scanning many damaged blocks uses bounded memory', () => {
    const logger = createMemoryLogger();
    const watch = new DamageWatch(logger, () => 0);
    const note = (height: number): void => void watch.note(new CorruptDatabase(`block ${String(height)}`));
    for (let height = 0; height <= 1000; height++) note(height);
    note(1000);
    expect(logger.entries).toHaveLength(1001);
    note(0);
    expect(logger.entries).toHaveLength(1002);
  });

  it('are not confused with other errors', () => {
    const watch = new DamageWatch(createMemoryLogger());
    expect(() =>
      watch.orUndefined(() => {
        throw new TypeError('mine');
      }),
    ).toThrow('mine');
    expect(watch.total).toBe(0);
    expect(damageIn(Object.assign(new Error('full'), { code: 'SQLITE_FULL' }))).toBeUndefined();
    expect(damageIn(new Error('outer', { cause: new CorruptDatabase('inner') }))?.reason).toBe('inner');
  });
});

describe('a whole daemon', () => {
  it.each([
    ['bit', flipBit],
    ['page', damagePage],
  ])(
    'responds to a request for a block with a damaged %s with an error, logs the remedy, counts it, and serves other blocks',
    async (_, damage) => {
      const suite = newSuite();
      const source = await suite.chainA();
      damage(databaseFile(join(source, 'devnet')), chainA()[100]!.block.subarray(0, 40));
      const logger = createMemoryLogger('info');
      const args = ['--network', 'devnet', '--data-dir', source, '--rpc-bind-port', '0', '--p2p-bind-ip', '127.0.0.1'];
      const config = readConfig([
        ...args,
        '--p2p-bind-port',
        '0',
        '--enable-metrics',
        '--add-exclusive-node',
        '127.0.0.1:1',
      ]);
      const daemon = Daemon.create(config, { logger });
      await daemon.start();
      try {
        const url = `http://127.0.0.1:${String(daemon.ports.rpc)}`;
        const request = (path: string, body: object): Promise<Response> =>
          fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
        const damaged = await request('/getrawblocks', { startHeight: 95, blockCount: 20 });
        expect(damaged.status).toBe(503);
        expect(await damaged.json()).toEqual({
          status: 'Failed',
          error: expect.stringMatching(/^the chain database is damaged: .*What to do: run with --verify/) as string,
        });
        const wallet = await request('/getwalletsyncdata', { startHeight: 95, blockCount: 20 });
        expect([200, 503]).toContain(wallet.status);
        const sound = await request('/getrawblocks', { startHeight: 300, blockCount: 20 });
        expect(sound.status).toBe(200);
        expect(logger.entries.some(({ message }) => REMEDY.test(message))).toBe(true);
        const metrics = await (await fetch(`${url}/metrics`)).text();
        expect(metrics).toMatch(/^wrkz_database_damage_total [1-9]/m);
      } finally {
        await daemon.stop();
        await suite.stopAll();
      }
    },
  );

  it('stops adding blocks after damage, responds 503 with the reason, and serves intact data', async () => {
    const dataDir = temporaryDirectory();
    const args = ['--network', 'simnet', '--data-dir', dataDir, '--rpc-bind-port', '0', '--p2p-bind-ip', '127.0.0.1'];
    const more = ['--p2p-bind-port', '0', '--add-exclusive-node', '127.0.0.1:1', '--enable-health'];
    const logger = createMemoryLogger('info');
    const stops: (number | undefined)[] = [];
    const control = { requestStop: (code?: number): void => void stops.push(code) };
    const start = async (): Promise<Daemon> => {
      const daemon = Daemon.create(readConfig([...args, ...more]), { logger, control });
      await daemon.start();
      return daemon;
    };
    const call = async (daemon: Daemon, path: string, body?: object): Promise<{ status: number; body: unknown }> => {
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(`http://127.0.0.1:${String(daemon.ports.rpc)}${path}`, init);
      return { status: response.status, body: await response.json() };
    };
    const params = { wallet_address: new TestWallet('miner').address, count: 3 };
    const generate = { jsonrpc: '2.0', id: 1, method: 'generateblocks', params };
    const first = await start();
    await call(first, '/json_rpc', generate);
    await first.stop();

    damageTable(databaseFile(join(dataDir, 'simnet')), 'outputs');
    const daemon = await start();
    try {
      const refused = (await call(daemon, '/json_rpc', generate)).body as { error: { message: string } };
      expect(refused.error.message).toMatch(/page \d+ of outputs does not fit its checksum.*What to do/);
      const reason =
        /^(the chain database .*)?.*: page \d+( of \w+)? does not fit its checksum.*What to do: run with --verify/;
      for (const [path, body] of [
        ['/json_rpc', { ...generate, method: 'getblocktemplate', params: { ...params, reserve_size: 8 } }],
        ['/sendrawtransaction', { tx_as_hex: '00' }],
      ] as const) {
        expect({ path, ...(await call(daemon, path, body)) }).toEqual({
          path,
          status: 503,
          body: { status: 'Failed', error: expect.stringMatching(reason) as string },
        });
      }
      expect(await call(daemon, '/height')).toMatchObject({ status: 200, body: { height: 4 } });
      expect(await call(daemon, '/getrawblocks', { startHeight: 0, blockCount: 9 })).toMatchObject({ status: 200 });
      expect(await call(daemon, '/readyz')).toMatchObject({ body: { paused: 'the database is damaged' } });
      expect(stops).toEqual([]);
      expect(logger.entries.filter(({ message }) => /has stopped following the chain/.test(message))).toHaveLength(1);
    } finally {
      await daemon.stop();
    }
  });

  it.each<[string, (folder: string) => void]>([
    ['deleted', (folder) => rmSync(folder, { recursive: true })],
    ['moved', (folder) => renameSync(folder, `${folder}-elsewhere`)],
  ])('exits with an error when its folder is %s, and mines no further block', async (_, remove) => {
    const dataDir = temporaryDirectory();
    const args = ['--network', 'simnet', '--data-dir', dataDir, '--rpc-bind-port', '0', '--p2p-bind-ip', '127.0.0.1'];
    const config = readConfig([...args, '--p2p-bind-port', '0', '--add-exclusive-node', '127.0.0.1:1']);
    const logger = createMemoryLogger('info');
    let stop: (code: number | undefined) => void = () => undefined;
    const requested = new Promise<number | undefined>((resolve) => (stop = resolve));
    const daemon = Daemon.create(config, { logger, control: { requestStop: (code) => stop(code) } });
    await daemon.start();
    try {
      const mine = async (): Promise<{ result?: unknown; error?: { message: string } }> => {
        const params = { wallet_address: new TestWallet('miner').address, count: 1 };
        const response = await fetch(`http://127.0.0.1:${String(daemon.ports.rpc)}/json_rpc`, {
          method: 'POST',
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'generateblocks', params }),
        });
        return (await response.json()) as { result?: unknown; error?: { message: string } };
      };
      expect((await mine()).error).toBeUndefined();
      const { height } = daemon.parts.chain.tip();
      remove(join(dataDir, 'simnet'));
      expect(existsSync(join(dataDir, 'simnet'))).toBe(false);
      expect((await mine()).result).toBeUndefined();
      expect(await requested).toBe(1);
      expect(daemon.parts.chain.tip().height).toBe(height);
      expect(logger.entries.map(({ message }) => message).join('\n')).toMatch(
        /the daemon cannot continue: .*chain\.sqlite of the open chain database was removed or moved/,
      );
    } finally {
      await daemon.stop();
    }
  });

  it('exits with an error even without any request', async () => {
    const dataDir = temporaryDirectory();
    const args = ['--network', 'simnet', '--data-dir', dataDir, '--rpc-bind-port', '0', '--p2p-bind-ip', '127.0.0.1'];
    const config = readConfig([...args, '--p2p-bind-port', '0', '--add-exclusive-node', '127.0.0.1:1']);
    let stop: (code: number | undefined) => void = () => undefined;
    const requested = new Promise<number | undefined>((resolve) => (stop = resolve));
    const control = { requestStop: (code?: number) => stop(code) };
    const daemon = Daemon.create(config, { logger: createMemoryLogger('info'), control });
    await daemon.start();
    try {
      rmSync(join(dataDir, 'simnet', 'chain.sqlite'));
      expect(await requested).toBe(1);
    } finally {
      await daemon.stop();
    }
  });
});
