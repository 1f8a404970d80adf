import { TestNodeClient } from '../node-client';
import { nodeArguments } from '../suite';
import { pollUntil, Program, programCommand, type ProgramOptions } from './program';

export interface NodeSummary {
  /** Number of blocks. */
  readonly height: number;
  readonly difficulty: number;
  readonly tx_pool_size: number;
  readonly incoming_connections_count: number;
  readonly outgoing_connections_count: number;
}

export interface NodeProcessOptions extends Omit<ProgramOptions, 'ready'> {
  readonly name: string;
  readonly dataDir: string;
  readonly rpcPort: number;
  readonly p2pPort: number;
  /** Loopback ports of the only peers; empty for none. */
  readonly peers: readonly number[];
  readonly args?: readonly string[];
}

/** A devnet node in a separate process, on ports that stay the same after a restart. */
export class NodeProcess extends TestNodeClient {
  readonly program: Program;
  readonly p2pPort: number;

  constructor({ name, dataDir, rpcPort, p2pPort, peers, args = [], ...options }: NodeProcessOptions) {
    super(`http://127.0.0.1:${String(rpcPort)}`);
    this.p2pPort = p2pPort;
    const ports = ['--rpc-bind-port', String(rpcPort), '--p2p-bind-port', String(p2pPort)];
    const all = [...nodeArguments('devnet', dataDir, peers), '--log-level', '2', ...ports, ...args];
    const command = [...programCommand('apps/daemon'), ...all];
    this.program = new Program(name, () => command, { ...options, ready: /RPC at/ });
  }

  info(): Promise<NodeSummary> {
    return this.get<NodeSummary>('/info');
  }

  /** Index of the newest block, and its hash. */
  async tip(): Promise<{ readonly height: number; readonly hash: string }> {
    return (await this.rpc<{ block_header: { height: number; hash: string } }>('getlastblockheader')).block_header;
  }

  untilTip(hash: string, signal?: AbortSignal): Promise<void> {
    return pollUntil(
      async () => (await this.tip()).hash === hash,
      () => `tip ${hash}`,
      signal,
    );
  }

  untilConnections(count: number, signal?: AbortSignal): Promise<void> {
    return pollUntil(
      async () => connections(await this.info()) === count,
      () => `${String(count)} connections`,
      signal,
    );
  }
}

export function connections(info: NodeSummary): number {
  return info.incoming_connections_count + info.outgoing_connections_count;
}
