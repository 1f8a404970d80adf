import { join } from 'node:path';
import { freePort, Link, nodeArguments, type Suite, TestNodeClient } from '../../src';
import { RestartableProgram, until } from './processes';

const DAEMON = join(__dirname, '../../../../apps/daemon/src/main.ts');

interface Info {
  /** Number of blocks. */
  readonly height: number;
  readonly tx_pool_size: number;
  readonly incoming_connections_count: number;
  readonly outgoing_connections_count: number;
}

/** A daemon in a process of its own, on ports that a restart keeps. */
export class NodeProcess extends TestNodeClient {
  private constructor(
    rpcPort: number,
    readonly p2pPort: number,
    private readonly program: RestartableProgram,
  ) {
    super(`http://127.0.0.1:${String(rpcPort)}`);
  }

  /** @param dataDir a folder at rest */
  static async start(dataDir: string, peers: readonly number[]): Promise<NodeProcess> {
    const [rpc, p2p] = [await freePort(), await freePort()];
    const ports = ['--rpc-bind-port', String(rpc), '--p2p-bind-port', String(p2p)];
    const args = [
      ...nodeArguments('devnet', dataDir, peers),
      '--daemon-mode',
      'explorer',
      '--log-level',
      '2',
      ...ports,
    ];
    const node = new NodeProcess(rpc, p2p, new RestartableProgram(DAEMON, () => args, /./));
    await node.start();
    return node;
  }

  async start(): Promise<void> {
    await this.program.start();
    const answers = (): Promise<boolean> => this.info().then(Boolean, () => false);
    await until(answers, () => `the node does not answer: ${this.program.log.slice(-8).join('\n')}`);
  }

  kill(): Promise<void> {
    return this.program.stop('SIGKILL');
  }

  info(): Promise<Info> {
    return this.get<Info>('/info');
  }

  async tip(): Promise<string> {
    return (await this.rpc<{ block_header: { hash: string } }>('getlastblockheader')).block_header.hash;
  }

  untilTip(hash: string): Promise<void> {
    return until(
      async () => (await this.tip()) === hash,
      () => `tip ${hash}`,
    );
  }

  untilConnections(count: number): Promise<void> {
    return until(
      async () => {
        const { incoming_connections_count: incoming, outgoing_connections_count: outgoing } = await this.info();
        return incoming + outgoing === count;
      },
      () => `${String(count)} connections`,
    );
  }
}

/** The node that the wallets use, and a rival that can be cut off and mine another branch. */
export class RivalNodes {
  private constructor(
    readonly node: NodeProcess,
    private readonly rival: NodeProcess,
    private readonly link: Link,
  ) {}

  static async start(suite: Suite): Promise<RivalNodes> {
    const chain = await suite.chainA();
    const node = await NodeProcess.start(chain, []);
    const link = suite.closeAtEnd(await Link.to(node.p2pPort));
    const rival = await NodeProcess.start(await suite.chainA(), [link.port]);
    await rival.untilConnections(1);
    return new RivalNodes(node, rival, link);
  }

  /** Ends the node without notice and starts it again. @param during what happens while it is gone */
  async restart(during: () => Promise<unknown>): Promise<void> {
    await this.node.kill();
    await during();
    await this.node.start();
  }

  /**
   * Replaces the newest blocks of the node.
   * @param mine the addresses that the blocks of each branch pay; that of the rival must be longer
   * @param during what happens between the two branches
   */
  async reorganise(
    mine: { node: readonly string[]; rival: readonly string[] },
    during: () => Promise<unknown>,
  ): Promise<void> {
    await this.rival.untilTip(await this.node.tip());
    this.link.cut();
    await this.rival.untilConnections(0);
    for (const address of mine.node) await this.node.generate(address);
    await during();
    for (const address of mine.rival) await this.rival.generate(address);
    this.link.join();
    await this.node.untilTip(await this.rival.tip());
  }

  async stop(): Promise<void> {
    await Promise.all([this.node.kill(), this.rival.kill()]);
  }
}
