import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onePrefix } from '../one-prefix.mjs';
import { Failure } from '../../scripts/lib/run.mjs';
import { top } from '../../scripts/lib/workspace.mjs';
import { ask, freePort, Program } from './program.mjs';

/* What each executable must do for a test: the least that shows that all of its parts are inside. */

const require = createRequire(import.meta.url);
const { CHAIN_A_HEIGHT, chainAWallet, fixturePath, writeChainADump } = require(join(top, 'packages/testing/dist'));

const COUNT = CHAIN_A_HEIGHT + 1;
const KEY = 'a key';
const QUIET = ['--no-console', '--log-file='];

/** @param release folder of the executables @param nativesIn where they lay their native modules */
export class Stage {
  running = [];

  constructor(release, nativesIn) {
    this.release = release;
    this.nativesIn = nativesIn;
  }

  folder() {
    return mkdtempSync(join(tmpdir(), 'wrkz-scene-'));
  }

  start(name, args, options = {}) {
    const program = new Program(join(this.release, name), args, { nativesIn: this.nativesIn, ...options });
    this.running.push(program);
    return program;
  }

  async stopAll() {
    for (const program of this.running.reverse()) if (program.code === undefined) await program.stop();
  }

  /** A daemon with the chain of the dump, one that syncs from it, and what works on their files. */
  async daemons() {
    const folder = this.folder();
    const dump = join(folder, 'a.dump');
    writeChainADump(dump);
    const first = await this.daemon(folder, [], [`--import-blockchain`, `--dump-file=${dump}`]);
    const second = await this.daemon(this.folder(), [`--add-exclusive-node=127.0.0.1:${first.p2p}`, '--prune']);
    await second.program.until(
      () => ask(`${second.url}/height`),
      ({ body }) => body.height === COUNT,
    );
    const socket = join(folder, 'node.sock');
    const reader = await this.reader(folder, socket, first);
    const copy = join(folder, 'copy.sqlite');
    await this.start('wrkz-daemon', [...onDevnet(folder), `--backup=${copy}`]).done();
    if (!existsSync(copy)) throw new Failure('there is no backup');
    this.node = first;
    return `${second.url} has ${COUNT} blocks from its peer; a reader and a backup work: ${reader}`;
  }

  async daemon(folder, more = [], before = []) {
    if (before.length > 0) await this.start('wrkz-daemon', [...onDevnet(folder), ...before]).done();
    const [rpc, p2p] = [await freePort(), await freePort()];
    const peers = more.some((option) => option.includes('exclusive')) ? [] : ['--add-exclusive-node=127.0.0.1:1'];
    const listen = [`--rpc-bind-port=${rpc}`, `--p2p-bind-port=${p2p}`, '--p2p-bind-ip=127.0.0.1', '--no-zmq'];
    const ipc = [`--rpc-ipc-path=${join(folder, 'node.sock')}`];
    const program = this.start('wrkz-daemon', [...onDevnet(folder), ...listen, ...ipc, ...peers, ...more]);
    const url = `http://127.0.0.1:${rpc}`;
    await program.until(
      () => ask(`${url}/height`),
      ({ status }) => status === 200,
    );
    return { program, url, rpc, p2p, folder };
  }

  async reader(folder, socket, node) {
    const port = await freePort();
    const options = ['--network=devnet', `--data-dir=${folder}`, `--node-socket=${socket}`, `--rpc-bind-port=${port}`];
    const program = this.start('wrkz-daemon', ['serve-rpc', ...options]);
    const url = `http://127.0.0.1:${port}/getwalletsyncdata`;
    const body = { startHeight: 300, blockCount: 10 };
    const { text } = await program.until(
      () => ask(url, { body }),
      ({ status }) => status === 200,
    );
    if (text !== (await ask(`${node.url}/getwalletsyncdata`, { body })).text) throw new Failure('the reader differs');
    await program.stop();
    return `${text.length} bytes`;
  }

  async walletApi() {
    const folder = this.folder();
    copyFileSync(fixturePath('devnet/wallets/alice.wallet'), join(folder, 'alice.wallet'));
    const port = await freePort();
    const program = this.start(
      'wrkz-wallet-api',
      ['--network=devnet', `--port=${port}`, `--rpc-password=${KEY}`, ...QUIET],
      { folder },
    );
    const url = `http://127.0.0.1:${port}`;
    const headers = { 'X-API-KEY': KEY };
    await program.until(
      () => ask(`${url}/readyz`),
      ({ status }) => status === 200,
    );
    const place = { daemonHost: '127.0.0.1', daemonPort: this.node.rpc };
    const opened = await ask(`${url}/wallet/open`, {
      headers,
      body: { ...place, filename: 'alice.wallet', password: 'secret_alice' },
    });
    if (opened.status !== 200) throw new Failure(`the wallet was not opened: ${opened.text}`);
    const isSynced = ({ body }) => body.isWalletSynced && body.walletBlockCount >= CHAIN_A_HEIGHT;
    await program.until(() => ask(`${url}/status`, { headers }), isSynced);
    const { body } = await ask(`${url}/balance`, { headers });
    if (!(body.unlocked + body.locked > 0)) throw new Failure(`no balance: ${JSON.stringify(body)}`);
    return `alice has ${body.unlocked + body.locked}`;
  }

  async walletRpc() {
    const folder = this.folder();
    copyFileSync(fixturePath('devnet/wallets/bob.wallet'), join(folder, 'bob.wallet'));
    const port = await freePort();
    const program = this.start(
      'wrkz-wallet-rpc',
      [
        ...['--network=devnet', `--bind-port=${port}`, `--rpc-password=${KEY}`, '--log-file='],
        ...['--container-file=bob.wallet', '--container-password=secret_bob', `--daemon-port=${this.node.rpc}`],
      ],
      { folder },
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
    if (!(availableBalance + lockedAmount > 0)) throw new Failure('no balance');
    return `bob has ${availableBalance + lockedAmount}`;
  }

  async helper() {
    const port = await freePort();
    const program = this.start('wrkz-pow-helper', ['--network=devnet', `--bind-port=${port}`]);
    const url = `http://127.0.0.1:${port}`;
    await program.until(
      () => ask(`${url}/readyz`),
      ({ status }) => status === 200,
    );
    const { body } = await ask(`${url}/pow`, { body: { prefix: onePrefix(), wait_ms: 30_000 } });
    if (body.status !== 'done') throw new Failure(`no proof: ${JSON.stringify(body)}`);
    return `nonce ${body.nonce} after ${body.hashes} hashes`;
  }

  async proposals() {
    const folder = this.folder();
    const port = await freePort();
    const program = this.start('wrkz-proposals', [`--data-dir=${folder}`, `--bind-port=${port}`], { folder });
    const url = `http://127.0.0.1:${port}`;
    await program.until(
      () => ask(`${url}/readyz`),
      ({ status }) => status === 200,
    );
    const page = await ask(`${url}/`, { headers: { accept: 'text/html' } });
    const style = /href="([^"]+\.css[^"]*)"/.exec(page.text)?.[1];
    if (page.status !== 200 || style === undefined) throw new Failure(`no page: ${page.text.slice(0, 500)}`);
    const { status, text } = await ask(new URL(style, url).href);
    if (status !== 200) throw new Failure('the page has no style');
    return `a page of ${page.text.length} bytes, a style of ${text.length}`;
  }

  async miner() {
    const { address } = chainAWallet('carol');
    const { url } = this.node;
    const before = (await ask(`${url}/height`)).body.height;
    await this.start('wrkz-miner', [`--daemon=${url}`, `--address=${address}`, '--threads=1', '--blocks=2']).done();
    const after = (await ask(`${url}/height`)).body.height;
    if (after < before + 2) throw new Failure(`the chain stands at ${after}`);
    const endless = this.start('wrkz-miner', [`--daemon=${url}`, `--address=${address}`, '--threads=1']);
    await endless.until(
      () => ask(`${url}/height`),
      ({ body }) => body.height > after,
    );
    await endless.stop();
    return `${after - before} blocks found; SIGTERM ends it with 0`;
  }

  /** What is laid down is compared at each start: a changed module is replaced before it is loaded. */
  async changedFiles() {
    const names = readdirSync(this.nativesIn).filter((name) => name.endsWith('.node'));
    const sums = () => names.map((name) => sumOf(join(this.nativesIn, name)));
    const sound = sums();
    for (const name of names) {
      rmSync(join(this.nativesIn, name));
      writeFileSync(join(this.nativesIn, name), 'of somebody else', { mode: 0o600 });
    }
    await this.helper();
    await this.proposals();
    const replaced = sums().filter((sum, i) => sum === sound[i]).length;
    if (replaced < 2) throw new Failure(`${replaced} of ${names.length} modules were replaced`);
    return `${replaced} changed modules were replaced before they were loaded`;
  }

  /** On a disk from which nothing may be loaded, or without room, a program says so and what helps. Needs the rights of root. */
  badDisks() {
    const disks = { noexec: 'the disk is mounted noexec', 'size=64k': 'the disk is full' };
    if (process.getuid() !== 0) return 'not tried, that takes root';
    const folder = this.folder();
    for (const [option, reason] of Object.entries(disks)) {
      const line = `mount -t tmpfs -o mode=700,${option} tmpfs "$1" && exec env -i WRKZ_NATIVE_DIR="$1/n" "$0" --self-test`;
      const words = ['--mount', 'sh', '-c', line, join(this.release, 'wrkz-daemon'), folder];
      const { status, stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8', timeout: 60_000 });
      const said = `${stdout}${stderr}`;
      if (status !== 1 || !said.includes(reason) || !said.includes('WRKZ_NATIVE_DIR'))
        throw new Failure(`${option}: ended with ${status}: ${said}`);
    }
    return Object.values(disks).join('; ');
  }
}

const sumOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
const onDevnet = (folder) => ['--network=devnet', `--data-dir=${folder}`, '--skip-boot-compaction', ...QUIET];
