import { request } from 'node:http';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parseBlock, parseTransaction } from '@wrkz/core-types';
import { createMemoryLogger, type MemoryLogger } from '@wrkz/service-kit';
import { chainA, Suite } from '@wrkz/testing';
import { readConfig } from '../../src/config/config';
import type { ChainClient } from '../../src/chain/client';
import { Daemon } from '../../src/daemon';
import { COMMANDS } from '../../src/console/commands';

interface Got {
  readonly status: number;
  readonly text: string;
}

function post(socketPath: string, body: string, headers: Record<string, string> = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(
      { socketPath, path: '/console', method: 'POST', agent: false, headers },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    clientRequest.on('error', reject);
    clientRequest.end(body);
  });
}

/* The commands of one node that has chain A, over its local socket. */

const loggers: MemoryLogger[] = [];
const stops: (number | undefined)[] = [];
/** Lines for the operator do not belong into the output of the tests. */
const discarded = (): NodeJS.WriteStream => new PassThrough().resume() as unknown as NodeJS.WriteStream;
const suite = new Suite((args) => {
  const logger = createMemoryLogger('warning');
  loggers.push(logger);
  return Daemon.create(readConfig(args), {
    logger,
    stream: discarded(),
    control: { requestStop: (code) => stops.push(code) },
  });
});
afterAll(() => suite.stopAll());

let socket: string;
let node: Awaited<ReturnType<typeof suite.node>>;
let logger: MemoryLogger | undefined;

beforeAll(async () => {
  socket = join(suite.folder(), 'node.sock');
  node = await suite.node({ from: await suite.chainA(), args: ['--rpc-ipc-path', socket] });
  logger = loggers.at(-1);
});

async function run(command: string): Promise<string> {
  const { status, text } = await post(socket, JSON.stringify({ command }));
  expect([command, status]).toEqual([command, 200]);
  return (JSON.parse(text) as { output: string }).output;
}

const blocks = chainA();
const hashAt = (height: number): string => parseBlock(blocks[height]!.block).hash.toString('hex');

test('only the owner can open the socket; it serves the TCP routes, and TCP does not serve its own', async () => {
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  const { port, url } = { port: node.daemon.ports.rpc, url: `http://127.0.0.1:${node.daemon.ports.rpc}` };
  expect(port).toBeGreaterThan(0);
  const body = JSON.stringify({ command: 'height' });
  for (const headers of [{}, { 'x-api-key': 'any' }, { authorization: 'Bearer any' }]) {
    const refused = await fetch(`${url}/console`, { method: 'POST', body, headers: headers as Record<string, string> });
    expect([refused.status, await refused.text()]).toEqual([404, '']);
  }
});

test.each([
  ['{}', 400, "Missing JSON parameter: 'command'"],
  ['{"command":7}', 500, 'Internal server error: JSON parameter is wrong type. Expected String'],
  ['nothing', 400, 'Failed to parse request body as JSON'],
])('POST /console with %s gives %d', async (body, status, text) => {
  const result = await post(socket, body);
  expect(result.status).toBe(status);
  expect((JSON.parse(result.text) as { error: string }).error).toContain(text);
});

test('reports unknown commands and ignores blank lines', async () => {
  expect(await run('nonsense now')).toBe('Unknown command: nonsense\n');
  expect(await run('')).toBe('');
  expect(await run(' \t ')).toBe('');
  expect(await run('constructor')).toBe('Unknown command: constructor\n');
});

test('help lists every command once', async () => {
  for (const word of ['help', '?']) {
    const lines = (await run(word)).trimEnd().split('\n');
    expect(lines.slice(0, 2)).toEqual([expect.stringMatching(/^wrkz-daemon \d/), 'Commands:']);
    expect(lines.slice(2).map((line) => line.trim().split(/\s+/)[0])).toEqual(COMMANDS.map(({ name }) => name));
  }
});

test('every documented command exists', () => {
  const documented =
    'help ? exit quit stop status sync_info sync_tune sync_peers prune_status db_status print_pl print_cn print_block ' +
    'print_tx print_pool print_pool_sh stratum_status save set_log compact_db ban getbans setbans snapshot_export height print_bc print_digest log_tail';
  expect(COMMANDS.map(({ name }) => name).sort()).toEqual(documented.split(' ').sort());
});

test('status prints the fields of /info as a table', async () => {
  const lines = (await run('status')).trimEnd().split('\n');
  const rows = new Map(
    lines.slice(1, -1).map(
      (line) =>
        line
          .slice(2, -2)
          .split(' | ')
          .map((cell) => cell.trim()) as [string, string],
    ),
  );
  expect([lines[0], new Set(lines.map(({ length }) => length)).size]).toEqual([lines.at(-1), 1]);
  expect(Object.fromEntries(rows)).toMatchObject({
    'Local Height': '721',
    'Network Height': '721',
    'Percentage Synced': '100.00%',
    'Block Version': 'v7',
    'Incoming Connections': '0',
    'DB Engine': 'SQLite',
    'Pruned Node': 'No',
    'Prune Depth': '400',
    'Lite Node': 'No',
    'Next Fork': expect.stringMatching(/Days|Hours|Now!|No Fork Planned/),
    Uptime: expect.stringMatching(/^\d+d \d+h \d+m \d+s$/),
  });
});

test('prints the heights and the synchronization state', async () => {
  expect(await run('height')).toBe('Height: 721 / 721 (100.00%)\n');
  expect(await run('sync_info')).toBe('Height: 721 / 721 (100.00%)\n');
  expect(await run('sync_peers')).toMatch(
    /^Sync Active Peers: 0\nAverage Sync Batch Size: \d+\nDemoted Sync Peers \(lifetime\): 0\n$/,
  );
  expect(await run('sync_tune')).toMatch(
    /Configured P2P Out\/In Peers: \d+\/\d+\n.*\nConfigured Sync Batch Min\/Max: 120\/600\nConfigured Block Sync Size: 600\nConfigured Block Sync Bytes: 16\.00 MB\n$/,
  );
  expect(await run('prune_status')).toContain('Pruned Node: No\nPrune Depth: 400\nApprox Prune Floor Height: 321\n');
});

test('db_status counts the files of the data directory', async () => {
  expect(await run('db_status')).toMatch(/^DB Engine: SQLite\n[^]*Files: \d+\nDirectories: \d+\n[^]*  \.sqlite: 2\n/);
});

describe('print_block', () => {
  test('accepts a block count and a hash', async () => {
    const byNumber = await run('print_block 601');
    expect(byNumber).toMatch(new RegExp(`^block_id: ${hashAt(600)}\n{.*}\n$`));
    expect(await run(`print_block ${hashAt(600)}`)).toBe(byNumber);
    expect(await run(`print_block ${hashAt(600).toUpperCase()}`)).toBe(byNumber);
  });

  test.each([
    ['print_block', 'expected: print_block (<block_hash> | <block_height>)'],
    ['print_block 0', "block wasn't found. Current block chain height: 721, requested: 0"],
    ['print_block 722', "block wasn't found. Current block chain height: 721, requested: 722"],
    ['print_block 99999999999', 'invalid hash format: <99999999999>'],
    ['print_block x', 'invalid hash format: <x>'],
    [`print_block ${'0'.repeat(64)}`, `block wasn't found: ${'0'.repeat(64)}`],
  ])('%s', async (line, text) => expect(await run(line)).toBe(`${text}\n`));
});

test('print_bc prints a grid of headers by block index', async () => {
  const lines = (await run('print_bc 598 600')).trimEnd().split('\n');
  expect(lines).toHaveLength(7);
  expect(lines[1]).toMatch(/^\| Height \| Hash +\| Time +\| Version \| Difficulty \| Size +\| Txs +\|$/);
  expect(lines.slice(3, 6).map((line) => line.split(' | ').slice(0, 2))).toEqual(
    [598, 599, 600].map((height) => [expect.stringMatching(`^\\| ${height} *$`), hashAt(height)]),
  );
  const [, , , row] = lines;
  expect(row?.split('|').at(-2)?.trim()).toBe(String(blocks[598]!.transactions.length + 1));
});

test.each([
  ['print_bc', 'expected: print_bc <begin_height> [end_height]'],
  ['print_bc x', 'expected: print_bc <begin_height> [end_height]'],
  ['print_bc 1 2 3', 'expected: print_bc <begin_height> [end_height]'],
  ['print_bc 5 4', 'the range is inverted: 5 is above 4. Use print_bc <begin> <end>.'],
  [
    'print_bc 0 18446744073709551615',
    'that range is 18446744073709551616 blocks; print_bc prints at most 1000 at a time.',
  ],
  ['print_bc 721', "block wasn't found. Current block chain height: 721, requested: 721"],
])('%s', async (line, text) => expect(await run(line)).toBe(`${text}\n`));

test('print_digest prints the digest that JSON-RPC returns, with the block', async () => {
  const { digest } = await node.rpc<{ digest: string }>('getrulesdigest', { height: 600 });
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(await run('print_digest 600')).toBe(`${digest} height 600, block ${hashAt(600)}\n`);
  expect(await run('print_digest')).toBe('expected: print_digest <height>\n');
  expect(await run('print_digest 1e3')).toBe('expected: print_digest <height>\n');
  expect(await run('print_digest 721')).toBe("block wasn't found. Current block chain height: 721, requested: 721\n");
});

test('print_tx prints a transaction, its status and its bytes', async () => {
  const height = blocks.findIndex(({ transactions }) => transactions.length > 0);
  const bytes = blocks[height]!.transactions[0]!;
  const hash = parseTransaction(bytes).hash.toString('hex');
  const [json = '', place, blob] = (await run(`print_tx ${hash}`)).split('\n');
  expect([place, blob]).toEqual([`mined in block index ${height}`, `blob: ${bytes.toString('hex')}`]);
  expect(JSON.parse(json)).toHaveProperty('vin');
  expect(await run('print_tx')).toBe('expected: print_tx <transaction hash>\n');
  expect(await run('print_tx zz')).toBe('invalid hash format: <zz>\n');
  expect(await run(`print_tx ${'0'.repeat(64)}`)).toBe(`transaction wasn't found: <${'0'.repeat(64)}>\n`);
});

test('print_pool reports an empty pool', async () => {
  expect(await run('print_pool')).toBe('Pool state: \n\n');
  expect(await run('print_pool_sh')).toBe('Pool state: Empty.\n');
});

test('peer lists are empty without peers', async () => {
  expect(await run('print_pl')).toBe('Peerlist white:\nPeerlist gray:\n');
  expect(await run('print_cn')).toBe('Connections:\n  none\n');
});

test('print_cn lists a connected peer', async () => {
  const other = await suite.node({ peers: [node.p2pPort], from: await suite.chainA() });
  while (node.daemon.parts.peers.connections().incoming === 0)
    await new Promise((next) => node.daemon.parts.peers.once('connected', next));
  const printed = await run('print_cn');
  expect(printed).toMatch(
    /\| Dir +\| Remote +\| Peer ID +\| State +\| Uptime +\| Height +\| Pruned +\| Batch +\| Fail +\|/,
  );
  expect(printed).toMatch(/\| IN +\| 127\.0\.0\.1:\d+ +\| [0-9a-f]{16} +\| \w+ +\| 0d 0h \d+m \d+s +\| 721 +\| no +\|/);
  await other.stop();
});

test('set_log changes the level of the running logger', async () => {
  expect(await run('set_log 4')).toBe('log level set to DEBUG (4)\n');
  expect(logger?.level).toBe('debug');
  expect(await run('set_log Fatal')).toBe('log level set to FATAL (0)\n');
  expect(logger?.level).toBe('fatal');
  expect(await run('set_log')).toBe('use: set_log <log_level_number_0-5>\n');
  expect(await run('set_log 6')).toBe('wrong number range, use: set_log <log_level_number_0-5>\n');
  expect(await run('set_log loud')).toBe('wrong number format, use: set_log <log_level_number_0-5>\n');
  expect(logger?.level).toBe('fatal');
  expect(await run('set_log 2')).toBe('log level set to WARNING (2)\n');
});

test('ban adds, lists and removes bans', async () => {
  expect(await run('ban list')).toBe('Ban list is empty.\n');
  expect(await run('ban add 192.0.2.7')).toBe('Ban added for 192.0.2.7 (900s)\n');
  expect(await run('ban add 2001:db8::1 60')).toBe('Ban added for 2001:db8::1 (60s)\n');
  expect(await run('ban list')).toMatch(
    /^Banned hosts:\n  192\.0\.2\.7 \((900|899|89\d)s remaining\)\n  2001:db8::1 \((60|5\d)s remaining\)\n$/,
  );
  for (const [line, text] of [
    ['ban add 192.0.2.8 0', 'Ban seconds must be greater than zero.'],
    ['ban add 192.0.2.8 x', 'Invalid ban seconds value'],
    ['ban add 192.0.2.8 99999999999999999999', 'Invalid ban seconds value'],
    ['ban add nobody', 'Invalid IP address: nobody'],
    ['ban add 192.0.2.8:17855', 'Invalid IP address: 192.0.2.8:17855'],
    ['ban delete nobody', 'Invalid IP address: nobody'],
    ['ban delete 192.0.2.7', 'Ban removed for 192.0.2.7'],
    ['ban delete 192.0.2.7', 'IP not found in ban list.'],
    ['ban delete 2001:db8::1', 'Ban removed for 2001:db8::1'],
    ['ban', 'Usage: ban list | ban add <ip> [seconds] | ban delete <ip>'],
    ['ban lift 192.0.2.7', 'Usage: ban list | ban add <ip> [seconds] | ban delete <ip>'],
    ['ban list', 'Ban list is empty.'],
  ])
    expect([line, await run(line ?? '')]).toEqual([line, `${text}\n`]);
});

test('setbans accepts several addresses and ranges, getbans lists them', async () => {
  expect(await run('setbans 192.0.2.7,198.51.100.9/24,x 60')).toBe(
    'Ban added for 192.0.2.7 (60s)\nBan added for 198.51.100.9/24 (60s)\nInvalid IP address or range: x\n',
  );
  expect(await run('getbans')).toMatch(/ {2}192\.0\.2\.7 \(\d+s remaining\)\n {2}198\.51\.100\.0\/24 \(/);
  expect(await run('setbans 192.0.2.7,198.51.100.0/24,8.8.8.8 0')).toBe(
    'Ban removed for 192.0.2.7\nBan removed for 198.51.100.0/24\nNot banned: 8.8.8.8\n',
  );
  expect(await run('setbans 192.0.2.7 x')).toBe('Invalid ban seconds value\n');
  expect(await run('setbans')).toMatch(/^Usage: setbans/);
});

test('save writes the peer state', async () => {
  expect(await run('save')).toBe('Core state saved.\n');
  expect(existsSync(join(node.dataDir, 'devnet', 'peers.json'))).toBe(true);
});

test.each([
  ['compact_db status', /^DB compaction status: (idle|running)/],
  [
    'compact_db x',
    /^Usage: compact_db \[start\|status\|wait\|force\] \(force is accepted and does the same as start\)/,
  ],
  ['snapshot_export', /^This node has no lite height, so a snapshot height has to be given:\nUsage: snapshot_export /],
  ['snapshot_export status', /^Snapshot export: idle\n/],
  ['snapshot_export cancel', /^No snapshot export is running\.\n/],
  ['snapshot_export x', /^Usage: snapshot_export \[start \[height\] \[path\] \| status \| cancel\]\n$/],
  ['log_tail x', /^use: log_tail \[count\], 1 to 200\n$/],
  ['log_tail', /^No log lines have been kept yet\.\n$/],
])('%s', async (line, text) => expect(await run(line)).toMatch(text));

test('exit, quit and stop request the stop and confirm it', async () => {
  for (const word of ['exit', 'quit', 'stop'])
    expect(await run(word)).toMatch(/^=+ EXITING =+\n== PLEASE WAIT, THIS MAY TAKE A LONG TIME ==\n=+\n$/);
  expect(stops).toEqual([undefined, undefined, undefined]);
});

test('an unavailable socket is a warning, and TCP continues', async () => {
  const file = join(suite.folder(), 'file');
  writeFileSync(file, 'mine');
  const other = await suite.node({ args: ['--rpc-ipc-path', file] });
  expect(loggers.at(-1)?.linesOf('warning')).toEqual([expect.stringContaining('is not a socket and is not replaced')]);
  expect((await fetch(`http://127.0.0.1:${other.daemon.ports.rpc}/height`)).status).toBe(200);
  await other.stop();
});

test('the socket file is removed at the stop', async () => {
  const folder = join(suite.folder(), 'run');
  mkdirSync(folder);
  const path = join(folder, 'x.sock');
  const other = await suite.node({ args: ['--rpc-ipc-path', path] });
  expect(existsSync(path)).toBe(true);
  await other.stop();
  expect(existsSync(path)).toBe(false);
});

test('a rejected deep branch is in status, /info and /events, until the chain is replaced from its fork', async () => {
  const chain = node.daemon.parts.chain as ChainClient;
  const { height, cumulativeDifficulty } = chain.tip();
  const branch = { fork: height - 190, height: height + 1, hash: Buffer.alloc(32, 7), reason: 'why', remedy: 'act' };
  const get = async (path: string): Promise<Record<string, unknown>> =>
    (await (await fetch(`http://127.0.0.1:${node.daemon.ports.rpc}${path}`)).json()) as Record<string, unknown>;
  const { latest } = await get('/events');
  chain.emit('refusedSwitch', { ...branch, cumulativeDifficulty });
  expect(await run('status')).toContain(`Block ${height + 1}, forks from our chain at block ${height - 190}`);
  expect(await get('/info')).not.toHaveProperty('heavier_branch');
  chain.emit('refusedSwitch', { ...branch, cumulativeDifficulty: cumulativeDifficulty + 1n });
  const hash = '07'.repeat(32);
  expect(await get('/info')).toMatchObject({ heavier_branch: { height: height + 1, hash } });
  expect(await get(`/events?after=${String(latest)}&wait=60`)).toMatchObject({
    events: [{ topic: 'refused-branch', data: { height: height + 1, hash, common_root_height: height - 190 } }],
  });
  expect(logger?.linesOf('warning').filter((line) => line.includes('is not followed'))).toHaveLength(1);
});
