import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { freePort, Link, Suite, type SuiteNode } from '@wrkz/testing';

/** A node for wallets, a rival node that can be disconnected from it, and the link between the two. */
export class TwoNodes {
  readonly suite = new Suite<Daemon>((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
  node!: SuiteNode<Daemon>;
  rival!: SuiteNode<Daemon>;
  /** RPC port of the node; the same after a restart. */
  port = 0;
  private link!: Link;

  async start(): Promise<void> {
    this.port = await freePort();
    await this.startOn();
  }

  /** Mines blocks with past timestamps, so that later blocks do not exceed the clock. */
  async fund(addresses: () => string, blocks: number): Promise<void> {
    const spacing = 30;
    let timestamp = Math.floor(Date.now() / 1000) - 3_600 * 24 + this.node.height * spacing;
    for (let left = blocks; left > 0; left -= 3, timestamp += 3 * spacing) {
      await this.node.generate(addresses(), Math.min(3, left), { timestamp, spacing });
    }
  }

  /** Disconnects the rival once it has the tip and the pool of the node. */
  async cut(): Promise<void> {
    await this.rival.untilTip(this.node.tip);
    await this.rival.untilPool(this.node.pool());
    this.link.cut();
    await this.rival.untilConnections(0);
  }

  /** Reconnects the nodes and waits until the node has the branch of the rival, which must be longer. */
  async join(): Promise<void> {
    this.link.join();
    await this.node.untilTip(this.rival.tip);
  }

  /** Restarts both nodes with the same data. */
  async restart(): Promise<void> {
    await Promise.all([this.node.stop(), this.rival.stop()]);
    await this.startOn([this.node.dataDir, this.rival.dataDir]);
  }

  stop(): Promise<void> {
    return this.suite.stopAll();
  }

  private async startOn([mine, other]: readonly string[] = []): Promise<void> {
    // The methods of the explorer return the money supply.
    const args = ['--rpc-bind-port', String(this.port), '--daemon-mode', 'explorer'];
    this.node = await this.suite.node(mine === undefined ? { args } : { from: mine, args });
    this.link = this.suite.closeAtEnd(await Link.to(this.node.p2pPort));
    const peers = [this.link.port];
    this.rival = await this.suite.node(other === undefined ? { peers } : { peers, from: other });
    await this.rival.untilConnections(1);
  }
}
