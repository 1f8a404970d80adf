import { once } from 'node:events';
import type { RawBlock } from '@wrkz/core-types';
import { NETWORK_ID, type ScriptedPeer, ScriptedServer } from '@wrkz/testing';
import type { P2pConfig } from '../../src/p2p/config';
import { p2pDefaults } from './defaults';
import { P2pNode } from '../../src/p2p/node';
import type { P2pDependencies } from '../../src/p2p/context';
import { tcpTransport, type Transport } from '../../src/p2p/connection/transport';
import { FakeChain, FakePool, TestLogger, toyCodec } from './fakes';

export interface TestNode {
  readonly node: P2pNode;
  readonly chain: FakeChain;
  readonly pool: FakePool;
  readonly logger: TestLogger;
}

/** Starts nodes on loopback, and stops all nodes, servers and peers of a test. */
export class Harness {
  private readonly nodes: TestNode[] = [];
  private readonly servers: ScriptedServer[] = [];

  async node(
    blocks: readonly RawBlock[],
    config: Partial<P2pConfig> = {},
    parts: Partial<Pick<P2pDependencies, 'codec' | 'clock' | 'transport' | 'memory' | 'stopwatch'>> = {},
  ): Promise<TestNode> {
    const codec = parts.codec ?? toyCodec;
    const chain = new FakeChain(codec, blocks);
    const pool = new FakePool(codec);
    const logger = new TestLogger();
    const node = new P2pNode(
      { ...p2pDefaults, networkId: NETWORK_ID, bindHost: '127.0.0.1', timedSyncInterval: 60_000, ...config },
      // No test depends on the speed of the machine: work takes no time unless a test sets one.
      { chain, pool, logger, stopwatch: () => 0, ...parts, codec },
    );
    const made = { node, chain, pool, logger };
    this.nodes.push(made);
    await node.start();
    return made;
  }

  async server(): Promise<ScriptedServer> {
    const server = await ScriptedServer.listen();
    this.servers.push(server);
    return server;
  }

  /** Stops everything. No test may leave an error in a log: faults of peers are data. */
  async stop(): Promise<void> {
    const nodes = this.nodes.splice(0);
    await Promise.all(nodes.map(({ node }) => node.stop()));
    await Promise.all(this.servers.splice(0).map((server) => server.close()));
    const errors = nodes.flatMap(({ logger, chain }) => (chain.failure === undefined ? logger.errors : []));
    if (errors.length > 0) throw new Error(errors.join('\n'));
  }
}

/** A transport over loopback whose sockets report `host` as the address of the peer, or one address per socket. */
export function disguised(host: string | (() => string)): Transport {
  return {
    ...tcpTransport,
    listen: (bindHost, port, onSocket, options) =>
      tcpTransport.listen(
        bindHost,
        port,
        (socket, remote) => {
          onSocket(socket, { host: typeof host === 'string' ? host : host(), port: remote.port });
        },
        options,
      ),
  };
}

/** Waits until the chain has this height. */
export async function reaches(chain: FakeChain, height: number): Promise<void> {
  while (chain.tip().height < height) await once(chain, 'commit');
}

export function local(node: P2pNode): { host: string; port: number } {
  return { host: '127.0.0.1', port: node.port };
}

/** Waits until the node has closed the connection of the scripted peer. Expects the reason in the log. */
export async function closedFor(
  { peer, logger }: { peer: ScriptedPeer; logger: TestLogger },
  reason: string,
): Promise<void> {
  await peer.closed;
  expect(logger.lines.filter((line) => line.includes('closed:'))).toEqual([expect.stringContaining(reason)]);
}
