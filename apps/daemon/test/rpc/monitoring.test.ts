import { createMemoryLogger, createMetrics } from '@wrkz/service-kit';
import { type RpcContext, type RpcServerOptions, startRpcServer } from '../../src/rpc';
import { RPC_DEFAULTS } from './support/defaults';
import { locked, node } from './support/provocations';

/* Monitoring (docs/operations/rpc.md#monitoring). */

let synchronized = true;
const peers = {
  isSynchronized: () => synchronized,
  networkHeight: () => 105,
  observedHeight: () => 105,
  connections: () => ({ incoming: 3, outgoing: 4 }),
  peerListSizes: () => ({ white: 5, gray: 6 }),
  seedCount: () => 0,
  lastSeedBootstrap: () => 0,
  sync: () => ({ activePeers: 2, averageBatchSize: 0, demotedPeers: 0 }),
} as unknown as RpcContext['peers'];
const tip = { height: 100, hash: Buffer.alloc(32), timestamp: 0, majorVersion: 7, minorVersion: 0 };
const context = node(
  {
    peers,
    storage: { prune: false, pruneDepth: 400 },
    nextDifficulty: () => 600n,
    heavierBranch: () => undefined,
    startTime: 1_700_000_000,
    pool: { size: 8 } as RpcContext['pool'],
  },
  {
    tip: () => tip as never,
    transactionCount: () => 111,
    alternativeCount: () => 9,
    floors: () => ({ bodies: 0, records: 0, lite: undefined }),
  },
);

async function responsesOf(
  requested: RpcContext,
  paths: readonly string[],
  options: Partial<RpcServerOptions> = {},
): Promise<[number, string][]> {
  const all = { ...RPC_DEFAULTS, bindIp: '127.0.0.1', port: 0, maxRpm: 0, health: true, ...options };
  const server = await startRpcServer(requested, all, createMemoryLogger());
  try {
    const result: [number, string][] = [];
    for (const path of paths) {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
      result.push([response.status, await response.text()]);
    }
    return result;
  } finally {
    await server.close();
  }
}

const parsed = (all: readonly [number, string][]): unknown => all.map(([status, text]) => [status, JSON.parse(text)]);

describe('health', () => {
  const PATHS = ['/health', '/livez', '/readyz'];
  afterEach(() => (synchronized = true));

  test('is ready on a synchronized node', async () => {
    const facts = { synced: true, height: 101, network_height: 105, peers: 7 };
    expect(parsed(await responsesOf(context, PATHS))).toEqual([
      [200, { status: 'OK', ...facts }],
      [200, { status: 'OK' }],
      [200, { status: 'OK', ...facts }],
    ]);
  });

  test('is not ready on a node that received no block for 30 minutes', async () => {
    const facts = { synced: true, height: 101, network_height: 105, peers: 7 };
    const stale = { ...context, peers: { ...peers, isTipStale: () => true } };
    expect(parsed(await responsesOf(stale, ['/health', '/readyz']))).toEqual([
      [200, { status: 'OK', ...facts }],
      [503, { status: 'UNAVAILABLE', ...facts, stale_tip: true }],
    ]);
  });

  test('is not ready on a node that synchronizes', async () => {
    synchronized = false;
    const facts = { synced: false, height: 101, network_height: 105, peers: 7 };
    expect(parsed(await responsesOf(context, PATHS))).toEqual([
      [503, { status: 'SYNCING', ...facts }],
      [200, { status: 'OK' }],
      [503, { status: 'UNAVAILABLE', ...facts }],
    ]);
  });

  test('is not ready on a node that cannot read its chain', async () => {
    expect(parsed(await responsesOf(locked(), PATHS))).toEqual([
      [503, { status: 'BUSY', synced: false }],
      [200, { status: 'OK' }],
      [503, { status: 'UNAVAILABLE', synced: false }],
    ]);
  });

  test('requires the token for the detailed response', async () => {
    const statuses = (await responsesOf(context, PATHS, { accessToken: 'k' })).map(([status]) => status);
    expect(statuses).toEqual([401, 200, 200]);
  });
});

describe('metrics', () => {
  const sample = (text: string, name: string): string | undefined =>
    new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1];
  const STATE: Readonly<Record<string, string>> = {
    wrkz_height: '101',
    wrkz_network_height: '105',
    wrkz_blocks_behind: '4',
    wrkz_synchronized: '0',
    wrkz_difficulty: '600',
    wrkz_transactions: '10',
    wrkz_pool_transactions: '8',
    wrkz_alternative_blocks: '9',
    'wrkz_connections{direction="incoming"}': '3',
    'wrkz_connections{direction="outgoing"}': '4',
    'wrkz_peerlist_size{list="white"}': '5',
    'wrkz_peerlist_size{list="grey"}': '6',
    wrkz_sync_active_peers: '2',
    wrkz_block_major_version: '7',
    wrkz_start_time_seconds: '1700000000',
  };

  test('contain the state of the node under the names of the network', async () => {
    const [[, text] = [0, '']] = await responsesOf(context, ['/metrics'], { metrics: createMetrics('wrkz_') });
    expect(sample(text, 'wrkz_info_available')).toBe('1');
    expect(Object.fromEntries(Object.keys(STATE).map((name) => [name, sample(text, name)]))).toEqual(STATE);
    for (const name of ['wrkz_height', 'wrkz_rpc_requests_total']) {
      expect(text).toMatch(new RegExp(`^# HELP ${name} .+\n# TYPE ${name} (gauge|counter)$`, 'm'));
    }
  });

  test('omit the chain state while the chain cannot be read', async () => {
    const looks = [false, true, false];
    const snapshot = <T>(read: () => T): T => (looks.shift() === true ? locked().reader.snapshot(read) : read());
    const changing = { ...context, reader: { ...context.reader, snapshot } as RpcContext['reader'] };
    const scrapes = await responsesOf(changing, ['/metrics', '/metrics', '/metrics'], {
      metrics: createMetrics('wrkz_'),
    });
    const reported = scrapes.map(
      ([, text]) => Object.keys(STATE).filter((name) => sample(text, name) !== undefined).length,
    );
    const all = Object.keys(STATE).length;
    expect(reported).toEqual([all, 0, all]);
    expect(scrapes.map(([, text]) => sample(text, 'wrkz_info_available'))).toEqual(['1', '0', '1']);
  });

  test('count responses by class, and the bytes of the cache', async () => {
    const syncCache = { figures: { bytes: 1000, entries: 2, hits: 3, misses: 4 } };
    const metrics = createMetrics('wrkz_');
    const paths = ['/fee', '/none', '/openapi.json', '/metrics'];
    const all = await responsesOf(context, paths, { metrics, syncCache });
    const text = all.at(-1)?.[1] ?? '';
    expect(
      [
        'wrkz_rpc_requests_total',
        'wrkz_rpc_responses_total{class="ok"}',
        'wrkz_rpc_responses_total{class="client_error"}',
        'wrkz_rpc_responses_total{class="server_error"}',
        'wrkz_rpc_gzip_responses_total',
        'wrkz_rpc_sync_cache_bytes',
        'wrkz_rpc_sync_cache_entries',
        'wrkz_rpc_sync_cache_hits_total',
        'wrkz_rpc_sync_cache_misses_total',
      ].map((name) => sample(text, name)),
    ).toEqual(['4', '2', '1', '0', '1', '1000', '2', '3', '4']);
  });
});
