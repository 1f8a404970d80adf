import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { chainAWallet, fixturePath, Link, Suite, type SuiteNode } from '@wrkz/testing';
import { readWalletApiConfig, WalletApi } from '@wrkz/wallet-api';

const MAIN_KEY = 'the main key of the test';
/** A key with the scope `read`, which is sufficient for the listing. */
export const READ_KEY = randomBytes(32).toString('hex');

/** The HTTP service of an open wallet of chain A, in this process. */
export class WalletService {
  private constructor(
    private readonly api: WalletApi,
    private readonly node: SuiteNode,
  ) {}

  static async open(name: string, node: SuiteNode, folder: string): Promise<WalletService> {
    const keys = [{ name: 'listing', hash: createHash('sha256').update(READ_KEY).digest('hex'), scope: 'read' }];
    writeFileSync(join(folder, 'keys.json'), JSON.stringify(keys));
    copyFileSync(fixturePath(`devnet/wallets/${name}.restored.wallet`), join(folder, `${name}.wallet`));
    const basics = ['-r', MAIN_KEY, '--network', 'devnet', '--threads', '1', '--no-console', '--wallet-dir', folder];
    const config = readWalletApiConfig([...basics, '--rpc-key-file', join(folder, 'keys.json')]);
    const api = new WalletApi(config, { logger: silentLogger(), port: 0 });
    await api.start();
    const service = new WalletService(api, node);
    const daemonPort = Number(new URL(node.url).port);
    const wallet = { filename: `${name}.wallet`, password: `secret_${name}` };
    await service.request('POST', '/wallet/open', { ...wallet, daemonHost: '127.0.0.1', daemonPort });
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.api.port)}`;
  }

  /** Sends a request. @returns the body @throws Error unless the status is 2xx */
  async request<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(this.url + path, {
      method,
      headers: { 'X-API-KEY': MAIN_KEY, Connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as T;
  }

  /** Waits until the wallet has the whole chain of its node and can spend its outputs. */
  async caughtUp(): Promise<void> {
    const { wallet } = this.api.current ?? {};
    if (wallet === undefined) throw new Error('no wallet is open');
    const isThere = (): boolean =>
      wallet.snapshot.content.progress.height >= this.node.height &&
      wallet.snapshot.subWallets.every(({ unspent }) => unspent.every((input) => input.globalIndex !== undefined));
    while (!isThere()) await new Promise<void>((resolve) => wallet.once('changed', resolve));
  }

  close(): Promise<void> {
    return this.api.stop();
  }
}

/** The network of a listing: the node of its wallets, and two further nodes, each of which can be disconnected. */
export class Community {
  readonly suite = new Suite<Daemon>((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
  node!: SuiteNode<Daemon>;
  private readonly branches: { readonly node: SuiteNode<Daemon>; readonly link: Link }[] = [];

  async begin(): Promise<void> {
    const from = await this.suite.chainA();
    this.node = await this.suite.node({ from });
    const begun = [0, 1].map(async () => {
      const link = this.suite.closeAtEnd(await Link.to(this.node.p2pPort));
      this.branches.push({ link, node: await this.suite.node({ from, peers: [link.port] }) });
    });
    await Promise.all(begun);
    await this.node.untilConnections(2);
  }

  async wallet(name: string): Promise<WalletService> {
    return this.suite.closeAtEnd(await WalletService.open(name, this.node, this.suite.folder()));
  }

  /** Waits until a further node has the tip of the first node, and disconnects it. */
  async cut(branch: 0 | 1): Promise<void> {
    const { node, link } = this.at(branch);
    await node.untilTip(this.node.tip);
    link.cut();
    await node.untilConnections(0);
  }

  /** Mines a longer branch on a disconnected node, reconnects it, and waits until the first node has switched to the branch. */
  async overtake(branch: 0 | 1): Promise<void> {
    const { node, link } = this.at(branch);
    await node.generate(MINER, this.node.height + 5 - node.height);
    link.join();
    await this.node.untilTip(node.tip);
  }

  end(): Promise<void> {
    return this.suite.stopAll();
  }

  private at(branch: 0 | 1): { readonly node: SuiteNode<Daemon>; readonly link: Link } {
    const found = this.branches[branch];
    if (found === undefined) throw new Error('begin() was not called');
    return found;
  }
}

/** The address of the miner, which is in none of the wallets. */
export const MINER = chainAWallet('grace').address;
