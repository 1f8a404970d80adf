import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { CHAIN_A_HEIGHT, freePort, Link, madeOnce, readJson, Suite, type SuiteNode } from '@wrkz/testing';
import type { WalletRpcOverrides } from '../../src';
import { Folder, generate, TestService } from './service';

/** The recorded data of a wallet of chain A. */
export interface ExpectedWallet {
  readonly keys: {
    readonly privateViewKey: string;
    readonly addresses: readonly {
      readonly address: string;
      readonly privateSpendKey: string;
      readonly mnemonic?: string;
    }[];
  };
  readonly report: {
    readonly balance: { readonly locked: number; readonly unlocked: number };
    readonly balances: readonly { readonly address: string; readonly locked: number; readonly unlocked: number }[];
    readonly transactions: readonly ExpectedTransaction[];
  };
}

export interface ExpectedTransaction {
  readonly hash: string;
  readonly blockHeight: number;
  readonly fee: number;
  readonly isCoinbaseTransaction: boolean;
  readonly paymentID: string;
  readonly timestamp: number;
  readonly unlockTime: number;
  readonly transfers: readonly { readonly address: string; readonly amount: number }[];
}

export function expectedWallet(name: string): ExpectedWallet {
  const wallet = readJson<{ wallets: Record<string, ExpectedWallet> }>('devnet/chain-a-expected.json').wallets[name];
  if (wallet === undefined) throw new RangeError(`chain A has no wallet ${name}`);
  return wallet;
}

export const addressOf = (name: string): string => expectedWallet(name).keys.addresses[0]?.address ?? '';

export const CONTAINER_PASSWORD = 'secret';

/** A closed container and its wallet database. */
function copyContainer(from: string, to: string): void {
  for (const ending of ['', '.db']) copyFileSync(from + ending, to + ending);
}

/** Nodes with chain A, services that follow them, and a folder for their containers. */
export class World {
  readonly suite = new Suite<Daemon>((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
  readonly folder = new Folder();
  private readonly services = new Set<TestService>();
  private readonly made = new Map<string, string>();
  private chain: string | undefined;
  private count = 0;

  /** @param kept prefix of scanned containers that test files share */
  constructor(private readonly kept = 'wallet-rpc') {}

  async node(args: readonly string[] = [], peers: readonly number[] = []): Promise<SuiteNode<Daemon>> {
    this.chain ??= await this.suite.chainA();
    return this.suite.node({ from: this.chain, args, peers });
  }

  /** A node, a second one with the same chain, and the link between them. */
  async rivals(): Promise<{ node: SuiteNode<Daemon>; rival: SuiteNode<Daemon>; link: Link }> {
    const node = await this.node();
    const link = this.suite.closeAtEnd(await Link.to(node.p2pPort));
    const rival = await this.node([], [link.port]);
    await rival.untilConnections(1);
    return { node, rival, link };
  }

  freePort(): Promise<number> {
    return freePort();
  }

  /** Path of a new container. */
  newFile(): string {
    return this.folder.file(`${String((this.count += 1))}.container`);
  }

  /** A new container with the keys of a wallet of chain A. */
  async container(name: string, scanHeight = 0): Promise<string> {
    const { keys } = expectedWallet(name);
    const file = this.newFile();
    const [{ privateSpendKey } = { privateSpendKey: '' }] = keys.addresses;
    await generate(file, CONTAINER_PASSWORD, [
      '--view-key',
      keys.privateViewKey,
      '--spend-key',
      privateSpendKey,
      '--scan-height',
      String(scanHeight),
    ]);
    return file;
  }

  /** Like `container`, after a scan of chain A, which is done once and copied. */
  async read(name: string, node: number): Promise<string> {
    let made = this.made.get(name);
    if (made === undefined) {
      const kept = await madeOnce(`${this.kept}-${name}`, async (folder) => {
        copyContainer(await this.readAnew(name, node), join(folder, 'container'));
      });
      made = kept === undefined ? await this.readAnew(name, node) : join(kept, 'container');
      this.made.set(name, made);
    }
    const file = this.newFile();
    copyContainer(made, file);
    return file;
  }

  private async readAnew(name: string, node: number): Promise<string> {
    const file = await this.container(name);
    const service = await this.service(file, node);
    await service.synced(CHAIN_A_HEIGHT);
    await service.rpc.context.details.ensure(service.rpc.context.wallet.snapshot.transactions(), 60_000);
    await this.stop(service);
    return file;
  }

  async service(
    file: string,
    node: number,
    args: readonly string[] = [],
    overrides: WalletRpcOverrides = {},
  ): Promise<TestService> {
    const service = await TestService.start({ file, password: CONTAINER_PASSWORD, node, args }, overrides);
    this.services.add(service);
    return service;
  }

  /** A service that has scanned chain A. */
  async synced(
    name: string,
    node: number,
    args: readonly string[] = [],
    overrides: WalletRpcOverrides = {},
  ): Promise<TestService> {
    const service = await this.service(await this.read(name, node), node, args, overrides);
    await service.synced(CHAIN_A_HEIGHT);
    return service;
  }

  async stop(service: TestService): Promise<void> {
    this.services.delete(service);
    await service.stop();
  }

  /** Stops the services, so that those of one test do not poll the node during the next. */
  async stopServices(): Promise<void> {
    for (const service of [...this.services]) await this.stop(service);
  }

  async stopAll(): Promise<void> {
    await this.stopServices();
    await this.suite.stopAll();
    this.folder.remove();
  }
}
