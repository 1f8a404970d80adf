import { EarlyExit, UsageError } from '@wrkz/service-kit';
import { DAEMON_OPTIONS } from '../../src/config/options';
import { readConfig } from '../../src/config/config';
import { readAttach } from '../../src/console/attach/client';
import { exercises } from '../support/exercises';

exercises('rpc-ipc-mode', 'attach');

const read = (...argv: string[]) => readAttach(argv, DAEMON_OPTIONS);

test.each([
  [['attach', '/run/x.sock'], '/run/x.sock'],
  [['--attach', '/run/x.sock'], '/run/x.sock'],
  [['--attach=/run/x.sock'], '/run/x.sock'],
  [['--', 'attach', 'ipc:///run/x.sock'], '/run/x.sock'],
  [['attach', '@name'], '@name'],
])('attaches with %j', (argv, path) => expect(read(...argv)).toEqual({ path, token: '' }));

test('sends the access token', () => {
  expect(read('attach', '/x', '--rpc-access-token', 'secret')).toEqual({ path: '/x', token: 'secret' });
  expect(read('--rpc-access-token=secret', '--attach', '/x')).toEqual({ path: '/x', token: 'secret' });
});

test.each([[[]], [['--network', 'devnet']], [['--verify']]])('%j starts a node', (argv) =>
  expect(read(...argv)).toBeUndefined(),
);

test.each([
  [['attach'], 'Usage: wrkz-daemon attach <socket>'],
  [['--attach'], 'Usage: wrkz-daemon attach <socket>'],
  [['--attach='], 'Usage: wrkz-daemon attach <socket>'],
  [['attach', '/a', '/b'], 'unexpected argument /b'],
  [['attach', '127.0.0.1:17856'], "attach takes the daemon's RPC IPC socket: an absolute path"],
  [['attach', 'run/x'], 'Console commands are not served over TCP.'],
  [['attach', '@'], 'needs a name after the @'],
  [['attach', `/${'a'.repeat(120)}`], 'at most 107 bytes'],
  [['attach', '/x', '--frobnicate'], 'unknown option --frobnicate'],
])('rejects %j', (argv, text) => {
  expect(() => read(...argv)).toThrow(UsageError);
  expect(() => read(...argv)).toThrow(text);
});

test('--help describes attach', () => {
  expect(() => read('attach', '--help')).toThrow(EarlyExit);
  expect(() => read('attach', '--help')).toThrow('wrkz-daemon attach [options] <socket>');
  expect(() => readConfig(['--help'])).toThrow('--attach');
});

test.each([
  [['--rpc-ipc-path', 'x.sock'], '--rpc-ipc-path: an IPC socket path must be absolute'],
  [['--rpc-ipc-mode', '0888'], 'rpc-ipc-mode must be octal permissions such as 0600, got: 0888'],
])('a start with %j fails', (argv, text) => expect(() => readConfig(['--network', 'devnet', ...argv])).toThrow(text));
