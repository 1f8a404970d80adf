import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canMount, mainArguments, nodeCommand, pollUntil, Program, SmallDisk } from '../src';
import { DevnetCommand, readDevnetOptions } from '../src/devnet/command';
import { readSettings } from '../src/devnet/settings';

/* The command `npm run devnet`, in a separate process. */

const folder = mkdtempSync(join(tmpdir(), 'wrkz-devnet-test-'));
const dataDir = join(folder, 'network');
const running: Program[] = [];

afterEach(async () => {
  for (const program of running.splice(0)) await program.stop('SIGTERM');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the command; its temporary directory is in `folder`. @param ready a line to wait for */
async function devnet(ready: RegExp, ...args: readonly string[]): Promise<Program> {
  const command = () => [...nodeCommand(mainArguments('packages/testing', 'devnet/main')), ...args];
  const program = new Program('devnet', command, { ready, within: ['env', `TMPDIR=${folder}`] });
  running.push(program);
  await program.start();
  return program;
}

/** Process ids of the programs that a command has started. */
function childrenOf(pid: number | undefined): number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.map(Number).filter((one) => parentOf(one) === pid);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]);
  } catch {
    // The process has ended.
    return undefined;
  }
}

async function childrenAfterStart(program: Program, count: number): Promise<number[]> {
  await pollUntil(
    async () => childrenOf(program.pid).length >= count,
    () => `${String(count)} children of the devnet`,
  );
  return childrenOf(program.pid);
}

const untilGone = (pids: readonly number[]): Promise<void> =>
  pollUntil(
    async () => pids.every((pid) => !existsSync(`/proc/${String(pid)}`)),
    () => `the end of ${pids.join(', ')}`,
  );

const temporary = (): string[] => readdirSync(folder).filter((name) => name.startsWith('wrkz-devnet-'));

/** A field in the response to each of the ten printed commands. */
const FIELDS = [
  '"synced":true',
  '"block_header":{',
  '"isWalletSynced":true',
  '"unlocked":',
  '"transactionHash":',
  '"completed":',
  '"hashes":[',
  '"availableBalance":',
  '"transactionHash":',
  '"funded_pct":',
];

test('the programs that it starts are installed', () => {
  const programs = [require.resolve('@wrkz/miner/package.json'), require.resolve('@wrkz/pow-helper/package.json')];
  expect(programs.filter((path) => !existsSync(path))).toEqual([]);
});

describe('a network with a data directory', () => {
  let smoke: Program;
  let pids: number[];
  beforeAll(async () => {
    smoke = await devnet(/starting node 1/, '--smoke', '--fork', '--data-dir', dataDir);
    pids = await childrenAfterStart(smoke, 1);
    await smoke.ended;
  });

  test('--smoke follows a payment through every service, --fork shows a reorganisation; only the data remains', async () => {
    const log = smoke.log.join('\n');
    expect([log, await smoke.ended]).toEqual([expect.stringContaining('smoke run passed'), { code: 0, signal: null }]);
    expect(log).toMatch(/reorganisation of nodes 1 and 2: old tip \d+ [0-9a-f]{64}, new tip \d+ [0-9a-f]{64}, depth 3/);
    await untilGone(pids);
    expect(temporary()).toEqual([]);
  });

  test('can be restarted; the ten printed commands work; a killed devnet leaves no process', async () => {
    const command = await devnet(/Ready after/, '--data-dir', dataDir);
    expect(command.log.join('\n')).not.toContain('mining');
    const lines = command.log.filter((line) => line.startsWith('curl '));
    const responses = lines.map((line) => {
      const { stdout } = spawnSync('bash', ['-c', `${line} -w ' %{http_code}'`], { encoding: 'utf8' });
      const [, body = '', status = ''] = /^([^]*) (\d+)$/.exec(stdout) ?? [];
      return { body, isOk: status === '200' || status === '201' };
    });
    expect(responses).toEqual(FIELDS.map((field) => ({ body: expect.stringContaining(field), isOk: true })));
    const services = childrenOf(command.pid);
    expect(services.length).toBeGreaterThanOrEqual(7);
    await command.stop('SIGKILL');
    await untilGone(services);
  });
});

test('a program that ends is reported with its log, stops the network with code 1, and the logs are retained', async () => {
  const command = await devnet(/mining/);
  const [node = 0] = childrenOf(command.pid);
  process.kill(node, 'SIGKILL');
  expect(await command.ended).toEqual({ code: 1, signal: null });
  expect(command.log.join('\n')).toMatch(/node1 ended \(SIGKILL\):\n.*RPC at[^]*The logs are in /);
  const [left = ''] = temporary();
  expect(readdirSync(join(folder, left))).toEqual(['logs']);
  rmSync(join(folder, left), { recursive: true });
});

test('Ctrl-C during the start stops the started programs, removes all files and exits with 0', async () => {
  const command = await devnet(/starting node 1/);
  const pids = await childrenAfterStart(command, 1);
  process.kill(command.pid ?? 0, 'SIGINT');
  expect(await command.ended).toEqual({ code: 0, signal: null });
  await untilGone(pids);
  expect(temporary()).toEqual([]);
});

test('Ctrl-C waits for the commands that create the wallet of bob and the proposal', async () => {
  const command = await devnet(/mining/);
  const pids = await childrenAfterStart(command, 3);
  process.kill(command.pid ?? 0, 'SIGINT');
  expect(await command.ended).toEqual({ code: 0, signal: null });
  expect(pids.filter((pid) => existsSync(`/proc/${String(pid)}`))).toEqual([]);
  expect(temporary()).toEqual([]);
});

test('a second signal ends the command at once, with the code of the signal, and removes all files', async () => {
  const command = await devnet(/starting node 1/);
  const pids = await childrenAfterStart(command, 1);
  // The stopped process receives both signals at once, in either order. A different signal counts without a pause in between.
  for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) process.kill(command.pid ?? 0, signal);
  expect([130, 143]).toContain((await command.ended).code);
  await untilGone(pids);
  expect(temporary()).toEqual([]);
});

it.each([
  ['an unknown option', ['--frobnicate'], /unknown option --frobnicate/],
  ['smoke with traffic', ['--smoke', '--traffic'], /exclude each other/],
  ['an empty directory name', ['--data-dir='], /name a directory/],
  ['a directory with other files', ['--data-dir', __dirname], /has other files/],
  ['a file as directory', ['--data-dir', __filename], /is not a directory/],
  ['a directory below a file', ['--data-dir', join(__filename, 'network')], /is not a directory/],
])('%s is an error with exit code 2', (_, args, message) => {
  expect(() => readDevnetOptions(args)).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringMatching(message) }),
  );
});

test('reports a missing TMPDIR', () => {
  const missing = join(folder, 'missing');
  // In this process, because the loader of sources creates TMPDIR.
  const mock = jest.spyOn(os, 'tmpdir').mockReturnValue(missing);
  const control = { requestStop: () => undefined, signal: new AbortController().signal };
  const create = () => new DevnetCommand(readDevnetOptions([]), control);
  expect(create).toThrow(`no directory can be created in ${missing} (TMPDIR)`);
  mock.mockRestore();
});

test('reports a directory that cannot be used', () => {
  const args = [...mainArguments('packages/testing', 'devnet/main'), '--data-dir', '/proc/wrkz/network'];
  // Only SIGKILL ends a process whose event loop is blocked.
  const end = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' });
  expect([end.status, end.stdout, end.stderr]).toEqual([
    2,
    '',
    expect.stringContaining('--data-dir: the directory /proc/wrkz/network cannot be used: '),
  ]);
});

test('reports a disk without space before it starts a program', async () => {
  if (!canMount()) return;
  const disk = await SmallDisk.mount(10 * 1024 * 1024);
  try {
    const args = [...mainArguments('packages/testing', 'devnet/main'), '--data-dir', join(disk.outside, 'network')];
    const full = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
    expect([full.status, full.stdout]).toEqual([
      1,
      expect.stringMatching(/^.+ has \d+ MB of free space; the devnet needs 200 MB\n$/),
    ]);
  } finally {
    await disk.unmount();
  }
});

test('--help lists the options', () => {
  expect(() => readDevnetOptions(['--help'])).toThrow(
    expect.objectContaining({
      exitCode: 0,
      message: expect.stringMatching(/--smoke[^]*--fork[^]*--traffic[^]*--data-dir/),
    }),
  );
});

test.each(['', '{}', '[]', '{"seed":"0","ports":{"rpc1":1}}'])(
  'damaged settings (%s) are reported with their file',
  async (text) => {
    const dir = mkdtempSync(join(folder, 'damaged-'));
    const file = join(dir, 'devnet.json');
    writeFileSync(file, text);
    await expect(readSettings(dir)).rejects.toThrow(`${file} is damaged`);
    expect(readFileSync(file, 'utf8')).toBe(text);
  },
);

test('settings of an existing network change only when they are saved', async () => {
  const dir = mkdtempSync(join(folder, 'settings-'));
  const first = await readSettings(dir);
  const server = createServer().listen(first.ports.rpc1, '127.0.0.1');
  await once(server, 'listening');
  const file = join(dir, 'devnet.json');
  const before = readFileSync(file, 'utf8');
  const second = await readSettings(dir);
  expect(second.ports.rpc1).not.toBe(first.ports.rpc1);
  expect(second.alice.address).toBe(first.alice.address);
  expect(readFileSync(file, 'utf8')).toBe(before);
  second.save();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ ports: second.ports });
  server.close();
});
