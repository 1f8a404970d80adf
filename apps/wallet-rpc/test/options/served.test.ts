import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { runSource } from '@wrkz/testing/source';
import { StandInNode, type SuiteNode } from '@wrkz/testing';
import { readWalletRpcConfig, WalletRpc } from '../../src';
import { exercises } from '../support/exercises';
import { PASSWORD } from '../support/service';
import { addressOf, CONTAINER_PASSWORD, expectedWallet, World } from '../support/world';

exercises('generate-container', 'view-key', 'spend-key', 'mnemonic-seed', 'scan-height', 'address', 'network');
exercises('restore-backup');
exercises('bind-ipc-path', 'bind-ipc-mode', 'bind-ipc-group', 'enable-cors', 'log-file', 'container-password');
exercises(
  'daemon-failover',
  'daemon-token',
  'tx-pow-server',
  'tx-pow-server-port',
  'tx-pow-server-ssl',
  'tx-pow-server-key',
);

const world = new World();
let node: SuiteNode;

beforeAll(async () => {
  node = await world.node();
});

afterEach(() => world.stopServices());

afterAll(() => world.stopAll());

const run = (...args: string[]) =>
  runSource(join(__dirname, '../../src/main.ts'), ['--network', 'devnet', '--log-file', '', ...args]);

test('creates containers of new keys, given keys and a seed, and lists their addresses', () => {
  const { keys } = expectedWallet('alice');
  const [first] = keys.addresses;
  const password = ['--container-password', 'p'];
  const ways = [
    [],
    ['--view-key', keys.privateViewKey, '--spend-key', first?.privateSpendKey ?? ''],
    ['--mnemonic-seed', first?.mnemonic ?? '', '--scan-height', '5'],
  ];
  ways.forEach((way, i) => {
    const file = world.folder.file(`generated-${String(i)}`);
    const made = run('--generate-container', '-w', file, ...password, ...way);
    expect([made.code, made.stderr]).toEqual([0, '']);
    if (i > 0) expect(made.stdout).toContain(addressOf('alice'));
    const listed = run('-w', file, ...password, '--address', '--daemon-port', '1');
    expect(listed.stdout).toMatch(/^Address: Wrkz\w{94}\n$/);
    const again = run('-g', '-w', file, ...password);
    expect([again.code, again.stdout]).toEqual([1, '']);
  });
  const wrong = world.folder.file('wrong');
  expect(run('-g', '-w', wrong, '--view-key', keys.privateViewKey, '--spend-key', 'f'.repeat(64)).stderr).toContain(
    'Invalid spend key',
  );
  expect(run('-g', '-w', wrong, '--view-key', '12', '--spend-key', keys.privateViewKey).stderr).toContain(
    'Invalid view key',
  );
  expect(run('-g', '-w', wrong, '--mnemonic-seed', 'one two').stderr).toContain('25 words');
  expect(existsSync(wrong)).toBe(false);
  const refused = run('-w', world.folder.file('generated-0'), '-p', 'other', '--address');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('could not be opened')]);
  const unlockable = world.folder.file('unlockable');
  expect(run('-g', '-w', unlockable, ...password).code).toBe(0);
  rmSync(`${unlockable}.lock`);
  mkdirSync(`${unlockable}.lock`);
  expect(run('-w', unlockable, ...password, '--address').stderr).toContain('unlockable.lock is not a regular file');
});

test('a restored backup pauses sends and creates no address again; a failed restore names the files', async () => {
  const backup = await world.read('alice', node.daemon.ports.rpc);
  const restored = world.folder.file('restored');
  const restore = (from: string) => run('--restore-backup', from, '-w', restored);
  expect(restore(`${backup}.db`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`the backup ${backup}.db`),
  });
  expect(restore(backup)).toMatchObject({ code: 0, stdout: expect.stringContaining('then call resumeSends.') });
  expect(restore(backup)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${restored} or a file beside it`),
  });
  const service = await world.service(restored, node.daemon.ports.rpc);
  const refused = (code: bigint) => ({ error: { data: { application_code: code } } });
  const transfers = [{ address: addressOf('bob'), amount: 1_000 }];
  expect(await service.call('sendTransaction', { transfers, anonymity: 1 })).toMatchObject(refused(1008n));
  expect(await service.call('createAddress')).toMatchObject(refused(1011n));
});

test('a local socket replaces the port and requires the password', async () => {
  const socket = world.folder.file('rpc.sock');
  const service = await world.service(await world.read('alice', node.daemon.ports.rpc), node.daemon.ports.rpc, [
    ...['--bind-ipc-path', socket, '--bind-ipc-mode', '0660', '--bind-ipc-group', ''],
  ]);
  expect(statSync(socket).mode & 0o777).toBe(0o660);
  const query = (body: object): Promise<string> =>
    new Promise((resolve, reject) => {
      const sent = request({ socketPath: socket, path: '/json_rpc', method: 'POST', agent: false }, (response) => {
        let text = '';
        response.on('data', (part: Buffer) => (text += part.toString()));
        response.on('end', () => resolve(text));
      });
      sent.on('error', reject).end(JSON.stringify(body));
    });
  expect(await query({ method: 'getFeeInfo', password: PASSWORD })).toBe(
    '{"jsonrpc":"2.0","result":{"address":"","amount":0}}',
  );
  expect(await query({ method: 'getFeeInfo' })).toContain('-32604');
  const second = world.service(await world.read('alice', node.daemon.ports.rpc), node.daemon.ports.rpc, [
    '--bind-ipc-path',
    socket,
  ]);
  await expect(second).rejects.toThrow(/cannot listen on socket .*another process is listening on it/);
  await world.stop(service);
});

test('uses the failover node with the token, and the proof-of-work server', async () => {
  const standIn = world.suite.closeAtEnd(await StandInNode.start(node.url));
  const helper = world.suite.closeAtEnd(await StandInNode.start());
  const service = await world.synced('alice', 1, [
    ...['--daemon-failover', `127.0.0.1:${String(standIn.port)}`, '--daemon-token', 'sesame'],
    ...[
      '--tx-pow-server',
      '127.0.0.1',
      '--tx-pow-server-port',
      String(helper.port),
      '--tx-pow-server-ssl=false',
      '--tx-pow-server-key',
      't',
    ],
  ]);
  expect(standIn.requests.at(-1)?.headers['x-api-key']).toBe('sesame');
  await service.result('sendTransaction', { transfers: [{ address: addressOf('bob'), amount: 1_000 }], anonymity: 1 });
  expect(helper.requests.length).toBeGreaterThan(0);
});

test('--enable-cors allows its origin, and a preflight lists the allowed headers', async () => {
  const service = await world.synced('alice', node.daemon.ports.rpc, ['--enable-cors', 'https://shop.example']);
  const sent = await service.request('', { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'POST' } });
  expect(sent.status).toBe(204);
  expect(sent.headers).toMatchObject({
    'access-control-allow-origin': 'https://shop.example',
    'access-control-allow-methods': 'POST',
  });
  const response = await service.request('{}');
  expect(response.headers['access-control-allow-origin']).toBe('https://shop.example');
});

test('--rpc-legacy-security refuses pages of other origins', async () => {
  const service = await world.service(await world.read('alice', node.daemon.ports.rpc), node.daemon.ports.rpc, [
    '--rpc-legacy-security',
  ]);
  const body = JSON.stringify({ method: 'getFeeInfo' });
  expect((await service.request(body)).status).toBe(200);
  expect((await service.request(body, { headers: { Origin: 'https://stranger.example' } })).status).toBe(403);
  expect((await service.request(body, { headers: { Host: 'stranger.example' } })).status).toBe(403);
});

test('appends log lines to a file; one that cannot be opened does not prevent the start', async () => {
  const log = world.folder.file('service.log');
  const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const start = async (path: string): Promise<void> => {
    const file = await world.read('alice', node.daemon.ports.rpc);
    const args = [
      '-w',
      file,
      '-p',
      CONTAINER_PASSWORD,
      '--network',
      'devnet',
      '--rpc-password',
      'x',
      '--daemon-port',
      '1',
    ];
    const rpc = new WalletRpc(readWalletRpcConfig([...args, '--log-file', path, '--log-format', 'json']), {
      port: 0,
    });
    await rpc.start();
    await rpc.stop();
    await rpc.logger.close();
  };
  await start(log);
  expect(readFileSync(log, 'utf8')).toContain('listens on');
  mkdirSync(world.folder.file('a-folder'));
  await start(world.folder.file('a-folder'));
  expect(written).toHaveBeenCalledWith(expect.stringContaining('cannot open the log file'));
  written.mockRestore();
});
