import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Daemon, readConfig } from '@wrkz/daemon';
import { encodeAddress } from '@wrkz/core-types';
import { silentLogger } from '@wrkz/service-kit';
import { freePort, TestWallet, Suite } from '@wrkz/testing';
import { sourceArguments } from '@wrkz/testing/source';
import { MINER_OPTIONS } from '../src/options';

/* The miner as a separate process, as users run it. */

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }), 'simnet');
const address = encodeAddress(new TestWallet('a miner of its own'));
const packageFolder = join(__dirname, '..');
const running: Program[] = [];

afterEach(async () => {
  for (const program of running.splice(0)) await program.kill();
  await suite.stopAll();
});

/** The installed `wrkz-miner` if the package is compiled, otherwise its source. */
const command = existsSync(join(packageFolder, 'dist', 'main.js'))
  ? [join(packageFolder, 'bin', 'wrkz-miner.js')]
  : sourceArguments(join(packageFolder, 'src', 'main.ts'));

class Program {
  private readonly child: ChildProcess;
  output = '';
  readonly ended: Promise<{ code: number | null; signal: string | null }>;

  constructor(...args: readonly string[]) {
    this.child = spawn(process.execPath, [...command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (text: Buffer) => (this.output += text.toString()));
    }
    this.ended = once(this.child, 'close').then(([code, signal]) => ({ code, signal }));
    running.push(this);
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** Waits for output that matches. @throws Error when the program ends without it */
  async prints(pattern: RegExp): Promise<void> {
    let over = false;
    void this.ended.then(() => (over = true));
    while (!pattern.test(this.output)) {
      if (over) throw new Error(`the miner ended without ${String(pattern)}:\n${this.output}`);
      const streams = [this.child.stdout, this.child.stderr];
      await Promise.race([this.ended, ...streams.map((stream) => stream && once(stream, 'data'))]);
    }
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
  }
}

test('--help lists every option, --version is one line; exit code 0', async () => {
  const help = new Program('--help');
  expect(await help.ended).toEqual({ code: 0, signal: null });
  for (const { name } of MINER_OPTIONS) expect(help.output).toContain(`--${name}`);
  const version = new Program('--version');
  expect(await version.ended).toEqual({ code: 0, signal: null });
  expect(version.output).toMatch(/^wrkz-miner \d+\.\d+\.\d+\.\d+\n$/);
});

it.each([
  ['no address', [], /--address: the address of the miner is required/],
  ['an invalid address', ['--address', 'Wrkz1'], /--address: /],
  ['an unknown option', ['--address', address, '--frobnicate'], /unknown option --frobnicate/],
])('%s is an error, exit code 1', async (_, args, message) => {
  const program = new Program(...args);
  expect(await program.ended).toEqual({ code: 1, signal: null });
  expect(program.output).toMatch(message);
});

test('stops after --blocks blocks with exit code 0', async () => {
  const node = await suite.node();
  const program = new Program('--address', address, '--daemon', node.url, '--threads', '1', '--blocks', '2');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.output).toContain('block 1 accepted');
  expect(node.height).toBeGreaterThanOrEqual(2);
});

it.each(['SIGINT', 'SIGTERM'] as const)('%s ends the search with 0', async (signal) => {
  const node = await suite.node();
  const program = new Program('--address', address, '--daemon', node.url, '--threads', '1');
  await program.prints(/block \d+ accepted/);
  program.signal(signal);
  expect(await program.ended).toEqual({ code: 0, signal: null });
});

it.each(['SIGINT', 'SIGTERM'] as const)('%s ends with 0 even without work', async (signal) => {
  const program = new Program('--address', address, '--stratum', `127.0.0.1:${String(await freePort())}`);
  await program.prints(/no work from/);
  program.signal(signal);
  expect(await program.ended).toEqual({ code: 0, signal: null });
});
