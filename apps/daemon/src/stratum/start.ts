import { availableParallelism } from 'node:os';
import { errorText, type Logger, type Metrics } from '@wrkz/service-kit';
import type { ChainService } from '../chain/service';
import type { DaemonOptions } from '../config/config';
import type { NodeEvents } from '../events/node-events';
import type { Miner } from '../mining/miner';
import type { NetworkStatus } from '../rpc';
import type { StratumNode } from './ports';
import { StratumServer } from './server';
import { ShareHasher } from './share-hasher';

export interface StratumParts {
  readonly options: DaemonOptions;
  readonly chain: Pick<ChainService, 'tip'>;
  readonly miner: Pick<Miner, 'body' | 'complete' | 'add'>;
  readonly peers: Pick<NetworkStatus, 'isSynchronized' | 'observedHeight' | 'networkHeight'>;
  readonly events: Pick<NodeEvents, 'subscribe'>;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
}

/** Starts the stratum server when it is asked for; a port that cannot be had is a warning, and the node goes on. */
export async function startStratum(parts: StratumParts): Promise<StratumServer | undefined> {
  const { options, logger, metrics } = parts;
  if (options['stratum-bind-port'] === 0) return undefined;
  const settings = {
    host: options['stratum-bind-ip'],
    port: options['stratum-bind-port'],
    shareDifficulty: {
      fixed: BigInt(options['stratum-share-difficulty']),
      interval: options['stratum-share-interval'],
    },
    maxConnections: Math.max(1, options['stratum-max-connections']),
  };
  const now = (): number => performance.now();
  const hasher = new ShareHasher(Math.max(1, availableParallelism() >> 1));
  const server = new StratumServer(settings, { node: stratumNode(parts), logger, hasher, metrics, now });
  try {
    await server.start();
    return server;
  } catch (error) {
    logger.warning(`nobody can mine over stratum: ${errorText(error)}`);
    return undefined;
  }
}

/**
 * Whether jobs are handed out (docs/operations/mining.md#when-a-node-gives-work): not while peers are known to be further. A node that knows of
 * none is ready, or a chain of its own could never be mined; getblocktemplate asks nobody either.
 *
 * @param height index of the tip
 */
export function isReadyToMine(
  peers: Pick<NetworkStatus, 'isSynchronized' | 'observedHeight'>,
  height: number,
): boolean {
  return peers.isSynchronized() || height + 1 >= peers.observedHeight();
}

function stratumNode({ chain, miner, peers, events }: StratumParts): StratumNode {
  return {
    tip: () => chain.tip(),
    body: () => miner.body(),
    complete: (body, receiver, extraNonce) => miner.complete(body, receiver, extraNonce),
    add: (block) => miner.add(block),
    isReady: () => isReadyToMine(peers, chain.tip().height),
    networkHeight: () => peers.networkHeight(),
    onTip: (listener) =>
      events.subscribe(({ kind }) => {
        if (kind === 'block' || kind === 'reorganisation') listener();
      }),
  };
}
