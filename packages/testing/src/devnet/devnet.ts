import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Link } from '../network/link';
import type { DevnetAddresses } from './curl-commands';
import { type NodeSummary, NodeProcess } from './node-process';
import { pollUntil, Program, programCommand, runMainOnce } from './program';
import { addressesOf, type DevnetSettings, readSettings } from './settings';
import { DevnetWallets, type WalletBalance } from './wallets';

/** Blocks to mine when a network is created. From block 450 on, devnet has the rules of mainnet today. */
const FIRST_BLOCKS = 460;
/** Blocks per request, which pay one wallet. */
const CHUNK = 20;
/** Seconds between these blocks. */
const SPACING = 60;
const NETWORK = ['--network', 'devnet'];

const firstProposal = (address: string): string => `---
headline: The first proposal
category: misc
user: alice
target: 1000
status: funding
address: ${address}
---
Donations to this proposal are payments to the wallet of alice.
`;

export interface DevnetOptions {
  readonly dataDir: string;
  /** Milliseconds between blocks of the miner. */
  readonly blockMs: number;
  /** Aborts when the network must stop; a running start fails then. */
  readonly signal: AbortSignal;
  /** Receives a line for each step of the start. */
  readonly report: (line: string) => void;
  /** Called when a program ends unexpectedly. */
  readonly onFailure: (message: string) => void;
}

export interface DevnetStatus {
  readonly nodes: readonly NodeSummary[];
  readonly alice: WalletBalance;
  readonly bob: WalletBalance;
}

/**
 * A network on loopback, each service a process: nodes 1, 2 and 3 in a line, a miner at node 1, the wallet of alice (wallet-api)
 * at node 1, that of bob (wallet-rpc) at node 2, the helper, and the proposals, which follow donations to alice.
 */
export class Devnet {
  readonly nodes: readonly [NodeProcess, NodeProcess, NodeProcess];
  readonly addresses: DevnetAddresses;
  readonly wallets: DevnetWallets;
  private readonly helper: Program;
  private readonly walletApi: Program;
  private readonly walletRpc: Program;
  private readonly proposals: Program;
  private readonly miner: Program;
  /** In the order of the start. */
  private readonly started: Program[] = [];
  private readonly commands: Promise<void>[] = [];
  private mining: Promise<void> = Promise.resolve();
  private lastBlock: Promise<void> = Promise.resolve();
  private isMiningPaused = false;
  private isStopping = false;

  private constructor(
    private readonly options: DevnetOptions,
    private readonly settings: DevnetSettings,
    /** Between nodes 2 and 3. */
    readonly link: Link,
  ) {
    const { ports, alice } = settings;
    const { rpc1, rpc2, rpc3, p2p1, p2p2, p2p3 } = ports;
    this.nodes = [
      this.node(1, rpc1, p2p1, [], ['--enable-health', '--stratum-bind-port', String(ports.stratum)]),
      this.node(2, rpc2, p2p2, [p2p1]),
      this.node(3, rpc3, p2p3, [link.port]),
    ];
    this.addresses = addressesOf(settings);
    this.wallets = new DevnetWallets(this.addresses);
    const bind = (port: number): string[] => [...NETWORK, '--bind-port', String(port)];
    const pow = ['--threads', '1', '--tx-pow-server', this.addresses.helper];
    const api = [...NETWORK, '-r', settings.key('api'), '-p', String(ports.api), '--no-console', '--log-level', '3'];
    const files = ['--wallet-dir', this.path('alice'), '--rpc-key-file', this.path('alice/keys.json')];
    const node2 = ['--daemon-port', String(rpc2), '--rpc-password', settings.key('rpc')];
    const wallet = ['--wallet-api', this.addresses.walletApi, '--wallet-api-key', settings.key('read')];
    const stratum = ['--stratum', this.addresses.stratum, '--address', alice.address, '--threads', '1'];
    this.helper = this.service('pow-helper', [...bind(ports.helper), '--rate-limit', '0']);
    this.walletApi = this.service('wallet-api', [...api, ...pow, ...files]);
    this.walletRpc = this.service('wallet-rpc', [...bind(ports.rpc), ...pow, ...this.container(), ...node2]);
    const data = ['--data-dir', this.path('proposals')];
    this.proposals = this.service('proposals', [...bind(ports.proposals), ...data, ...wallet, '--wallet-poll', '1']);
    this.miner = this.program('miner', 'packages/miner', [...stratum, '--blocks', '1'], /mines with/);
  }

  /** Reads or creates the settings in the data directory; starts nothing. */
  static async create(options: DevnetOptions): Promise<Devnet> {
    const { dataDir } = options;
    for (const folder of ['logs', 'alice', 'bob', 'proposals']) {
      mkdirSync(join(dataDir, folder), { recursive: true, mode: 0o700 });
    }
    const settings = await readSettings(dataDir);
    return new Devnet(options, settings, await Link.to(settings.ports.p2p2));
  }

  /** Resolves when both wallets can spend and the miner runs. @throws Error when a program does not start, or at a stop */
  async start(): Promise<void> {
    const { report } = this.options;
    const [first, second, third] = this.nodes;
    report('starting node 1');
    await this.run(first.program);
    this.settings.save();
    // The other programs are started later: one long synchronization is cheaper than many short ones.
    await Promise.all([this.mineFirstBlocks(), this.createContainer(), this.createProposal()]);
    report('starting the other nodes and the services');
    const run = (...programs: Program[]): Promise<unknown> => Promise.all(programs.map((program) => this.run(program)));
    // Start a client after its node: otherwise it would wait some seconds before the next attempt.
    const followers = run(second.program).then(() => run(third.program, this.walletRpc));
    await Promise.all([followers, this.openAlice().then(() => run(this.proposals)), run(this.helper)]);
    report('waiting for the nodes and wallets to follow');
    const { signal } = this.options;
    await Promise.all([
      second.untilConnections(2, signal),
      third.untilConnections(1, signal),
      this.untilSynchronized(),
    ]);
    this.mining = this.mine().catch((error: unknown) => this.fail(String(error)));
  }

  /** Resolves when the nodes have the same newest block and both wallets have read it. */
  async untilSynchronized(): Promise<void> {
    const isSame = async (): Promise<boolean> => {
      const tips = await Promise.all(this.nodes.map((node) => node.tip()));
      const wallets = await this.wallets.heights();
      return tips.every(({ hash, height }) => hash === tips[0]?.hash && wallets.every((at) => at >= height));
    };
    await pollUntil(isSame, () => 'nodes and wallets with the same newest block', this.options.signal);
  }

  /** Resolves when the miner is paused. @returns a function that resumes it */
  async pauseMining(): Promise<() => void> {
    this.isMiningPaused = true;
    await this.lastBlock;
    return () => {
      this.isMiningPaused = false;
    };
  }

  /** Stops every program, the newest first. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const program of this.started.toReversed()) await program.stop('SIGTERM');
    await Promise.allSettled(this.commands);
    await this.mining;
    await this.link.close();
  }

  /** Sends SIGKILL to every running program without waiting. */
  kill(): void {
    for (const program of this.started) void program.stop('SIGKILL');
  }

  async status(): Promise<DevnetStatus> {
    const [nodes, [alice, bob]] = await Promise.all([
      Promise.all(this.nodes.map((node) => node.info())),
      this.wallets.balances(),
    ]);
    return { nodes, alice, bob };
  }

  private path(name: string): string {
    return join(this.options.dataDir, name);
  }

  private node(
    number: number,
    rpcPort: number,
    p2pPort: number,
    peers: readonly number[],
    args: string[] = [],
  ): NodeProcess {
    const { signal } = this.options;
    const name = `node${String(number)}`;
    const [dataDir, logFile] = [this.path(name), this.path(`logs/${name}.log`)];
    return new NodeProcess({ name, dataDir, rpcPort, p2pPort, peers, args, logFile, signal });
  }

  private service(name: string, args: readonly string[]): Program {
    return this.program(name, `apps/${name}`, args, /listens on/);
  }

  private program(name: string, folder: string, args: readonly string[], ready: RegExp): Program {
    const { signal } = this.options;
    const command = [...programCommand(folder), ...args];
    return new Program(name, () => command, { ready, logFile: this.path(`logs/${name}.log`), signal });
  }

  private container(): string[] {
    const file = ['--container-file', this.path('bob/bob.wallet'), '--container-password', this.settings.key('rpc')];
    return [...file, '--log-file', ''];
  }

  /** Runs a command to its end. `stop` waits for the command, so that it writes nothing afterwards. */
  private async runOnce(folder: string, args: readonly string[]): Promise<void> {
    const run = runMainOnce(folder, args, this.options.signal);
    this.commands.push(run);
    await run;
  }

  /** Starts a program that is not expected to end before `stop`. */
  private async run(program: Program): Promise<void> {
    this.started.push(program);
    await program.start();
    void program.ended.then((end) => this.fail(program.describeEnd(end)));
  }

  private fail(message: string): void {
    if (this.isStopping || this.options.signal.aborted) return;
    this.isStopping = true;
    this.options.onFailure(message);
  }

  private async createContainer(): Promise<void> {
    if (existsSync(this.path('bob/bob.wallet'))) return;
    const { viewSecret, spendSecret } = this.settings.bob;
    const keys = ['--view-key', viewSecret.toString('hex'), '--spend-key', spendSecret.toString('hex')];
    await this.runOnce('apps/wallet-rpc', [...NETWORK, ...this.container(), '--generate-container', ...keys]);
  }

  private async createProposal(): Promise<void> {
    if (existsSync(this.path('proposals/devnet/proposals.sqlite'))) return;
    const file = this.path('proposals/first.md');
    writeFileSync(file, firstProposal(this.addresses.donation));
    await this.runOnce('apps/proposals', ['admin', 'add', file, ...NETWORK, '--data-dir', this.path('proposals')]);
  }

  private async openAlice(): Promise<void> {
    const read = createHash('sha256').update(this.settings.key('read')).digest('hex');
    writeFileSync(this.path('alice/keys.json'), JSON.stringify([{ name: 'proposals', hash: read, scope: 'read' }]));
    await this.run(this.walletApi);
    const node = { daemonHost: '127.0.0.1', daemonPort: this.settings.ports.rpc1 };
    const wallet = { filename: 'alice.wallet', password: this.settings.key('api'), ...node };
    if (existsSync(this.path('alice/alice.wallet')))
      return void (await this.wallets.api('POST', '/wallet/open', wallet));
    const { viewSecret, spendSecret } = this.settings.alice;
    const keys = { privateViewKey: viewSecret.toString('hex'), privateSpendKey: spendSecret.toString('hex') };
    await this.wallets.api('POST', '/wallet/import/key', { ...wallet, ...keys, scanHeight: 0 });
  }

  private async mineFirstBlocks(): Promise<void> {
    const [node] = this.nodes;
    const { height } = await node.info();
    if (height > FIRST_BLOCKS) return;
    this.options.report(`mining ${String(FIRST_BLOCKS)} blocks`);
    const begin = Math.floor(Date.now() / 1000) - FIRST_BLOCKS * SPACING;
    for (let mined = height - 1; mined < FIRST_BLOCKS; mined += CHUNK) {
      const { address } = Math.floor(mined / CHUNK) % 2 === 0 ? this.settings.alice : this.settings.bob;
      this.options.signal.throwIfAborted();
      await node.generate(address, CHUNK, { timestamp: begin + mined * SPACING, spacing: SPACING });
    }
  }

  private async mine(): Promise<void> {
    const { signal, blockMs } = this.options;
    this.started.push(this.miner);
    while (!this.isStopping && !signal.aborted) {
      await pause(blockMs, undefined, { signal });
      if (this.isMiningPaused) continue;
      this.lastBlock = this.mineBlock();
      await this.lastBlock;
    }
  }

  /** Runs the miner for one block, because its rate cannot be limited. */
  private async mineBlock(): Promise<void> {
    await this.miner.start();
    const end = await this.miner.ended;
    if (end.code !== 0) throw new Error(this.miner.describeEnd(end));
  }
}
