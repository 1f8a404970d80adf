import { resolve } from 'node:path';
import { encodeAddress } from '@wrkz/core-types';
import { generateKeyPair } from '@wrkz/crypto';
import { ReconnectDelay, MINER_OPTIONS, readMinerConfig } from '../src';
import { HashRate, hashesPerSecondText } from '../src/hash-rate';
import { nodeEndpoint } from '../src/node-rpc';
import { StatusLine } from '../src/status-line';
import { poolEndpoint } from '../src/pool-connection';
import { jobWork, targetDifficulty } from '../src/stratum-source';

const address = encodeAddress({ spendPublic: generateKeyPair().publicKey, viewPublic: generateKeyPair().publicKey });

describe('options', () => {
  const read = (...args: string[]) => readMinerConfig(['--address', address, ...args]);

  test('default: mines with the node on this machine', () => {
    const { from, options, threads } = read();
    expect(from).toEqual({ kind: 'solo', node: { baseURL: 'http://127.0.0.1:17856' } });
    expect(threads).toBeGreaterThan(0);
    expect(options).toMatchObject({ blocks: 0, 'poll-interval': 2, 'rig-id': '', 'log-level': '3' });
  });

  test('each option is in the configuration', () => {
    expect(read('--stratum', 'pool:3333').from).toEqual({ kind: 'stratum', pool: { host: 'pool', port: 3333 } });
    expect(read('--daemon', '/run/wrkz.sock').from).toMatchObject({ node: { socketPath: '/run/wrkz.sock' } });
    expect(read('--threads', '3').threads).toBe(3);
    const { options, secrets } = read('--access-token', 'hush-hush', '--rig-id', 'cellar', '--blocks', '2');
    expect(secrets).toContain('hush-hush');
    expect(options).toMatchObject({ 'rig-id': 'cellar', blocks: 2 });
    expect(MINER_OPTIONS.map(({ name }) => name)).toHaveLength(13);
  });

  it.each([
    [['--address', 'x'], /--address: .*wrong length/],
    [['--daemon', 'ftp://x'], /--daemon: "ftp:\/\/x" is not the address of a node/],
    [['--stratum', 'pool'], /--stratum: "pool" is not host:port/],
    [['--stratum', 'p:1', '--daemon', 'http://x'], /use either --stratum or --daemon/],
    [['--threads', '-1'], /--threads/],
    [['--poll-interval', '0'], /--poll-interval/],
  ])('%p is refused', (args, text) => {
    expect(() => readMinerConfig(['--address', address, ...args])).toThrow(text);
  });

  test('the address is required', () => expect(() => readMinerConfig([])).toThrow('--address'));
});

test.each([
  ['http://h:1/', { baseURL: 'http://h:1' }],
  ['h:17856', { baseURL: 'http://h:17856' }],
  ['https://h/rpc', { baseURL: 'https://h/rpc' }],
  ['@wrkz', { baseURL: 'http://localhost', socketPath: '\0wrkz' }],
  ['ipc:///run/s', { baseURL: 'http://localhost', socketPath: '/run/s' }],
  ['ipc://./s', { baseURL: 'http://localhost', socketPath: resolve('s') }],
])('the node %s', (text, endpoint) => expect(nodeEndpoint(text)).toEqual(endpoint));

test.each([
  ['127.0.0.1:17858', { host: '127.0.0.1', port: 17858 }],
  ['stratum+tcp://pool.example:3333', { host: 'pool.example', port: 3333 }],
  ['[::1]:5', { host: '::1', port: 5 }],
])('the server %s', (text, endpoint) => expect(poolEndpoint(text)).toEqual(endpoint));

test.each(['', 'pool', ':5', 'pool:0', 'pool:99999', 'http://p:5', 'user@p:5', 'p:5/x'])(
  '%p is not the address of a server',
  (text) => expect(() => poolEndpoint(text)).toThrow(RangeError),
);

describe('target difficulty', () => {
  it.each([
    ['ffffffffffffffff', 1n],
    ['ffffffffffffff7f', 2n],
    ['9999999999999919', 10n],
    ['0100000000000000', 2n ** 64n - 1n],
    ['ffffffff', 1n],
    ['b88d0600', 10_000n],
  ])('%s', (target, difficulty) => {
    expect(targetDifficulty(target)).toBe(difficulty);
  });

  test('is calculated from the target', () => {
    for (let difficulty = 1n; difficulty < 2n ** 32n; difficulty = difficulty * 3n + 1n) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE((2n ** 64n - 1n) / difficulty);
      expect(targetDifficulty(bytes.toString('hex'))).toBe(difficulty);
    }
  });

  test('invalid jobs are refused', () => {
    const job = { blob: '00'.repeat(76), job_id: '1', target: 'ffffffff', height: 1, algo: 'cn/upx2' };
    const submit = async (): Promise<void> => undefined;
    expect(jobWork(job, submit)).toMatchObject({ algorithm: 'cn_upx', nonceOffset: 39, height: 1 });
    expect(jobWork({ ...job, algo: undefined }, submit).algorithm).toBe('cn_upx');
    for (const change of [
      { algo: 'rx/0' },
      { blob: '00'.repeat(42) },
      { blob: '0' },
      { target: '00000000' },
      { target: 'ff' },
    ]) {
      expect(() => jobWork({ ...job, ...change }, submit)).toThrow();
    }
  });
});

test('reconnect delays double up to 30 s, with jitter, and a success resets them', () => {
  const reconnectDelay = new ReconnectDelay(() => 1);
  expect(Array.from({ length: 7 }, () => reconnectDelay.next())).toEqual([1000, 2000, 4000, 8000, 16000, 30000, 30000]);
  reconnectDelay.reset();
  expect(reconnectDelay.next()).toBe(1000);
  expect(new ReconnectDelay(() => 0).next()).toBe(500);
});

test('the hash rate is averaged over ten seconds', () => {
  const time = { now: 0 };
  const rate = new HashRate(() => time.now);
  expect(rate.perSecond()).toBe(0);
  for (let second = 1; second <= 30; second++) {
    time.now = second * 1000;
    rate.add(second <= 20 ? 1_000n : 500n);
    rate.perSecond();
  }
  expect(rate.perSecond()).toBe(500);
  expect(rate.total).toBe(25_000n);
  expect([hashesPerSecondText(950), hashesPerSecondText(12_340), hashesPerSecondText(2_500_000)]).toEqual([
    '950 H/s',
    '12.34 kH/s',
    '2.50 MH/s',
  ]);
});

describe('status line', () => {
  afterEach(() => jest.useRealTimers());

  const stream = (isTTY: boolean) => {
    const written: string[] = [];
    return { written, stream: { isTTY, columns: 20, write: (text: string) => written.push(text) } as never };
  };

  test('is redrawn each second below log lines, cut to the width of the terminal', () => {
    jest.useFakeTimers();
    const { written, stream: terminal } = stream(true);
    const line = new StatusLine({ stream: terminal, write: () => undefined, text: () => 'x'.repeat(50) });
    line.start();
    jest.advanceTimersByTime(1_000);
    const drawn = `\r\x1b[2K${'x'.repeat(19)}`;
    expect(written).toEqual([drawn]);
    line.above(() => written.push('news'));
    expect(written.slice(1)).toEqual(['\r\x1b[2K', 'news', drawn]);
    line.stop();
    expect(written.at(-1)).toBe('\r\x1b[2K');
    expect(jest.getTimerCount()).toBe(0);
  });

  test('is logged each minute without a terminal', () => {
    jest.useFakeTimers();
    const { written, stream: pipe } = stream(false);
    const lines: string[] = [];
    const line = new StatusLine({ stream: pipe, write: (text) => lines.push(text), text: () => 'now' });
    line.start();
    jest.advanceTimersByTime(120_000);
    line.above(() => undefined);
    line.stop();
    expect(lines).toEqual(['now', 'now']);
    expect(written).toEqual([]);
  });
});
