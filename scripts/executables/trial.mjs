import { performance } from 'node:perf_hooks';
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Failure } from '../lib/run.mjs';
import { top } from '../lib/workspace.mjs';
import { Started } from './started.mjs';

const load = createRequire(join(top, 'packages/testing/package.json'));
const testing = load(join(top, 'packages/testing/dist'));

const PASSWORD = 'trial';
/** What alice of chain A owns. */
const ALICE_OWNS = 233_286_511;
const NET = '--network=devnet';
/** The process that makes deliveries is one of the parts. */
const HOOK = ['--block-notify=/bin/touch told-%h', '--notify-during-sync'];

/** Each program at work on loopback, out of `release` in folders of `folder`. Times are from the start to the answer. */
export class Trial {
  /** [program, megabytes, milliseconds] */
  rows = [];
  running = [];

  constructor(release, folder) {
    this.release = release;
    this.folder = folder;
    this.wallets = testing.readJson('devnet/chain-a-expected.json').wallets;
  }

  /** Starts a program in an empty folder of its own, where its native modules go too. */
  start(program, args, folder = `${program}-${this.running.length}`) {
    const home = join(this.folder, folder);
    mkdirSync(home, { recursive: true });
    const started = new Started(join(this.release, program), args, { folder: home, env: { TMPDIR: home } });
    started.home = home;
    this.running.push(started);
    return started;
  }

  /** Nothing outlives the trial. */
  kill() {
    for (const { child } of this.running) child.kill('SIGKILL');
  }

  note(program, started) {
    const size = statSync(join(this.release, program)).size / 2 ** 20;
    this.rows.push([program, size, performance.now() - started.since]);
  }

  async versions(programs) {
    const all = [];
    for (const { name } of programs) {
      const asked = this.start(name, ['--version']);
      await asked.succeeds();
      all.push(asked.text.trim());
      if (asked.text.trim().split(' ')[0] !== name) throw new Failure(`${name} says that it is ${asked.text}`);
    }
    const versions = new Set(all.map((line) => line.split(' ')[1]));
    if (versions.size !== 1) throw new Failure(`the versions differ:\n${all.join('\n')}`);
  }

  /** One node imports chain A, another one gets it from there. Resolves to the URL of the second, which goes on. */
  async nodes() {
    const dump = join(this.folder, 'chain-a.dump');
    testing.writeChainADump(dump);
    const feeder = await this.node('feeder', [], ['--import-blockchain', `--dump-file=${dump}`]);
    const node = await this.node('node', [`--add-exclusive-node=127.0.0.1:${feeder.p2p}`, ...HOOK]);
    const isThere = ({ height, synced }) => height === testing.CHAIN_A_HEIGHT + 1 && synced !== false;
    await node.started.answers(() => get(`${node.url}/info`), isThere);
    return { feeder, node };
  }

  async node(folder, options, before) {
    const data = [NET, '--data-dir=data', '--no-console', '--log-file='];
    if (before) await this.start('wrkz-daemon', [...data, ...before], folder).succeeds();
    const p2p = await testing.freePort();
    const bind = ['--p2p-bind-ip=127.0.0.1', `--p2p-bind-port=${p2p}`, '--rpc-bind-port=0', '--zmq-pub=ipc://events'];
    const peers = options.some((option) => option.startsWith('--add-exclusive'))
      ? []
      : ['--add-exclusive-node=127.0.0.1:1'];
    const started = this.start('wrkz-daemon', [...data, ...bind, ...peers, ...options], folder);
    const [, url] = await started.prints(/RPC at (http:\/\/127\.0\.0\.1:\d+)/);
    this.note('wrkz-daemon', started);
    return { started, url, p2p };
  }

  /** What a daemon does in processes and threads besides: a copy, and a look through all that is stored. */
  async offline(node) {
    const data = [NET, '--data-dir=data', '--no-console', '--log-file='];
    await this.start('wrkz-daemon', [...data, '--backup=copy.sqlite'], 'node').succeeds();
    statSync(join(node.started.home, 'copy.sqlite'));
    const verify = this.start('wrkz-daemon', [...data, '--verify'], 'node');
    await verify.succeeds();
  }

  async walletApi({ url }) {
    const { file, password } = this.wallets.alice.walletFile;
    const port = await testing.freePort();
    const api = this.start('wrkz-wallet-api', [NET, `--rpc-password=${PASSWORD}`, `--port=${port}`, '--threads=1']);
    copyFileSync(testing.fixturePath(`devnet/${file}`), join(api.home, 'alice.wallet'));
    const key = { 'X-API-KEY': PASSWORD };
    const here = `http://127.0.0.1:${port}`;
    // without a wallet it answers that there is none
    await api.answers(
      () => fetch(`${here}/status`, { headers: key }),
      ({ status }) => status === 403,
    );
    this.note('wrkz-wallet-api', api);
    const { hostname: daemonHost, port: daemonPort } = new URL(url);
    const open = { filename: 'alice.wallet', password, daemonHost, daemonPort: Number(daemonPort) };
    await post(`${here}/wallet/open`, open, key);
    await api.answers(
      () => get(`${here}/balance`, key),
      ({ locked, unlocked }) => locked + unlocked === ALICE_OWNS,
    );
    await api.stops();
  }

  async walletRpc({ url }) {
    const { privateViewKey, addresses } = this.wallets.alice.keys;
    const container = [NET, '--container-file=alice.container', '--container-password=secret'];
    const keys = [`--view-key=${privateViewKey}`, `--spend-key=${addresses[0].privateSpendKey}`];
    await this.start('wrkz-wallet-rpc', [...container, '--generate-container', ...keys], 'wallet-rpc').succeeds();
    const port = await testing.freePort();
    const node = [`--daemon-port=${new URL(url).port}`, `--rpc-password=${PASSWORD}`, `--bind-port=${port}`];
    const rpc = this.start('wrkz-wallet-rpc', [...container, ...node, '--threads=1'], 'wallet-rpc');
    const ask = { jsonrpc: '2.0', id: 1, method: 'getBalance', params: {}, password: PASSWORD };
    const balance = () => post(`http://127.0.0.1:${port}/json_rpc`, ask);
    await rpc.answers(balance, ({ result }) => result !== undefined);
    this.note('wrkz-wallet-rpc', rpc);
    await rpc.answers(balance, ({ result }) => result.availableBalance + result.lockedAmount === ALICE_OWNS);
    await rpc.stops();
  }

  async helper() {
    const { parseTransaction } = createRequire(join(top, 'apps/pow-helper/package.json'))('@wrkz/core-types');
    const line = testing.chainALines().findLast(({ transactions }) => transactions.length > 0);
    const { prefixBytes } = parseTransaction(Buffer.from(line.transactions[0], 'hex'));
    const helper = this.start('wrkz-pow-helper', [NET, `--bind-port=${await testing.freePort()}`, '--threads=1']);
    const [, address] = await helper.prints(/listens on (127\.0\.0\.1:\d+)/);
    const url = `http://${address}`;
    this.note('wrkz-pow-helper', helper);
    const asked = { prefix: prefixBytes.toString('hex'), wait_ms: 30_000, height: line.height - 1 };
    const job = await post(`${url}/pow`, asked);
    if (!/^[0-9a-f]{16}$/.test(job.nonce)) throw new Failure(`the helper answered ${JSON.stringify(job)}`);
    await helper.stops();
  }

  async proposals() {
    const site = this.start('wrkz-proposals', ['--demo', `--bind-port=${await testing.freePort()}`]);
    const [, address] = await site.prints(/(127\.0\.0\.1:\d+)/);
    const url = `http://${address}`;
    this.note('wrkz-proposals', site);
    const page = await (await fetch(url)).text();
    for (const [path] of page.matchAll(/\/assets\/[\w.-]+/g)) {
      if ((await fetch(`${url}${path}`)).status !== 200) throw new Failure(`the proposals do not serve ${path}`);
    }
    const first = /href="(\/(?:proposals?)\/[\w-]+)"/.exec(page)?.[1];
    const text = first === undefined ? '' : await (await fetch(`${url}${first}`)).text();
    if (!page.includes('/assets/suite.') || !text.includes('<h1')) throw new Failure(`no pages:\n${page}`);
    await site.stops();
  }

  async miner({ started, url }) {
    const address = this.wallets.carol.keys.addresses[0].address;
    const mine = [`--daemon=${url}`, `--address=${address}`, '--threads=1', '--log-file='];
    const miner = this.start('wrkz-miner', [...mine, '--blocks=1']);
    await miner.succeeds();
    this.note('wrkz-miner', miner);
    await started.answers(
      () => get(`${url}/height`),
      ({ height }) => height > testing.CHAIN_A_HEIGHT + 1,
    );
    const further = this.start('wrkz-miner', mine);
    await further.prints(/\n/);
    await further.stops();
  }

  /** The hook of the node has run. */
  async told({ started }) {
    await started.answers(
      async () => statSync(join(started.home, `told-${testing.CHAIN_A_HEIGHT + 1}`)),
      () => true,
    );
  }
}

async function get(url, headers = {}) {
  const answer = await fetch(url, { headers });
  if (!answer.ok) throw new Failure(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function post(url, body, headers = {}) {
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Failure(`${url}: ${answer.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
