import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, connect, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  checkSocketPath,
  clientAddressOf,
  createMemoryLogger,
  describeSocket,
  hasLocalSockets,
  isSocketAddress,
  localListener,
  localSocketAddress,
  inGroup,
  localSocketOptions,
  nodePath,
  parseOptions,
  parseSocketMode,
  socketPath,
} from '../src';
import { call, closeAll, serve } from './support/http-client';

const folder = mkdtempSync(join(tmpdir(), 'wrkz-socket-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(closeAll);

let made = 0;
const freshPath = (): string => join(folder, `${String(++made)}.sock`);
const socketModeText = (mode: number): string => mode.toString(8).padStart(4, '0');
const modeOf = (path: string): string => socketModeText(statSync(path).mode & 0o777);
const app = (request: IncomingMessage, response: ServerResponse): void => void response.end(clientAddressOf(request));

async function query(path: string): Promise<string> {
  return (await call(0, '/', { socketPath: nodePath(path), host: undefined })).text;
}

/** Options of `serve` for a listener on this path alone. */
function at(path: string, more: { mode?: number; group?: string } = {}, logger = createMemoryLogger()) {
  return { local: localListener({ socketPath: path, mode: 0o600, group: '', ...more }, logger), listen: [] };
}

/** The path of a socket that a killed process has left. */
async function stalePath(): Promise<string> {
  const path = freshPath();
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.stdout.write('up'))`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(lstatSync(path).isSocket()).toBe(true);
  return path;
}

describe('a local socket', () => {
  test('serves the app with local clients; its file is removed by the close', async () => {
    const path = freshPath();
    const server = await serve(app, at(path));
    expect(await query(path)).toBe('local');
    expect([server.addresses, server.port]).toEqual([[], 0]);
    await server.close();
    expect(existsSync(path)).toBe(false);
  });

  test('listens in addition to a TCP listener, whose port is reported', async () => {
    const path = freshPath();
    const server = await serve(app, { ...at(path), listen: [{ host: '127.0.0.1', port: 0 }] });
    expect([await query(path), (await call(server.port, '/')).text]).toEqual(['local', '127.0.0.1']);
  });

  test.each([0o600, 0o660, 0o666, 0o200])('has mode %o, and never had more permissions before', async (mode) => {
    const path = freshPath();
    const seen: string[] = [];
    const listen = Server.prototype.listen as (this: Server, ...args: unknown[]) => Server;
    const watch = jest.spyOn(Server.prototype, 'listen').mockImplementation(function (
      this: Server,
      ...args: unknown[]
    ) {
      const result = listen.apply(this, args);
      seen.push(modeOf(path));
      return result;
    });
    try {
      await serve(app, at(path, { mode }));
    } finally {
      watch.mockRestore();
    }
    expect(seen).toEqual([socketModeText(mode & 0o600)]);
    expect(modeOf(path)).toBe(socketModeText(mode));
  });

  test('restores the umask of the process', async () => {
    const before = process.umask();
    await serve(app, at(freshPath()));
    await expect(serve(app, at(join(folder, 'no', 'folder.sock')))).rejects.toThrow('no such file');
    expect(process.umask()).toBe(before);
  });

  test('gets the group, by number or by name', async () => {
    const { gid } = statSync(folder);
    const line = readFileSync('/etc/group', 'utf8')
      .split('\n')
      .find((text) => text.split(':')[2] === String(gid));
    for (const group of [String(gid), ...(line === undefined ? [] : [line.split(':')[0] ?? ''])]) {
      const path = freshPath();
      await serve(app, at(path, { mode: 0o660, group }));
      expect([statSync(path).gid, modeOf(path)]).toEqual([gid, '0660']);
    }
  });

  test('of an unknown group is rejected, and no file remains', async () => {
    const path = freshPath();
    await expect(serve(app, at(path, { group: 'no-such-group' }))).rejects.toThrow(
      `cannot listen on socket ${path}: no group named no-such-group`,
    );
    expect(existsSync(path)).toBe(false);
  });

  test('replaces the socket of a killed process', async () => {
    const path = await stalePath();
    await serve(app, at(path));
    expect(await query(path)).toBe('local');
  });

  test('in use is rejected and not changed', async () => {
    const path = freshPath();
    await serve(app, at(path));
    await expect(serve(app, at(path))).rejects.toThrow('another process is listening on it');
    expect(await query(path)).toBe('local');
  });

  test('does not replace a file or a link to a socket', async () => {
    const [file, link] = [freshPath(), freshPath()];
    writeFileSync(file, 'mine');
    symlinkSync(await stalePath(), link);
    for (const path of [file, link, folder]) {
      await expect(serve(app, at(path))).rejects.toThrow('is not a socket and is not replaced');
    }
    expect([readFileSync(file, 'utf8'), lstatSync(link).isSymbolicLink()]).toEqual(['mine', true]);
  });

  test.each([
    [0o660, '', 'is open to a group, and none was named'],
    [0o666, 'g', 'is open to everybody'],
    [0o606, 'g', 'is open to everybody'],
  ])('with mode %o and group "%s" causes a warning', async (mode, group, warning) => {
    const logger = createMemoryLogger();
    const named = group === '' ? '' : String(process.getgid?.() ?? 0);
    await serve(app, at(freshPath(), { mode, group: named }, logger));
    expect(logger.linesOf('warning')).toEqual([expect.stringContaining(warning)]);
  });

  test('for its owner, or for a configured group, causes no warning', async () => {
    const logger = createMemoryLogger();
    const group = String(process.getgid?.() ?? 0);
    for (const more of [{}, { mode: 0o660, group }]) await serve(app, at(freshPath(), more, logger));
    expect(logger.lines).toEqual([]);
  });

  const onLinux = process.platform === 'linux' ? test : test.skip;
  onLinux('may have an abstract name, which draws a warning and leaves no file', async () => {
    const logger = createMemoryLogger();
    const name = `@wrkz-test-${String(process.pid)}`;
    const server = await serve(app, at(name, {}, logger));
    expect(await query(name)).toBe('local');
    expect(logger.linesOf('warning')).toContainEqual(expect.stringContaining('has no permissions'));
    await expect(serve(app, at(name))).rejects.toThrow(`abstract socket ${name}: the address is already`);
    await server.close();
    expect(existsSync(name)).toBe(false);
  });

  test('closes silent clients when it closes', async () => {
    const path = freshPath();
    const server = await serve(app, at(path));
    const silent = connect({ path });
    await once(silent, 'connect');
    await Promise.all([server.close(), once(silent.resume(), 'close')]);
  });
});

describe('the path of a socket', () => {
  test.each([
    ['relative/path', /must be absolute, or @name, got: relative\/path/],
    ['', /must be absolute/],
    ['@', /needs a name after the @/],
    ['/a\0b', /zero byte/],
    [`/${'a'.repeat(107)}`, /at most 107 bytes, this one has 108/],
    [`/${'ä'.repeat(54)}`, /at most 107 bytes, this one has 109/],
    [`@${'a'.repeat(107)}`, /at most 107 bytes/],
  ])('rejects %j', (path, text) => expect(checkSocketPath(path)).toMatch(text));

  test.each([`/${'a'.repeat(106)}`, '/run/node.sock', '@node'])('accepts %s', (path) =>
    expect(checkSocketPath(path)).toBeUndefined(),
  );

  test('can be of the max length', async () => {
    const path = join(folder, 'p'.repeat(107 - folder.length - 1));
    expect(Buffer.byteLength(path)).toBe(107);
    await serve(app, at(path));
    expect(await query(path)).toBe('local');
  });

  test.each([
    ['600', 0o600],
    ['0600', 0o600],
    ['0o660', 0o660],
    [' 0777 ', 0o777],
    ['000', 0],
  ])('accepts the mode %j', (text, mode) => expect(parseSocketMode(text)).toBe(mode));

  test.each(['', '6', '60', '0999', '7777', '06000', 'rw-', '0x600', '-600'])('rejects the mode %j', (text) =>
    expect(parseSocketMode(text)).toBeUndefined(),
  );

  test('prints a mode in the form that it parses', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0o777 }), (mode) => parseSocketMode(socketModeText(mode)) === mode),
    );
  });

  test('addresses of clients', () => {
    expect(['/run/x', '@x', 'ipc:///run/x', 'ipc://./x'].map(isSocketAddress)).toEqual([true, true, true, true]);
    expect(['127.0.0.1', 'node.example', 'run/x', ''].map(isSocketAddress)).toEqual([false, false, false, false]);
    expect(['/run/x', '@x', 'ipc:///run/x', 'ipc://@x', 'ipc://'].map(socketPath)).toEqual([
      '/run/x',
      '@x',
      '/run/x',
      '@x',
      '',
    ]);
    expect(socketPath('ipc://./x')).toBe(join(process.cwd(), 'x'));
    expect(['/x', '@x'].map(describeSocket)).toEqual(['socket /x', 'abstract socket @x']);
    expect([hasLocalSockets('linux'), hasLocalSockets('win32')]).toEqual([true, false]);
  });
});

describe('the options of a socket', () => {
  const specs = inGroup('Test', localSocketOptions({ prefix: 'bind', serves: 'Serve this' }));
  const read = (...argv: string[]) => parseOptions(specs, argv, { name: 'x' }).values;

  test('are off by default, and limited to the owner', () => {
    const values = read();
    expect(values).toEqual({ 'bind-ipc-path': '', 'bind-ipc-mode': '0600', 'bind-ipc-group': '' });
    expect(localSocketAddress('', '0600', '')).toBeUndefined();
    expect(localSocketAddress('/x', '0660', 'g')).toEqual({ socketPath: '/x', mode: 0o660, group: 'g' });
  });

  test('reject an invalid path and an invalid mode with the name of the option', () => {
    expect(() => read('--bind-ipc-path', 'x.sock')).toThrow('--bind-ipc-path: an IPC socket path must be absolute');
    expect(() => read('--bind-ipc-mode', '0x1')).toThrow(
      'bind-ipc-mode must be octal permissions such as 0600, got: 0x1',
    );
  });
});

test('a listener that hangs does not count as dead', async () => {
  const path = freshPath();
  const hanging = createServer(() => undefined).listen(path);
  await once(hanging, 'listening');
  await expect(serve(app, at(path))).rejects.toThrow('another process is listening on it');
  await new Promise((done) => hanging.close(done));
});
