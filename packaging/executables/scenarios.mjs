import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../scripts/lib/run.mjs';
import { top } from '../../scripts/lib/workspace.mjs';
import { release } from '../programs.mjs';
import { ask, freePort, Program, transactionPrefix } from '../test-support.mjs';
import { sha256 } from './checksums.mjs';

const require = createRequire(import.meta.url);
const { CHAIN_A_HEIGHT, chainAWallet, fixturePath, writeChainADump } = require(join(top, 'packages/testing/dist'));

const COUNT = CHAIN_A_HEIGHT + 1;
const KEY = 'a key';
const QUIET = ['--no-console', '--log-file='];

const newFolder = () => mkdtempSync(join(tmpdir(), 'wrkz-scenario-'));
const onDevnet = (folder) => ['--network=devnet', `--data-dir=${folder}`, '--skip-boot-compaction', ...QUIET];

/**
 * One scenario per executable, just large enough to load every thread, child process, native module and data file.
 * The methods of SCENARIOS run in that order; each returns a line for the report. @throws Failure
 */
export class Scenarios {
  running = [];

  /** @param nativeFolder where the executables write their native modules */
  constructor(nativeFolder) {
    this.nativeFolder = nativeFolder;
  }

  start(name, args, folder) {
    const program = new Program(join(release, name), args, { nativeFolder: this.nativeFolder, folder });
    this.running.push(program);
    return program;
  }

  async stopAll() {
    for (const program of this.running.reverse()) if (program.code === undefined) await program.stop();
  }

  /** A daemon with the chain of a dump, a second one that synchronizes from it, a reader process and a backup. */
  async daemons() {
    const folder = newFolder();
    const dump = join(folder, 'a.dump');
    writeChainADump(dump);
    await this.start('wrkz-daemon', [...onDevnet(folder), '--import-blockchain', `--dump-file=${dump}`]).done();
    this.node = await this.daemon(folder, '127.0.0.1:1');
    const second = await this.daemon(newFolder(), `127.0.0.1:${this.node.p2p}`, '--prune');
    await second.program.until(
      () => ask(`${second.url}/height`),
      ({ body }) => body.height === COUNT,
    );
    const bytes = await this.reader(folder);
    const copy = join(folder, 'copy.sqlite');
    await this.start('wrkz-daemon', [...onDevnet(folder), `--backup=${copy}`]).done();
    if (!existsSync(copy)) throw new Failure('there is no backup');
    return `${COUNT} blocks synchronized from a peer; the reader returns ${bytes} bytes; a backup is written`;
  }

  async daemon(folder, peer, ...options) {
    const [rpc, p2p] = [await freePort(), await freePort()];
    const listen = [`--rpc-bind-port=${rpc}`, `--p2p-bind-port=${p2p}`, '--p2p-bind-ip=127.0.0.1', '--no-zmq'];
    const links = [`--rpc-ipc-path=${join(folder, 'node.sock')}`, `--add-exclusive-node=${peer}`];
    const program = this.start('wrkz-daemon', [...onDevnet(folder), ...listen, ...links, ...options]);
    const url = `http://127.0.0.1:${rpc}`;
    await program.available(`${url}/height`);
    return { program, url, rpc, p2p };
  }

  async reader(folder) {
    const port = await freePort();
    const socket = join(folder, 'node.sock');
    const options = ['--network=devnet', `--data-dir=${folder}`, `--node-socket=${socket}`, `--rpc-bind-port=${port}`];
    const program = this.start('wrkz-daemon', ['serve-rpc', ...options]);
    const request = { body: { startHeight: 300, blockCount: 10 } };
    const { text } = await program.available(`http://127.0.0.1:${port}/getwalletsyncdata`, request);
    if (text !== (await ask(`${this.node.url}/getwalletsyncdata`, request)).text)
      throw new Failure('the responses of the reader and the daemon differ');
    await program.stop();
    return text.length;
  }

  async walletApi() {
    const folder = newFolder();
    copyFileSync(fixturePath('devnet/wallets/alice.wallet'), join(folder, 'alice.wallet'));
    const port = await freePort();
    const options = ['--network=devnet', `--port=${port}`, `--rpc-password=${KEY}`, ...QUIET];
    const program = this.start('wrkz-wallet-api', options, folder);
    const url = `http://127.0.0.1:${port}`;
    const headers = { 'X-API-KEY': KEY };
    await program.available(`${url}/readyz`);
    const node = { daemonHost: '127.0.0.1', daemonPort: this.node.rpc };
    const wallet = { ...node, filename: 'alice.wallet', password: 'secret_alice' };
    const opened = await ask(`${url}/wallet/open`, { headers, body: wallet });
    if (opened.status !== 200) throw new Failure(`the wallet was not opened: ${opened.text}`);
    const isSynced = ({ body }) => body.isWalletSynced && body.walletBlockCount >= CHAIN_A_HEIGHT;
    await program.until(() => ask(`${url}/status`, { headers }), isSynced);
    const { unlocked, locked } = (await ask(`${url}/balance`, { headers })).body;
    if (!(unlocked + locked > 0)) throw new Failure('the wallet has no balance');
    return `balance ${unlocked + locked}`;
  }

  async walletRpc() {
    const folder = newFolder();
    copyFileSync(fixturePath('devnet/wallets/bob.wallet'), join(folder, 'bob.wallet'));
    const port = await freePort();
    const program = this.start(
      'wrkz-wallet-rpc',
      [
        ...['--network=devnet', `--bind-port=${port}`, `--rpc-password=${KEY}`, '--log-file='],
        ...['--container-file=bob.wallet', '--container-password=secret_bob', `--daemon-port=${this.node.rpc}`],
      ],
      folder,
    );
    const call = async (method) => {
      const body = { jsonrpc: '2.0', id: 1, method, params: {}, password: KEY };
      return (await ask(`http://127.0.0.1:${port}/json_rpc`, { body })).body.result;
    };
    await program.until(
      () => call('getStatus'),
      (result) => result.blockCount >= CHAIN_A_HEIGHT,
    );
    const { availableBalance, lockedAmount } = await call('getBalance');
    if (!(availableBalance + lockedAmount > 0)) throw new Failure('the wallet has no balance');
    return `balance ${availableBalance + lockedAmount}`;
  }

  async powHelper() {
    const port = await freePort();
    const program = this.start('wrkz-pow-helper', ['--network=devnet', `--bind-port=${port}`]);
    const url = `http://127.0.0.1:${port}`;
    await program.available(`${url}/readyz`);
    const { body, text } = await ask(`${url}/pow`, { body: { prefix: transactionPrefix(), wait_ms: 30_000 } });
    if (body?.status !== 'done') throw new Failure(`no proof of work: ${text}`);
    return `a nonce after ${body.hashes} hashes`;
  }

  async proposals() {
    const folder = newFolder();
    const port = await freePort();
    const program = this.start('wrkz-proposals', [`--data-dir=${folder}`, `--bind-port=${port}`], folder);
    const url = `http://127.0.0.1:${port}`;
    await program.available(`${url}/readyz`);
    const page = await ask(`${url}/`, { headers: { accept: 'text/html' } });
    const style = /href="([^"]+\.css[^"]*)"/.exec(page.text)?.[1];
    if (page.status !== 200 || style === undefined) throw new Failure(`no page: ${page.text.slice(0, 500)}`);
    const { status, text } = await ask(new URL(style, url).href);
    if (status !== 200) throw new Failure('the style sheet is missing');
    return `a page of ${page.text.length} bytes, a style sheet of ${text.length}`;
  }

  async miner() {
    const { url } = this.node;
    const options = [`--daemon=${url}`, `--address=${chainAWallet('carol').address}`, '--threads=1'];
    const height = async () => (await ask(`${url}/height`)).body.height;
    const before = await height();
    await this.start('wrkz-miner', [...options, '--blocks=2']).done();
    const after = await height();
    if (after < before + 2) throw new Failure(`the height is ${after} after two blocks on ${before}`);
    const endless = this.start('wrkz-miner', options);
    await endless.until(height, (now) => now > after);
    await endless.stop();
    return `${after - before} blocks`;
  }

  /** Executables replace changed native modules before they load them. */
  async changedFiles() {
    const files = readdirSync(this.nativeFolder)
      .filter((name) => name.endsWith('.node'))
      .map((name) => join(this.nativeFolder, name));
    const sums = files.map(sha256);
    for (const file of files) {
      rmSync(file);
      writeFileSync(file, 'changed', { mode: 0o600 });
    }
    await this.powHelper();
    await this.proposals();
    const replaced = files.filter((file, i) => sha256(file) === sums[i]).length;
    if (replaced < 2) throw new Failure(`${replaced} of ${files.length} native modules were replaced`);
    return `${replaced} changed native modules were replaced`;
  }

  /** On a full disk, or one mounted noexec, a program reports the reason and the remedy. Needs root. */
  badDisks() {
    if (process.getuid() !== 0) return 'skipped: needs root';
    const disks = { noexec: 'the disk is mounted noexec', 'size=64k': 'the disk is full' };
    for (const [option, reason] of Object.entries(disks)) {
      const line = `mount -t tmpfs -o mode=700,${option} tmpfs "$1" && exec env -i WRKZ_NATIVE_DIR="$1/n" "$0" --self-test`;
      const args = ['--mount', 'sh', '-c', line, join(release, 'wrkz-daemon'), newFolder()];
      const { status, stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8', timeout: 60_000 });
      const output = `${stdout}${stderr}`;
      if (status !== 1 || !output.includes(reason) || !output.includes('WRKZ_NATIVE_DIR'))
        throw new Failure(`${option}: ended with ${status}: ${output}`);
    }
    return Object.values(disks).join('; ');
  }
}

export const SCENARIOS = [
  'daemons',
  'walletApi',
  'walletRpc',
  'powHelper',
  'proposals',
  'miner',
  'changedFiles',
  'badDisks',
];
