import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { chainA, dumpOf } from '@wrkz/testing';
import { readConfig } from '../src';
import { newSuite } from './network/daemons';
import { DaemonProcess, runDaemon } from './support/process';
import { temporaryDirectory } from './support/temporary';
import { exercises } from './support/exercises';

exercises('rpc-bind-port', 'p2p-bind-port', 'daemon-mode', 'verify', 'dump-file', 'log-file', 'help', 'version');

/** Options of a daemon on loopback without outgoing connections. */
function quiet(directory: string, ...more: string[]): string[] {
  const ports = ['--rpc-bind-port', '0', '--p2p-bind-ip', '127.0.0.1', '--p2p-bind-port', '0'];
  return ['--network', 'devnet', '--data-dir', directory, ...ports, ...more];
}

const READY = /RPC at http:\/\/127\.0\.0\.1:(\d+)/;

describe('a start that fails', () => {
  it.each<[string, string[], RegExp]>([
    ['an unknown option', ['--frobnicate'], /unknown option --frobnicate/],
    ['an invalid peer address', ['--add-exclusive-node', 'nobody'], /"nobody" is not an IPv4/],
  ])('reports %s, exits with 1 and creates nothing', async (_, args, message) => {
    const cwd = temporaryDirectory();
    const { code, stderr } = await runDaemon([...quiet(join(cwd, 'data')), ...args], cwd);
    expect(stderr).toMatch(message);
    expect(code).toBe(1);
    expect(existsSync(join(cwd, 'data'))).toBe(false);
  });

  it.each<[string, string[], RegExp]>([
    ['an unknown network', ['--network', 'testnet'], /--network: expected one of mainnet, simnet, devnet/],
    ['a port that is not a number', ['--rpc-bind-port', 'x'], /--rpc-bind-port: expected a whole number/],
    ['a port above 65535', ['--p2p-bind-port', '70000'], /--p2p-bind-port: 70000 is out of range/],
    ['an unknown mode', ['--daemon-mode', 'expert'], /--daemon-mode: expected one of standard, explorer/],
    ['two networks', ['--simnet', '--network', 'devnet'], /--simnet contradicts --network devnet/],
    ['two actions', ['--verify', '--export-blockchain'], /choose one of --export-blockchain, --verify/],
    [
      'checkpoints for a verify',
      ['--verify', '--load-checkpoints', 'x.csv'],
      /--load-checkpoints: verify uses no checkpoints/,
    ],
    [
      'checkpoints for an export',
      ['--export-blockchain', '--load-checkpoints='],
      /export-blockchain uses no checkpoints/,
    ],
    [
      'an export of less than 1,000 blocks',
      ['--export-blockchain', '--max-export-blocks', '5'],
      /at least 1000 blocks/,
    ],
  ])('rejects %s before it creates anything', (_, args, message) => {
    const data = join(temporaryDirectory(), 'data');
    expect(() => readConfig([...args, '--data-dir', data])).toThrow(message);
    expect(existsSync(data)).toBe(false);
  });

  it('lists the commands and every option with --help, prints one line with --version; exit code 0', async () => {
    const cwd = temporaryDirectory();
    const help = await runDaemon(['--help'], cwd);
    expect(help.code).toBe(0);
    for (const name of ['network', 'data-dir', 'add-exclusive-node', 'verify', 'dump-file', 'log-level']) {
      expect(help.stdout).toContain(`--${name}`);
    }
    for (const command of ['serve-rpc', 'attach <socket>', 'adopt <file>', 'probe <address>', 'compare <url>']) {
      expect(help.stdout).toMatch(`  wrkz-daemon ${command} `);
    }
    const version = await runDaemon(['--version'], cwd);
    expect(version).toMatchObject({ code: 0, stderr: '' });
    expect(version.stdout).toMatch(/^wrkz-daemon \d+\.\d+\.\d+\.\d+\n$/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('reports an unusable folder and exits with 1', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'file'), '');
    const inFile = await runDaemon(quiet(join(cwd, 'file')), cwd);
    expect(inFile).toMatchObject({ code: 1 });
    expect(inFile.stdout + inFile.stderr).toMatch(/the directory .* cannot be used/);
    if (process.getuid?.() === 0) return; // The superuser can write everywhere.
    mkdirSync(join(cwd, 'closed'));
    chmodSync(join(cwd, 'closed'), 0o500);
    expect(await runDaemon(quiet(join(cwd, 'closed')), cwd)).toMatchObject({ code: 1 });
  });

  it.each(['p2p', 'rpc'])('reports that the %s port is in use, exits with 1, and creates nothing', async (room) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const cwd = temporaryDirectory();
    const args = quiet(join(cwd, 'data'), `--${room}-bind-port`, String(port), '--log-file', join(cwd, 'node.log'));
    const { code, stdout, stderr } = await runDaemon(args, cwd);
    expect(stdout + stderr).toMatch(
      new RegExp(`cannot listen .*127\\.0\\.0\\.1:${String(port)}.* with --${room}-bind-port`),
    );
    expect(code).toBe(1);
    server.close();
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('reports unusable checkpoints and exits with 1', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'bad.csv'), 'what is this');
    for (const name of ['bad.csv', 'missing.csv']) {
      const { code, stdout, stderr } = await runDaemon(quiet(cwd, '--load-checkpoints', join(cwd, name)), cwd);
      expect(stdout + stderr).toMatch(new RegExp(`the checkpoints .*${name} cannot be`));
      expect(code).toBe(1);
    }
  });
});

describe('one data directory', () => {
  it('serves one daemon; a second one reports that and leaves the first undisturbed', async () => {
    const cwd = temporaryDirectory();
    const first = new DaemonProcess(quiet(cwd), cwd);
    const [, port] = await first.prints(READY);
    const second = await runDaemon(quiet(cwd), cwd);
    expect(second.code).toBe(1);
    expect(second.stdout + second.stderr).toMatch(/in use by another running program/);
    const info = (await (await fetch(`http://127.0.0.1:${port ?? ''}/info`)).json()) as { status: string };
    expect(info.status).toBe('OK');
    first.kill('SIGTERM');
    expect(await first.ended).toMatchObject({ code: 0, signal: null });
  });

  it('belongs to one network', async () => {
    const cwd = temporaryDirectory();
    const made = new DaemonProcess(quiet(cwd), cwd);
    await made.prints(READY);
    made.kill('SIGINT');
    expect(await made.ended).toMatchObject({ code: 0 });
    // The sub-folder of devnet, used as the data directory of the real network; nothing listens or dials before that.
    const { code, stdout, stderr } = await runDaemon(['--verify', '--data-dir', join(cwd, 'devnet')], cwd);
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(/belongs to devnet, not to mainnet/);
  });
});

/** A script that is preloaded into the main thread of the program. */
function hook(cwd: string, text: string): string {
  const file = join(cwd, 'hook.cjs');
  writeFileSync(file, `if (require('node:worker_threads').isMainThread) {${text}}`);
  return file;
}

describe('a stop', () => {
  it('ends in order after SIGINT, also during an import, which the next start continues', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'a.dump'), dumpOf(chainA().slice(1, 401)));
    // At the first commit.
    const interrupted = hook(
      cwd,
      `const { inspect } = require('node:util');
       const { Worker } = require('node:worker_threads');
       const { emit } = Worker.prototype;
       let isSent = false;
       Worker.prototype.emit = function (event, message) {
         if (event === 'message' && !isSent && inspect(message).includes("'commit'")) {
           isSent = true;
           process.kill(process.pid, 'SIGINT');
         }
         return emit.apply(this, arguments);
       };`,
    );
    const args = quiet(cwd, '--import-blockchain', '--dump-file', 'a.dump');
    const { code, stdout } = await new DaemonProcess(args, cwd, interrupted).ended;
    expect(stdout).toMatch(/mported [1-9]\d* blocks/);
    expect(code).toBe(stdout.includes('Stopped; imported') ? 1 : 0);
    const rest = await runDaemon(args, cwd);
    expect(rest).toMatchObject({ code: 0 });
    const verified = await runDaemon(quiet(cwd, '--verify'), cwd);
    expect(verified.code).toBe(0);
    expect(verified.stdout).toMatch(
      /^401 blocks, no problem found\ndigest [0-9a-f]{64}\nrules digest [0-9a-f]{64}\n$/m,
    );
  });
});

describe('while modules load', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'exits with 0 after a %s during the start, without a crash',
    async (signal) => {
      const cwd = temporaryDirectory();
      const interrupted = hook(
        cwd,
        `const loader = require('node:module');
       const load = loader._load;
       loader._load = function (request, ...rest) {
         if (request === './daemon') process.kill(process.pid, '${signal}');
         return load.call(this, request, ...rest);
       };`,
      );
      const { code, signal: killedBy } = await new DaemonProcess(quiet(cwd), cwd, interrupted).ended;
      expect({ code, killedBy }).toEqual({ code: 0, killedBy: null });
    },
  );

  it('loads the native module too, before accepting connections', async () => {
    const cwd = temporaryDirectory();
    const watched = hook(
      cwd,
      `const { dlopen } = process;
       process.dlopen = function (module, file, ...rest) {
         process.stderr.write('LOADED ' + file + ';');
         return dlopen.call(this, module, file, ...rest);
       };
       const { Server } = require('node:net');
       const { listen } = Server.prototype;
       Server.prototype.listen = function (...rest) {
         process.stderr.write('LISTENS;');
         return listen.apply(this, rest);
       };`,
    );
    const daemon = new DaemonProcess(quiet(cwd), cwd, watched);
    await daemon.prints(READY);
    daemon.kill('SIGTERM');
    const { stderr } = await daemon.ended;
    const [before = ''] = stderr.split('LISTENS;');
    expect(before).toMatch(/LOADED [^;]*native[^;]*\.node;/);
  });
});

describe('a stop while it synchronizes', () => {
  const suite = newSuite();
  afterAll(() => suite.stopAll());

  it('commits verified blocks after SIGTERM', async () => {
    const peer = await suite.node({ from: await suite.chainA() });
    const cwd = temporaryDirectory();
    const more = ['--add-exclusive-node', `127.0.0.1:${String(peer.p2pPort)}`];
    const syncing = new DaemonProcess(quiet(cwd, ...more), cwd);
    const [, port = ''] = await syncing.prints(READY);
    let height = 1;
    while (height === 1) {
      height = ((await (await fetch(`http://127.0.0.1:${port}/height`)).json()) as { height: number }).height;
    }
    syncing.kill('SIGTERM');
    const { code, stdout, stderr } = await syncing.ended;
    expect(stdout + stderr).not.toMatch(/FATAL/);
    expect(code).toBe(0);
    expect(height).toBeLessThan(721);
    expect((await runDaemon(quiet(cwd, '--verify'), cwd)).code).toBe(0);
  });
});

describe('verify', () => {
  it('reports the damage and exits with 1', async () => {
    const cwd = temporaryDirectory();
    const empty = await runDaemon(quiet(cwd, '--verify'), cwd);
    expect(empty.code).toBe(1);
    expect(empty.stdout + empty.stderr).toMatch(/there is no chain database/);
  });
});
