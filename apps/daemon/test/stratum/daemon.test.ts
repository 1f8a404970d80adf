import { createServer } from 'node:net';
import { once } from 'node:events';
import { powHash, searchNonce } from '@wrkz/crypto';
import { encodeAddress } from '@wrkz/core-types';
import { TestWallet, type SuiteNode, freePort } from '@wrkz/testing';
import { createMemoryLogger } from '@wrkz/service-kit';
import { readConfig } from '../../src/config/config';
import { Daemon } from '../../src/daemon';
import { newSuite } from '../network/daemons';
import { type JobMessage, RawMiner } from './support';
import { exercises } from '../support/exercises';

exercises('stratum-bind-port', 'stratum-bind-ip', 'stratum-share-difficulty', 'stratum-share-interval');
exercises('stratum-max-connections');

const address = encodeAddress(new TestWallet('stratum'));
const suite = newSuite();
const miners: RawMiner[] = [];
afterEach(async () => {
  for (const miner of miners.splice(0)) miner.leave();
  await suite.stopAll();
});

function connectTo({ daemon }: SuiteNode<Daemon>): RawMiner {
  const miner = new RawMiner(daemon.parts.stratum!.port);
  miners.push(miner);
  return miner;
}

/** The target as a miner reads it, and the nonce that our native search finds for it. */
async function solve(job: JobMessage): Promise<{ job_id: string; nonce: string; result: string }> {
  const target = Buffer.from(job.target, 'hex').readBigUInt64LE();
  const data = Buffer.from(job.blob, 'hex');
  expect({ algo: job.algo, bytes: data.length }).toEqual({ algo: 'cn/upx2', bytes: 76 });
  const found = await searchNonce({
    algorithm: 'cn_upx',
    data,
    nonceOffset: 39,
    nonceSize: 4,
    difficulty: (2n ** 64n - 1n) / target,
  });
  found!.nonceBytes.copy(data, 39);
  const hash = powHash('cn_upx', data);
  expect(hash).toEqual(found!.hash);
  expect(hash.readBigUInt64LE(24)).toBeLessThan(target);
  return { job_id: job.job_id, nonce: found!.nonceBytes.toString('hex'), result: hash.toString('hex') };
}

it('adds and immediately relays the blocks of a stratum miner under the current rules', async () => {
  const from = await suite.chainA();
  const first = await suite.node({ from, args: ['--stratum-bind-port', String(await freePort()), '--enable-metrics'] });
  const second = await suite.node({ from, peers: [first.p2pPort] });
  await second.untilConnections(1);
  const miner = connectTo(first);
  let job = await miner.login(address);
  const { height } = first;
  for (let i = 1; i <= 3; i++) {
    expect(job.height).toBe(height + i);
    expect((await miner.request('submit', await solve(job))).result).toEqual({ status: 'OK' });
    expect(first.height).toBe(height + i);
    await second.untilTip(first.tip);
    job = (await miner.next()).params!;
  }
  const text = await (await fetch(`${first.url}/metrics`)).text();
  expect(text).toContain(`wrkz_stratum_blocks_total{worker="${address}"} 3`);
  // A block from another node.
  await second.generate(address);
  expect((await miner.next()).params?.height).toBe(height + 5);
  expect(await second.digest()).toBe(await first.digest());
});

it('logs a warning if the port is in use, and the node continues without stratum', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const logger = createMemoryLogger('info');
  const node = Daemon.create(
    readConfig([
      ...['--network', 'devnet', '--data-dir', suite.folder(), '--log-file', '', '--stratum-bind-port', String(port)],
      ...['--rpc-bind-port', '0', '--p2p-bind-ip', '127.0.0.1', '--p2p-bind-port', '0'],
      ...['--add-exclusive-node', '127.0.0.1:1'],
    ]),
    { logger },
  );
  await node.start();
  expect(node.parts.stratum).toBeUndefined();
  expect(logger.linesOf('warning').join()).toMatch(/the stratum server is off: cannot listen on 127\.0\.0\.1/);
  await node.stop();
  server.close();
});

it('describes every option', () => {
  const read = (...args: string[]) => readConfig(args).options;
  expect(read()).toMatchObject({
    'stratum-bind-port': 0,
    'stratum-bind-ip': '127.0.0.1',
    'stratum-share-difficulty': 0,
    'stratum-share-interval': 0,
    'stratum-max-connections': 32,
  });
  expect(() => read('--stratum-bind-port', '65536')).toThrow('--stratum-bind-port');
  expect(() => read('--stratum-bind-ip', 'localhost')).toThrow('--stratum-bind-ip: an IP address is expected');
  expect(() => read('--stratum-share-difficulty', '-1')).toThrow('--stratum-share-difficulty');
  expect(() => read('--stratum-share-interval', '601')).toThrow('--stratum-share-interval');
  expect(() => read('--stratum-max-connections', 'x')).toThrow('--stratum-max-connections');
});

it('treats 0 connections as one, and applies the share options to jobs', async () => {
  const node = await suite.node({
    args: [
      ...['--stratum-bind-port', String(await freePort()), '--stratum-max-connections', '0'],
      ...['--stratum-share-difficulty', '4', '--stratum-share-interval', '60', '--stratum-bind-ip', '127.0.0.1'],
    ],
  });
  const miner = connectTo(node);
  expect((await miner.login(address)).target).toBe('ffffffffffffff3f');
  const other = connectTo(node);
  await other.closed;
  expect(other.received).toEqual([]);
  expect(node.daemon.parts.stratum?.host).toBe('127.0.0.1');
});
