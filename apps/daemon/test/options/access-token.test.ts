import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryLogger } from '@wrkz/service-kit';
import { readConfig } from '../../src';
import { accessTokenTask, rpcServerOptions } from '../../src/wiring/rpc';
import { exercises } from '../support/exercises';
import { temporaryDirectory } from '../support/temporary';

exercises('rpc-access-token-file');

const folder = temporaryDirectory();
const path = join(folder, 'token');

function write(text: string, mode = 0o600): void {
  writeFileSync(path, text);
  chmodSync(path, mode);
}

const config = () => readConfig(['--network=devnet', '--rpc-access-token-file', path]);

function presented(token: string | (() => string) | undefined): string | undefined {
  return typeof token === 'function' ? token() : token;
}

test.each([
  ['secret-a\n', 0o600],
  ['secret-a', 0o640],
  ['secret-a\r\n', 0o400],
])('reads the token without the line end: %j, mode %o', (text, mode) => {
  write('', 0o600);
  write(text, mode);
  expect(presented(rpcServerOptions(config()).accessToken)).toBe('secret-a');
  chmodSync(path, 0o600);
});

test.each([
  ['secret', 0o644, 'other users can read or change the file; set its mode to 600'],
  ['secret', 0o660, 'other users can read or change the file'],
  ['', 0o600, 'the file is empty'],
  ['\n', 0o600, 'the file is empty'],
  [' secret', 0o600, 'a header cannot contain leading or trailing blanks'],
  ['two\nlines', 0o600, 'a header cannot contain leading or trailing blanks and control characters'],
])('refuses %j with mode %o', (text, mode, error) => {
  write(text, mode);
  expect(config).toThrow(`--rpc-access-token-file: ${path}: ${error}`);
});

test('refuses a missing file and a folder', () => {
  const other = join(folder, 'folder');
  mkdirSync(other);
  expect(() => readConfig(['--rpc-access-token-file', join(folder, 'none')])).toThrow('no such file or directory');
  expect(() => readConfig(['--rpc-access-token-file', other])).toThrow('it is a directory');
});

test('reloads the token; an invalid file leaves the old token, and logs hide the new one', async () => {
  write('first-token\n');
  const logger = createMemoryLogger();
  const requested = config();
  const { accessToken } = rpcServerOptions(requested);
  const [task] = accessTokenTask(requested.accessToken, logger);
  write('second-token\n');
  expect(presented(accessToken)).toBe('first-token');
  await task?.run();
  expect(presented(accessToken)).toBe('second-token');
  logger.info('second-token');
  expect(logger.lines.join()).not.toContain('second-token');
  write('third-token\n', 0o644);
  expect(() => task?.run()).toThrow('set its mode to 600');
  expect(presented(accessToken)).toBe('second-token');
});

test('does not reload without a file, and an open RPC with a file logs no warning', () => {
  expect(accessTokenTask(readConfig([]).accessToken, createMemoryLogger())).toEqual([]);
  write('secret');
  const open = ['--network=devnet', '--rpc-bind-ip', '0.0.0.0'];
  expect(readConfig([...open, '--rpc-access-token-file', path]).warnings).toEqual([]);
});
