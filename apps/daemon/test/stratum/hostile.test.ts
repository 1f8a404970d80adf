import type { Server } from 'node:net';
import { createMetrics } from '@wrkz/service-kit';
import { MAX_LINE_BYTES, MAX_NONCES, MAX_WORKERS, SHARE_GRACE, StratumBudgets } from '../../src/stratum/limits';
import { ShareHasher } from '../../src/stratum/shares';
import { StratumWorkers, workerName } from '../../src/stratum/workers';
import { type RawMiner, type StratumBench, stratumBench, WORST_HASH, ZERO_HASH } from './support';

let bench: StratumBench;
afterEach(() => bench.close());

const hard = { shareDifficulty: { fixed: 0n, interval: 0 } };

describe('lines', () => {
  beforeEach(async () => {
    bench = await stratumBench('simnet');
  });

  it.each([
    ['without an end', 'x'.repeat(MAX_LINE_BYTES + 1)],
    ['with an end', `{"a":"${'x'.repeat(MAX_LINE_BYTES)}"}\n`],
  ])('of more than 8192 bytes %s close the connection', async (_, text) => {
    const miner = bench.connect();
    miner.raw(text);
    await miner.closed;
    expect(miner.received).toEqual([]);
  });

  it('of exactly 8192 bytes are parsed', async () => {
    const miner = bench.connect();
    const frame = JSON.stringify({ id: 1, method: 'keepalive', pad: '' });
    miner.raw(`${frame.replace('""', `"${'x'.repeat(MAX_LINE_BYTES - frame.length)}"`)}\n`);
    expect((await miner.next()).result).toEqual({ status: 'KEEPALIVED' });
  });

  it('without an end close the connection after 30 s, although it trickles', async () => {
    const miner = bench.connect();
    await miner.login(bench.address);
    await bench.untilRead(miner, '{"id":1,');
    for (let i = 0; i < 3; i++) {
      expect(bench.server.connections).toHaveLength(1);
      await bench.untilRead(miner, ' ');
      bench.time.now += 10_000;
      bench.server.check();
    }
    await miner.closed;
    await bench.untilGone();
    expect(bench.logger.lines.join()).toContain('a line did not end');
  });

  it('each have 30 s, although the next one starts before the end of the last one', async () => {
    const miner = bench.connect();
    await miner.login(bench.address);
    await bench.untilRead(miner, '{"id":1,');
    for (let i = 0; i < 2; i++) {
      bench.time.now += 20_000;
      bench.server.check();
      expect(bench.server.connections.map(({ connection }) => connection.isOpen)).toEqual([true]);
      await bench.untilRead(miner, '"method":"keepalived"}\n{"id":1,');
      expect((await miner.next()).result).toEqual({ status: 'KEEPALIVED' });
    }
  });
});

describe('connections', () => {
  it('without a login are closed after a minute; those with one are not', async () => {
    bench = await stratumBench('simnet');
    const [idle, good] = [bench.connect(), bench.connect()];
    await idle.request('keepalive');
    await good.login(bench.address);
    bench.time.now += 59_000;
    bench.server.check();
    await idle.request('keepalive');
    bench.time.now += 1_000;
    bench.server.check();
    await idle.closed;
    await good.request('keepalive');
  });

  it('over the limit are closed without a response, and logged once', async () => {
    bench = await stratumBench('simnet', { maxConnections: 2 });
    for (const miner of [bench.connect(), bench.connect()]) await miner.login(bench.address);
    for (let i = 0; i < 5; i++) {
      const miner = bench.connect();
      await miner.closed;
      expect(miner.received).toEqual([]);
    }
    expect(bench.logger.linesOf('warning')).toHaveLength(1);
  });

  it('without a login are evicted for others', async () => {
    bench = await stratumBench('simnet', { maxConnections: 2 });
    const idlers = [bench.connect(), bench.connect()];
    for (const idler of idlers) await idler.request('keepalive');
    bench.time.now += 2_000;
    await bench.connect().login(bench.address);
    await Promise.race(idlers.map(({ closed }) => closed));
    expect(bench.server.connections).toHaveLength(2);
  });

  /** Logs in from an address; undefined if the connection is refused. */
  function loginFrom(): (address: string) => Promise<RawMiner | undefined> {
    let host = '';
    const { server } = bench.server as unknown as { server: Server };
    server.prependListener('connection', (socket) => Object.defineProperty(socket, 'remoteAddress', { value: host }));
    return async (address) => {
      host = address;
      const miner = bench.connect();
      return miner.login(bench.address).then(
        () => miner,
        () => undefined,
      );
    };
  }

  it('are evicted only for an address with fewer connections, if miners only submit blocks', async () => {
    bench = await stratumBench('simnet', { maxConnections: 4 });
    const login = loginFrom();
    for (const address of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) expect(await login(address)).toBeDefined();
    bench.time.now += SHARE_GRACE;
    // These miners are accepted: a block is too rare to prove anything.
    expect(await login('203.0.113.1')).toBeDefined();
    expect(await login('203.0.113.1')).toBeUndefined();
    expect(await login('203.0.113.2')).toBeUndefined();
    expect(await login('127.0.0.1')).toBeUndefined();
    expect(await login('198.51.100.1')).toBeUndefined();
    expect(bench.server.connections.filter(({ connection }) => connection.isOpen)).toHaveLength(4);
  });

  it('of an address with several are evicted for another address, if miners only submit blocks', async () => {
    bench = await stratumBench('simnet', { maxConnections: 4 });
    const login = loginFrom();
    const miners = [await login('198.51.100.1'), await login('203.0.113.1'), await login('203.0.113.1')];
    expect(await login('203.0.113.1')).toBeDefined();
    bench.time.now += SHARE_GRACE - 1;
    expect(await login('198.51.100.2')).toBeUndefined();
    bench.time.now += 1;
    expect(await login('198.51.100.2')).toBeDefined();
    await miners[1]!.closed;
    expect(await login('203.0.113.1')).toBeUndefined();
    expect((await miners[0]!.request('keepalive')).error).toBeNull();
  });

  it('without shares are evicted for other miners, after a grace period and although they reconnect', async () => {
    bench = await stratumBench('simnet', { maxConnections: 32, shareDifficulty: { fixed: 1n, interval: 0 } });
    const login = loginFrom();
    const share = async (miner: RawMiner, nonce: string): Promise<void> => {
      const job = (await miner.request('getjob')).result;
      expect((await miner.request('submit', { job_id: job?.job_id, nonce })).error).toBeNull();
    };
    bench.state.compute = async () => WORST_HASH;
    const working = (await login('198.51.100.1'))!;
    for (let i = 0; i < 31; i++) expect(await login(`203.0.113.${(i % 2) + 1}`)).toBeDefined();
    expect(await login('198.51.100.2')).toBeUndefined();
    bench.time.now += SHARE_GRACE - 1;
    await share(working, '00000000');
    expect(await login('198.51.100.2')).toBeUndefined();
    bench.time.now += 1;
    const late = (await login('198.51.100.2'))!;
    expect(late).toBeDefined();
    // Evicted miners reconnect immediately, which does not extend their grace period.
    bench.time.now += 1000;
    await login('203.0.113.1');
    expect(await login('198.51.100.3')).toBeDefined();
    await share(working, '00000001');
    await share(late, '00000000');
    expect(bench.server.connections).toHaveLength(32);
  });

  it('closed during a share leave nothing behind', async () => {
    bench = await stratumBench('devnet', hard);
    const miner = bench.connect();
    const { job_id } = await miner.login(bench.address);
    let begun = (): void => undefined;
    const hashing = new Promise<void>((resolve) => (begun = resolve));
    let finish = (): void => undefined;
    bench.state.compute = () => {
      begun();
      return new Promise((resolve) => (finish = () => resolve(WORST_HASH)));
    };
    miner.send({ id: 1, method: 'submit', params: { job_id, nonce: '00000000' } });
    await hashing;
    const other = bench.connect();
    const job = await other.login(bench.address);
    other.send({ id: 1, method: 'submit', params: { job_id: job.job_id, nonce: '00000000' } });
    miner.leave();
    finish();
    await new Promise<void>((resolve) => (begun = resolve));
    finish();
    expect((await other.next()).error?.message).toBe('Low difficulty share');
  });

  it('closed before a pipelined login do not count as a connection of its worker', async () => {
    let hold = Promise.resolve();
    let release = (): void => undefined;
    bench = await stratumBench(
      'simnet',
      {},
      {
        body: async () => {
          await hold;
          return bench.miner.body();
        },
      },
    );
    const miner = bench.connect();
    await miner.login(bench.address);
    hold = new Promise((resolve) => (release = resolve));
    await bench.mine(1);
    const [client] = bench.server.connections;
    const second = { id: 1, method: 'login', params: { login: bench.address, rigid: 'second' } };
    await bench.untilRead(miner, `${JSON.stringify(second)}\n`);
    miner.leave();
    await bench.untilGone();
    release();
    await client?.idle();
    expect(bench.server.workers.list().map(({ connections }) => connections)).toEqual([0]);
  });

  it('a stop waits for the block that is being submitted', async () => {
    let release = (): void => undefined;
    let begun = (): void => undefined;
    const handing = new Promise<void>((resolve) => (begun = resolve));
    bench = await stratumBench(
      'simnet',
      {},
      {
        add: async (block) => {
          begun();
          await new Promise<void>((resolve) => (release = resolve));
          return bench.miner.add(block);
        },
      },
    );
    const miner = bench.connect();
    const { job_id } = await miner.login(bench.address);
    miner.send({ id: 1, method: 'submit', params: { job_id, nonce: '00000000' } });
    await handing;
    const stopped = bench.server.stop();
    release();
    await stopped;
    expect(bench.reader.tip().height).toBe(1);
  });
});

describe('a miner that does not read', () => {
  it('is disconnected when 64 messages are queued or a write is blocked for 30 s', async () => {
    bench = await stratumBench('simnet');
    const miner = bench.connect();
    await miner.login(bench.address);
    miner.pause();
    // Enough to fill the socket buffers: then responses wait, and the server stops reading from it.
    const line = `${JSON.stringify({ id: 'x'.repeat(8000), method: 'keepalive' })}\n`;
    for (let i = 0; i < 900; i++) miner.raw(line);
    await bench.untilBlocked();
    bench.time.now += 30_000;
    bench.server.check();
    await bench.untilGone();
    expect(bench.logger.lines.join()).toMatch(/a write was blocked|it does not read|exceeds the rate limit/);
  });
});

describe('floods', () => {
  it('of ten thousand logins are mostly refused, and data shared by templates is computed once', async () => {
    let bodies = 0;
    bench = await stratumBench('simnet', {}, { body: () => (bodies++, bench.miner.body()) });
    let logins = 0;
    for (let connections = 0; connections < 5; connections++) {
      const miner = bench.connect();
      for (let i = 0; i < 2_000; i++) miner.send({ id: i, method: 'login', params: { login: bench.address } });
      await miner.closed;
      logins += miner.received.filter(({ result }) => result?.status === 'OK').length;
    }
    await bench.untilGone();
    // 1,000 points at 21 each, on a connection with a stopped clock.
    expect(logins).toBeGreaterThan(100);
    expect(logins).toBeLessThanOrEqual(5 * 48);
    expect(bodies).toBe(1);
    expect(bench.server.workers.list()).toMatchObject([{ connections: 0 }]);
  });

  it('of invalid shares are hashed a few dozen times, then the connection closes', async () => {
    bench = await stratumBench('devnet', hard);
    let hashed = 0;
    bench.state.compute = async () => (hashed++, WORST_HASH);
    const miner = bench.connect();
    const { job_id } = await miner.login(bench.address);
    for (let i = 0; i < 1_000; i++) {
      const nonce = Buffer.alloc(4);
      nonce.writeUInt32LE(i);
      miner.send({ id: i, method: 'submit', params: { job_id, nonce: nonce.toString('hex') } });
    }
    await miner.closed;
    expect(hashed).toBeGreaterThan(20);
    expect(hashed).toBeLessThan(60);
    expect(bench.server.workers.list()[0]?.shares.rejected).toBe(hashed);
  });

  it('of duplicate nonces and unknown jobs are never hashed', async () => {
    bench = await stratumBench('devnet', { shareDifficulty: { fixed: 1n, interval: 0 } });
    let hashed = 0;
    bench.state.compute = async () => (hashed++, WORST_HASH);
    const miner = bench.connect();
    const { job_id } = await miner.login(bench.address);
    for (let i = 0; i < 500; i++) miner.send({ id: i, method: 'submit', params: { job_id, nonce: '00000000' } });
    await miner.closed;
    expect(hashed).toBe(1);
  });

  it('of valid shares cost no points in any number', async () => {
    bench = await stratumBench('devnet', { shareDifficulty: { fixed: 1n, interval: 0 } });
    bench.state.compute = async () => WORST_HASH;
    const miner = bench.connect();
    const { job_id } = await miner.login(bench.address);
    for (let i = 0; i < 3_000; i++) {
      const nonce = Buffer.alloc(4);
      nonce.writeUInt32LE(i);
      miner.send({ id: i, method: 'submit', params: { job_id, nonce: nonce.toString('hex') } });
    }
    await miner.until(({ id }) => id === 2_999);
    expect(bench.server.workers.list()[0]?.shares.accepted).toBe(3_000);
    expect(MAX_NONCES).toBeGreaterThan(3_000);
  });
});

describe('penalty points of an address', () => {
  beforeEach(async () => {
    bench = await stratumBench('simnet');
  });

  it('outlive its connections; loopback has none; an IPv6 /64 is one address', () => {
    const time = { now: 0 };
    const budgets = new StratumBudgets(() => time.now);
    const drain = (host: string): number => {
      let connections = 0;
      for (let budget = budgets.enter(host); budget !== undefined && connections < 50; budget = budgets.enter(host)) {
        connections += 1;
        while (budget.take(21));
        budget.release();
      }
      return connections;
    };
    expect(drain('203.0.113.5')).toBeLessThan(10);
    expect(drain('203.0.113.6')).toBeGreaterThan(2);
    expect(drain('2001:db8::1')).toBeLessThan(10);
    expect(budgets.enter('2001:db8::2')?.take(500)).not.toBe(true);
    expect(drain('127.0.0.1')).toBe(50);
    time.now += 60_000;
    expect(budgets.enter('203.0.113.5')?.take(500)).toBe(true);
  });

  it('a second connection of an address does not reset the time without a share', () => {
    const time = { now: 0 };
    const budgets = new StratumBudgets(() => time.now);
    const first = budgets.enter('203.0.113.5');
    time.now += SHARE_GRACE;
    const second = budgets.enter('203.0.113.5');
    expect(second?.silentSince()).toBe(0);
    first?.release();
    second?.release();
    time.now += SHARE_GRACE;
    expect(budgets.enter('203.0.113.5')?.silentSince()).toBe(2 * SHARE_GRACE);
  });

  it('are stored for a bounded number of addresses', () => {
    const budgets = new StratumBudgets(() => 0);
    const held = budgets.enter('198.51.100.1');
    for (let i = 0; i < 20_000; i++) budgets.enter(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`)?.release();
    expect(budgets.size).toBeLessThanOrEqual(10_000);
    expect(budgets.connectionsOf('198.51.100.1')).toBe(1);
    held?.release();
  });
});

describe('workers', () => {
  beforeEach(async () => {
    bench = await stratumBench('simnet');
  });

  it('with any number of names use bounded memory, and a name cannot break a metrics label', () => {
    const workers = new StratumWorkers(() => 0, createMetrics('other_'));
    for (let i = 0; i < 10_000; i++) workers.leave(workers.enter('W', `rig${i}`));
    expect(workers.list().length).toBeLessThanOrEqual(MAX_WORKERS);
    const held = Array.from({ length: 300 }, (_, i) => workers.enter('W', `busy${i}`));
    expect(workers.list().length).toBeLessThanOrEqual(MAX_WORKERS + 1);
    workers.countShare(held.at(-1)!, 'accepted', 5n);
    expect(held.at(-1)?.name).toBe('others');
    expect(workerName('W', 'a"b\n{}\u001b[2J'.repeat(9))).toMatch(/^W\/[A-Za-z0-9._-]{32}$/);
  });

  it('are distinguished in the metrics', async () => {
    const miner = bench.connect();
    const { job_id } = await miner.login(bench.address, { rigid: 'cellar' });
    await miner.request('submit', { job_id, nonce: '00000000' });
    const text = await bench.metrics.registry.metrics();
    expect(text).toContain(`wrkz_stratum_shares_total{worker="${bench.address}/cellar",outcome="accepted"} 1`);
    expect(text).toContain(`wrkz_stratum_blocks_total{worker="${bench.address}/cellar"} 1`);
    expect(text).toContain('wrkz_stratum_connections 1');
  });
});

describe('hashing', () => {
  beforeEach(async () => {
    bench = await stratumBench('simnet');
  });

  it('serves addresses round-robin, and skips obsolete shares', async () => {
    const order: string[] = [];
    let finish: (() => void)[] = [];
    const hasher = new ShareHasher(1, (_, data) => {
      order.push(data.toString());
      return new Promise((resolve) => finish.push(() => resolve(ZERO_HASH)));
    });
    const { signal } = new AbortController();
    const gone = new AbortController();
    const requested = [
      ...['a1', 'a2', 'a3'].map((name) => hasher.hash('a', 'cn_upx', Buffer.from(name), signal)),
      hasher.hash('b', 'cn_upx', Buffer.from('b1'), signal),
    ];
    const left = hasher.hash('c', 'cn_upx', Buffer.from('c1'), gone.signal);
    gone.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    while (order.length < 4) {
      await new Promise(setImmediate);
      for (const end of finish) end();
      finish = [];
    }
    for (const end of finish) end();
    await Promise.all(requested);
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3']);
    expect(hasher.waiting).toBe(0);
  });
});
