import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { CHAIN_A_HEIGHT, chainAWallet, Suite, type SuiteNode } from '@wrkz/testing';
import { readJson } from '@wrkz/testing/fixtures';
import { type ServiceResponse, TestService } from '../support/service';

/** Names of three services that share a node with chain A. */
export type Place = 'full' | 'view' | 'closed';

export interface KnownWallet {
  readonly address: string;
  readonly privateViewKey: string;
  readonly privateSpendKey: string;
  readonly publicSpendKey: string;
  readonly mnemonic: string;
}

interface Expected {
  readonly wallets: Readonly<Record<string, { keys?: { privateViewKey: string; addresses: KnownWallet[] } }>>;
}

export function knownWallet(name: 'alice' | 'bob' | 'carol'): KnownWallet {
  const keys = readJson<Expected>('devnet/chain-a-expected.json').wallets[name]?.keys;
  const [first] = keys?.addresses ?? [];
  if (keys === undefined || first === undefined) throw new Error(`the keys of ${name} are missing`);
  return { ...first, privateViewKey: keys.privateViewKey };
}

export class World {
  private constructor(
    private readonly suite: Suite,
    private readonly node: SuiteNode,
    private readonly services: Readonly<Record<Place, TestService>>,
  ) {}

  /** Starts the services: `full` opens alice's wallet, `view` a view wallet of bob, `closed` none. */
  static async start(...args: string[]): Promise<World> {
    const suite = new Suite((daemonArgs) => Daemon.create(readConfig(daemonArgs), { logger: silentLogger() }));
    const node = await suite.node({ from: await suite.chainA() });
    const [full, view, closed] = await Promise.all([1, 2, 3].map(() => TestService.start(args)));
    const world = new World(suite, node, { full, view, closed } as Record<Place, TestService>);
    await world.open('full', 'alice.wallet', 'secret_alice');
    await world.open('view', 'bob-view.wallet', 'secret_bob-view');
    world.at('closed').copyWallet('carol.wallet');
    return world;
  }

  get nodePort(): number {
    return this.node.daemon.ports.rpc;
  }

  /** Mines blocks for an address outside of all wallets, and waits until the wallet of `full` has them. */
  async mine(count: number): Promise<void> {
    await this.node.generate(chainAWallet('grace').address, count);
    await this.at('full').synced(this.node.height);
  }

  at(place: Place): TestService {
    return this.services[place];
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.services).map((service) => service.stop()));
    await this.suite.stopAll();
  }

  private async open(place: Place, filename: string, password: string): Promise<ServiceResponse> {
    const service = this.at(place);
    service.copyWallet(filename);
    const response = await service.json('POST', '/wallet/open', { filename, password, daemonPort: this.nodePort });
    await service.synced(CHAIN_A_HEIGHT);
    return response;
  }
}
