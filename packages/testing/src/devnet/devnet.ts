import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { encodeAddress } from '@wrkz/core-types';
import { freePort } from '../free-port';
import { Link } from '../network/link';
import { requestJson } from '../node-client';
import { TestWallet } from '../test-wallet';
import type { DevnetAddresses } from './curl-commands';
import { type NodeInfo, NodeProcess } from './node-process';
import { mainArguments, pollUntil, Program, runMainOnce } from './program';

const PORTS = ['rpc1', 'p2p1', 'rpc2', 'p2p2', 'rpc3', 'p2p3', 'stratum', 'api', 'rpc', 'helper', 'proposals'] as const;
type PortName = (typeof PORTS)[number];

/** Mined when a network is created. From block 450 on the rules of devnet are those of today's mainnet. */
const FIRST_BLOCKS = 460;
/** Blocks of one request that pay one wallet. */
const CHUNK = 20;
/** Seconds from block to block among them. */
const SPACING = 60;

/** Stored in the data directory, so that a network that is started again has the same keys and, where free, the same ports. */
interface Settings {
  /** All keys and wallets derive from it. */
  readonly seed: string;
  readonly ports: Readonly<Record<PortName, number>>;
}

export interface DevnetOptions {
  readonly dataDir: string;
  /** Milliseconds between blocks of the miner. */
  readonly blockMs: number;
  /** Fires when the network is to stop; a start in progress fails then. */
  readonly signal: AbortSignal;
  /** Receives a line for each step of the start. */
  readonly report: (line: string) => void;
  /** Called when a program ends by itself. */
  readonly onFailure: (message: string) => void;
}

/** Atomic units. */
export interface WalletBalance {
  readonly unlocked: number;
  readonly locked: number;
}

export interface DevnetStatus {
  readonly nodes: readonly NodeInfo[];
  readonly alice: WalletBalance;
  readonly bob: WalletBalance;
}

/**
 * A network on loopback, each service a process: nodes 1, 2 and 3 in a line, a miner at node 1, the wallet of alice (wallet-api) at
 * node 1, that of bob (wallet-rpc) at node 2, the helper, and the proposals, which follow donations to alice.
 */
export class Devnet {
  readonly nodes: readonly [NodeProcess, NodeProcess, NodeProcess];
  readonly addresses: DevnetAddresses;
  /** Set to stop the miner for a while. */
  isMiningPaused = false;
  private readonly alice: TestWallet;
  private readonly bob: TestWallet;
  private readonly helper: Program;
  private readonly walletApi: Program;
  private readonly walletRpc: Program;
  private readonly proposals: Program;
  private readonly miner: Program;
  /** In the order of the start. */
  private readonly started: Program[] = [];
  private mining: Promise<void> = Promise.resolve();
  private isStopping = false;

  private constructor(
    private readonly options: DevnetOptions,
    private readonly settings: Settings,
    /** Between nodes 2 and 3. */
    readonly link: Link,
  ) {
    const { seed, ports } = settings;
    const { rpc1, rpc2, rpc3, p2p1, p2p2, p2p3 } = ports;
    this.alice = new TestWallet(`${seed} alice`);
    this.bob = new TestWallet(`${seed} bob`);
    this.nodes = [
      this.node(1, rpc1, p2p1, [], ['--stratum-bind-port', String(ports.stratum)]),
      this.node(2, rpc2, p2p2, [p2p1]),
      this.node(3, rpc3, p2p3, [link.port]),
    ];
    const url = (port: number): string => `http://127.0.0.1:${String(port)}`;
    const { spendPublic, viewPublic } = this.alice;
    const paymentId = createHash('sha256').update('the first proposal').digest('hex');
    this.addresses = {
      nodes: [rpc1, rpc2, rpc3].map(url),
      peers: [p2p1, p2p2, p2p3].map((port) => `127.0.0.1:${String(port)}`),
      stratum: `127.0.0.1:${String(ports.stratum)}`,
      helper: url(ports.helper),
      walletApi: url(ports.api),
      walletRpc: `${url(ports.rpc)}/json_rpc`,
      proposals: url(ports.proposals),
      apiKey: this.key('api'),
      rpcPassword: this.key('rpc'),
      alice: this.alice.address,
      bob: this.bob.address,
      donation: encodeAddress({ spendPublic, viewPublic, paymentId }),
    };
    const data = ['--network', 'devnet', '--data-dir', this.path('proposals')];
    const pow = ['--network', 'devnet', '--threads', '1', '--tx-pow-server', this.addresses.helper];
    const api = ['-r', this.key('api'), '-p', String(ports.api), '--wallet-dir', this.path('alice'), '--no-console'];
    const keyFile = ['--rpc-key-file', this.path('alice/keys.json'), '--log-level', '3'];
    const node2 = ['--daemon-port', String(rpc2), '--bind-port', String(ports.rpc), '--rpc-password', this.key('rpc')];
    const wallet = [
      '--wallet-api',
      this.addresses.walletApi,
      '--wallet-api-key',
      this.key('read'),
      '--wallet-poll',
      '1',
    ];
    const stratum = ['--stratum', this.addresses.stratum, '--address', this.alice.address, '--threads', '1'];
    this.helper = this.service('pow-helper', ['--network', 'devnet', '--bind-port', String(ports.helper)]);
    this.walletApi = this.service('wallet-api', [...pow, ...api, ...keyFile]);
    this.walletRpc = this.service('wallet-rpc', [...pow, ...this.container(), ...node2]);
    this.proposals = this.service('proposals', [...data, ...wallet, '--bind-port', String(ports.proposals)]);
    this.miner = this.program('miner', 'packages/miner', [...stratum, '--blocks', '1'], /mines with/);
  }

  /** Reads or creates the settings in the data directory; starts nothing. */
  static async create(options: DevnetOptions): Promise<Devnet> {
    const { dataDir } = options;
    for (const folder of ['logs', 'alice', 'bob', 'proposals']) {
      mkdirSync(join(dataDir, folder), { recursive: true, mode: 0o700 });
    }
    const file = join(dataDir, 'devnet.json');
    const stored = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Settings) : undefined;
    const ports = new Map<PortName, number>();
    for (const name of PORTS) {
      let port = await freePort(stored?.ports[name]);
      while ([...ports.values()].includes(port)) port = await freePort();
      ports.set(name, port);
    }
    const settings = {
      seed: stored?.seed ?? randomBytes(16).toString('hex'),
      ports: Object.fromEntries(ports) as Settings['ports'],
    };
    writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
    return new Devnet(options, settings, await Link.to(settings.ports.p2p2));
  }

  /** Resolves when both wallets can spend and the miner runs. @throws Error when a program does not start, or at a stop */
  async start(): Promise<void> {
    const { report } = this.options;
    const [first, second, third] = this.nodes;
    report('starting node 1');
    await this.run(first.program);
    // Nothing follows the chain meanwhile: one long synchronization is cheaper than many short ones.
    await Promise.all([this.mineFirstBlocks(), this.createContainer(), this.createProposal()]);
    report('starting the other nodes and the services');
    const run = (...programs: Program[]): Promise<unknown> => Promise.all(programs.map((program) => this.run(program)));
    // A client whose node does not listen yet would wait some seconds before it tries again.
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

  /** Resolves when every node has the newest block of node 1, and both wallets have read it. */
  async untilSynchronized(): Promise<void> {
    const { signal } = this.options;
    const [first, second, third] = this.nodes;
    const { hash, height } = await first.tip();
    await Promise.all([second.untilTip(hash, signal), third.untilTip(hash, signal)]);
    const complaint = (): string => `wallets at block ${String(height)}`;
    await pollUntil(async () => (await this.walletHeights()).every((at) => at >= height), complaint, signal);
  }

  /** Stops every program, the newest first. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const program of this.started.reverse()) await program.stop('SIGTERM');
    await this.mining;
    await this.link.close();
  }

  async status(): Promise<DevnetStatus> {
    const [nodes, alice, bob] = await Promise.all([
      Promise.all(this.nodes.map((node) => node.info())),
      this.api<WalletBalance>('GET', '/balance'),
      this.rpc<{ availableBalance: number; lockedAmount: number }>('getBalance'),
    ]);
    return { nodes, alice, bob: { unlocked: bob.availableBalance, locked: bob.lockedAmount } };
  }

  /** Sends a request to the wallet of alice. */
  api<T>(method: string, path: string, body?: object): Promise<T> {
    const { walletApi, apiKey } = this.addresses;
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    return requestJson<T>(walletApi + path, { method, headers: { 'X-API-KEY': apiKey }, ...text });
  }

  /** Calls a method of the wallet of bob. @throws Error for an error response */
  async rpc<T>(method: string, params: object = {}): Promise<T> {
    const { walletRpc, rpcPassword: password } = this.addresses;
    const body = JSON.stringify({ id: 1, method, params, password });
    const { result, error } = await requestJson<{ result?: T; error?: object }>(walletRpc, { method: 'POST', body });
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  /** Pays from alice. @returns the hash of the transaction */
  async payFromAlice(destination: string, amount: number): Promise<string> {
    const body = { destination, amount };
    return (await this.api<{ transactionHash: string }>('POST', '/transactions/send/basic', body)).transactionHash;
  }

  /** Pays from bob. @returns the hash of the transaction */
  async payFromBob(address: string, amount: number): Promise<string> {
    const params = { transfers: [{ address, amount }], changeAddress: this.addresses.bob };
    return (await this.rpc<{ transactionHash: string }>('sendTransaction', params)).transactionHash;
  }

  private path(name: string): string {
    return join(this.options.dataDir, name);
  }

  /** A key or password of this network. */
  private key(name: string): string {
    return createHash('sha256').update(`${this.settings.seed} ${name}`).digest('hex').slice(0, 32);
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
    const command = [...mainArguments(folder), ...args];
    return new Program(name, () => command, { ready, logFile: this.path(`logs/${name}.log`), signal });
  }

  private container(): string[] {
    const file = ['--container-file', this.path('bob/bob.wallet'), '--container-password', this.key('rpc')];
    return [...file, '--log-file', ''];
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
    const { viewSecret, spendSecret } = this.bob;
    const keys = ['--view-key', viewSecret.toString('hex'), '--spend-key', spendSecret.toString('hex')];
    const args = ['--network', 'devnet', ...this.container(), '--generate-container', ...keys];
    await runMainOnce('apps/wallet-rpc', args, this.options.signal);
  }

  private async createProposal(): Promise<void> {
    const file = this.path('proposals/first.md');
    if (existsSync(file)) return;
    const fields = {
      headline: 'The first proposal',
      category: 'misc',
      user: 'alice',
      target: '1000',
      status: 'funding',
    };
    const lines = Object.entries({ ...fields, address: this.addresses.donation }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    writeFileSync(
      file,
      ['---', ...lines, '---', 'Donations to this proposal are payments to the wallet of alice.', ''].join('\n'),
    );
    const data = ['--network', 'devnet', '--data-dir', this.path('proposals')];
    await runMainOnce('apps/proposals', ['admin', 'add', file, ...data], this.options.signal);
  }

  private async openAlice(): Promise<void> {
    const read = createHash('sha256').update(this.key('read')).digest('hex');
    writeFileSync(this.path('alice/keys.json'), JSON.stringify([{ name: 'proposals', hash: read, scope: 'read' }]));
    await this.run(this.walletApi);
    const node = { daemonHost: '127.0.0.1', daemonPort: this.settings.ports.rpc1 };
    const wallet = { filename: 'alice.wallet', password: this.key('api'), ...node };
    if (existsSync(this.path('alice/alice.wallet'))) return void (await this.api('POST', '/wallet/open', wallet));
    const { viewSecret, spendSecret } = this.alice;
    const keys = { privateViewKey: viewSecret.toString('hex'), privateSpendKey: spendSecret.toString('hex') };
    await this.api('POST', '/wallet/import/key', { ...wallet, ...keys, scanHeight: 0 });
  }

  private async mineFirstBlocks(): Promise<void> {
    const [node] = this.nodes;
    const { height } = await node.info();
    if (height > FIRST_BLOCKS) return;
    this.options.report(`mining ${String(FIRST_BLOCKS)} blocks`);
    const begin = Math.floor(Date.now() / 1000) - FIRST_BLOCKS * SPACING;
    for (let mined = height - 1; mined < FIRST_BLOCKS; mined += CHUNK) {
      const { address } = mined % (2 * CHUNK) === 0 ? this.alice : this.bob;
      this.options.signal.throwIfAborted();
      await node.generate(address, CHUNK, { timestamp: begin + mined * SPACING, spacing: SPACING });
    }
  }

  /** Indexes of the newest blocks that the wallets have read. */
  private async walletHeights(): Promise<number[]> {
    const [api, rpc] = await Promise.all([
      this.api<{ walletBlockCount: number }>('GET', '/status'),
      this.rpc<{ blockCount: number }>('getStatus'),
    ]);
    return [api.walletBlockCount, rpc.blockCount - 1];
  }

  /** Runs the miner for one block at a time, because it cannot mine slowly. */
  private async mine(): Promise<void> {
    const { signal, blockMs } = this.options;
    this.started.push(this.miner);
    while (!this.isStopping && !signal.aborted) {
      await pause(blockMs, undefined, { signal });
      if (this.isMiningPaused) continue;
      await this.miner.start();
      const end = await this.miner.ended;
      if (end.code !== 0) throw new Error(this.miner.describeEnd(end));
    }
  }
}
