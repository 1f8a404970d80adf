import { freePort, Link, NodeProcess, type Suite } from '../../src';

/** @param dataDir the folder of a stopped node */
async function startNode(name: string, dataDir: string, peers: readonly number[]): Promise<NodeProcess> {
  const [rpcPort, p2pPort] = [await freePort(), await freePort()];
  const node = new NodeProcess({ name, dataDir, rpcPort, p2pPort, peers, args: ['--daemon-mode', 'explorer'] });
  await node.program.start();
  return node;
}

/** The node of the wallets, and a rival that can be disconnected and mine another branch. */
export class RivalNodes {
  private constructor(
    readonly node: NodeProcess,
    readonly rival: NodeProcess,
    private readonly link: Link,
  ) {}

  static async start(suite: Suite): Promise<RivalNodes> {
    const chain = await suite.chainA();
    const node = await startNode('node', chain, []);
    const link = suite.closeAtEnd(await Link.to(node.p2pPort));
    const rival = await startNode('rival', await suite.chainA(), [link.port]);
    await rival.untilConnections(1);
    return new RivalNodes(node, rival, link);
  }

  /** Kills and restarts the node. @param during runs before the restart */
  async restart(during: () => Promise<unknown>): Promise<void> {
    await this.node.program.stop();
    await during();
    await this.node.program.start();
  }

  /**
   * Replaces the newest blocks of the node.
   * @param mine addresses to which the blocks of each branch pay; the list of the rival must be longer
   * @param during runs after the branch of the node and before that of the rival
   */
  async reorganise(
    mine: { node: readonly string[]; rival: readonly string[] },
    during: () => Promise<unknown>,
  ): Promise<void> {
    await this.rival.untilTip((await this.node.tip()).hash);
    this.link.cut();
    await this.rival.untilConnections(0);
    for (const address of mine.node) await this.node.generate(address);
    await during();
    for (const address of mine.rival) await this.rival.generate(address);
    this.link.join();
    await this.node.untilTip((await this.rival.tip()).hash);
  }

  async stop(): Promise<void> {
    await Promise.all([this.node.program.stop(), this.rival.program.stop()]);
  }
}
