import { readFileSync, writeFileSync } from 'node:fs';
import { EarlyExit, VERSION } from '@wrkz/service-kit';
import { readWalletRpcConfig } from '../../src';
import { exercises } from '../support/exercises';
import { Folder } from '../support/service';

exercises(
  'container-file',
  'rpc-password',
  'rpc-legacy-security',
  'log-level',
  'bind-address',
  'bind-port',
  'init-timeout',
);
exercises('scan-coinbase-transactions', 'skip-coinbase-transactions', 'SYNC_FROM_ZERO', 'server-root', 'threads');
exercises('help', 'version', 'config-file', 'save-config', 'dump-config', 'explain-config', 'trusted-proxy');
exercises(
  'log-max-size',
  'log-max-files',
  'log-format',
  'sync-max-blocks',
  'daemon-address',
  'daemon-port',
  'daemon-ssl',
);

const folder = new Folder();
const file = folder.file('a.container');

beforeAll(() => writeFileSync(file, ''));
afterAll(() => folder.remove());

function ended(...args: string[]): { code: number; text: string } {
  try {
    readWalletRpcConfig(args);
  } catch (error) {
    if (error instanceof EarlyExit) return { code: error.exitCode, text: error.message };
    throw error;
  }
  throw new Error('the options were accepted');
}

const basic = ['-w', file, '--rpc-password', 'x'];

test.each([
  [[], 'You must specify a wallet file to open!'],
  [['-w', `${file}.no`, '--rpc-password', 'x'], 'does not exist; please check your spelling and try again.'],
  [['-w', file], 'Please specify either an RPC password or use the --rpc-legacy-security flag'],
  [[...basic, '--view-key', 'x'], '--generate-container is required'],
  [[...basic, '--mnemonic-seed', 'x'], '--generate-container is required'],
  [['-w', file, '-g', '--view-key', 'x'], 'Need both secret spend key and secret view key.'],
  [
    ['-w', file, '-g', '--view-key', 'x', '--spend-key', 'y', '--mnemonic-seed', 'z'],
    'both Mnemonic seed and private keys',
  ],
  [['-w', file, '-g', '--address'], 'each do one thing'],
  [['-w', file, '-g', '--restore-backup', 'x'], 'each do one thing'],
  [[...basic, '--log-level', '6'], 'log-level must be between 0..5'],
  [[...basic, '--threads', '0'], 'Thread count must be at least 1'],
  [[...basic, '--scan-coinbase-transactions', '--skip-coinbase-transactions'], 'cannot be used together'],
  [[...basic, '--bind-address', 'localhost'], 'bind-address'],
  [[...basic, '--bind-port', '0'], 'bind-port'],
  [[...basic, '--daemon-failover', 'x'], 'must be host:port'],
  [[...basic, '--sync-max-blocks', '0'], 'sync-max-blocks'],
  [[...basic, '--nonsense'], 'unknown option'],
])('%j is refused', (args, text) => {
  const { code, text: said } = ended(...args);
  expect(said).toContain(text);
  expect(code).toBe(1);
});

test('suggests the container file when the extension is missing', () => {
  writeFileSync(folder.file('b.wallet'), '');
  expect(ended('-w', folder.file('b'), '--rpc-password', 'x').text).toContain(
    `Did you mean: ${folder.file('b')}.wallet?`,
  );
});

test('the defaults are those of the C++ program', () => {
  const { options, network, node, logFile, socket } = readWalletRpcConfig(basic);
  expect(options).toMatchObject({
    'bind-port': 7856,
    'bind-address': '127.0.0.1',
    'log-level': '3',
    'enable-cors': '',
  });
  expect([options['log-max-size'], options['log-max-files'], options['log-format']]).toEqual([100, 5, 'text']);
  expect(node).toEqual({ daemonHost: '127.0.0.1', daemonPort: 17856, daemonSSL: false });
  expect(network.name).toBe('mainnet');
  expect(logFile).toMatch(/service\.log$/);
  expect(socket).toBeUndefined();
});

test('a file sets options by name, and the command line overrides it', () => {
  const ini = folder.file('service.ini');
  writeFileSync(
    ini,
    `# of old\ncontainer-file=${file}\nrpc-legacy-security=1\nbind-port=1234\ndaemon-port=5\ndaemon-ssl=true\n`,
  );
  const { options, node } = readWalletRpcConfig([
    '--config',
    ini,
    '--daemon-port',
    '6',
    '--daemon-ssl',
    '--daemon-address',
    'ipc:///run/node.sock',
  ]);
  expect(options).toMatchObject({ 'bind-port': 1234, 'rpc-legacy-security': true, 'container-file': file });
  expect(node).toEqual({ daemonHost: 'ipc:///run/node.sock', daemonPort: 6, daemonSSL: true });
  const json = folder.file('service.json');
  writeFileSync(json, JSON.stringify({ 'container-file': file, 'rpc-password': 'y', 'trusted-proxy': ['10.0.0.0/8'] }));
  expect(readWalletRpcConfig(['--config-file', json]).trustedProxies).toEqual(['10.0.0.0/8']);
  writeFileSync(json, JSON.stringify({ nonsense: 1 }));
  expect(ended('-c', json).text).toContain('nonsense');
});

test('older options are accepted with a warning', () => {
  const { warnings } = readWalletRpcConfig([...basic, '--SYNC_FROM_ZERO', '--init-timeout', '5']);
  expect(warnings).toHaveLength(2);
});

test('relative names are resolved in --server-root', () => {
  const { containerFile, logFile } = readWalletRpcConfig([
    ...['--server-root', folder.path, '-w', 'a.container', '-l', 'x.log', '--rpc-password', 'x'],
  ]);
  expect([containerFile, logFile]).toEqual([file, folder.file('x.log')]);
});

test('prints help, version and the configuration without secrets', () => {
  expect(ended('--help').text).toContain('--container-file');
  expect(ended('--version')).toEqual({ code: 0, text: `wrkz-wallet-rpc ${VERSION}` });
  for (const option of ['--dump-config', '--explain-config']) {
    const { code, text } = ended('-w', file, '--rpc-password', 'tell-nobody', '-p', 'nor-this', option);
    expect(code).toBe(0);
    expect(text).not.toMatch(/tell-nobody|nor-this/);
  }
  const saved = folder.file('saved.json');
  expect(ended(...basic, '--save-config', saved).code).toBe(0);
  expect(JSON.parse(readFileSync(saved, 'utf8'))).toMatchObject({ 'container-file': file });
});
