import type { ChainReader } from '@wrkz/chain-db';
import {
  bindRoutes,
  hasLocalSockets,
  type HttpServer,
  localSocketAddress,
  type Logger,
  type ReloadTask,
  socketPath,
} from '@wrkz/service-kit';
import { isAccepted } from '../chain/results';
import type { ChainService } from '../chain/service';
import type { RefusedSwitch } from '../chain/side-branches';
import type { AccessToken } from '../config/access-token';
import type { DaemonConfig, DaemonOptions } from '../config/config';
import { rpcIpv6 } from '../config/listeners';
import { consoleRoute, type ConsoleRunner } from '../console/runner';
import type { EventSource } from '../events/routes/event-source';
import type { TransactionPool } from '../mempool/pool';
import type { BlockGenerator } from '../mining/generate';
import type { Miner } from '../mining/miner';
import {
  type MiningService,
  type NetworkStatus,
  type PoolStatus,
  type QueryRunner,
  type RpcContext,
  type RpcServerOptions,
  startLocalRpc,
} from '../rpc';
import { routeRules } from '../rpc/service';
import type { ServeRpcOptions } from '../serve-rpc/config';
import { RpcProcesses, type RpcProcessesDependencies } from '../serve-rpc/processes';

export interface RpcContextDependencies {
  readonly config: DaemonConfig;
  readonly reader: ChainReader;
  readonly queries: QueryRunner;
  readonly chain: ChainService & { readonly diskShortage?: string | undefined };
  readonly pool: TransactionPool;
  readonly miner: Miner;
  readonly generator: BlockGenerator;
  readonly peers: NetworkStatus;
  /** The reason why the node stopped following the chain; undefined while it follows. */
  readonly damaged: () => string | undefined;
  /** The last branch that was not followed. */
  readonly refusedBranch?: () => RefusedSwitch | undefined;
  readonly events: EventSource;
  /** Unix seconds. */
  readonly now: () => number;
}

/** The parts of the node that the routes use. */
export function rpcContext(dependencies: RpcContextDependencies): RpcContext {
  const { config, reader, queries, chain, peers, events, now } = dependencies;
  return {
    network: config.network,
    reader,
    queries,
    peers,
    pool: poolStatus(dependencies.pool),
    events,
    mining: miningService(dependencies.miner, dependencies.generator),
    nextDifficulty: () => chain.tip().nextDifficulty,
    limits: {
      maxBlockCount: config.options['rpc-max-block-count'],
      maxGlobalIndexRange: config.options['rpc-max-global-index-range'],
    },
    storage: { prune: config.storage.kind === 'pruned', pruneDepth: config.pruneDepth },
    explorer: config.options['daemon-mode'] === 'explorer',
    miningOff: config.options['rpc-no-mining'],
    paused: () => chain.diskShortage,
    damaged: dependencies.damaged,
    refusedBranch: dependencies.refusedBranch,
    heavierBranch: (work) => {
      const branch = dependencies.refusedBranch?.();
      if (branch === undefined || branch.cumulativeDifficulty <= work) return undefined;
      return { height: branch.height, hash: branch.hash.toString('hex') };
    },
    startTime: now(),
    now,
  };
}

function poolStatus(pool: TransactionPool): PoolStatus {
  return {
    size: () => pool.size,
    has: (hash) => pool.has(hash),
    list: () => pool.list(),
    submit: async (bytes) => {
      const { accepted, message } = await pool.add(bytes, 'rpc');
      return accepted ? {} : { error: message ?? 'Transaction is not accepted' };
    },
  };
}

function miningService(miner: Miner, generator: BlockGenerator): MiningService {
  return {
    template: (address, extraNonce) => miner.template(address, extraNonce),
    submit: async (blob) => isAccepted(await miner.submit(blob)),
    generate: (request) => generator.generate(request),
  };
}

/** The configuration of the RPC server, from the options that a node and a reader process share. */
export function rpcServerOptions({
  options,
  rpcPort,
  accessToken,
}: Pick<DaemonConfig, 'rpcPort' | 'accessToken'> & {
  readonly options: Pick<DaemonOptions, Extract<keyof DaemonOptions, keyof ServeRpcOptions>>;
}): RpcServerOptions {
  const [bindIpv6] = rpcIpv6(options);
  return {
    bindIp: options['rpc-bind-ip'],
    port: rpcPort,
    ...(bindIpv6 === undefined ? {} : { bindIpv6 }),
    maxRpm: options['rpc-max-rpm'],
    maxBodyBytes: options['rpc-max-body-bytes'],
    readTimeoutSeconds: options['rpc-read-timeout'],
    writeTimeoutSeconds: options['rpc-write-timeout'],
    maxConnectionsPerAddress: options['rpc-max-connections-per-ip'],
    accessToken: accessToken.current,
    corsOrigin: options['enable-cors'],
    trustProxy: options['rpc-trust-proxy'],
    allowedHosts: options['rpc-allowed-host'],
    health: options['enable-health'],
  };
}

/** Reloads the token file; empty without one. */
export function accessTokenTask({ reload }: AccessToken, logger: Pick<Logger, 'hide'>): ReloadTask[] {
  return reload === undefined ? [] : [{ name: 'the RPC access token', run: () => logger.hide(reload()) }];
}

export interface LocalSocketDependencies {
  readonly config: Pick<DaemonConfig, 'options'>;
  readonly context: RpcContext;
  readonly rpc: RpcServerOptions;
  readonly runner: ConsoleRunner;
  readonly notice: (line: string) => void;
  readonly logger: Logger;
}

/** The reader processes of `--rpc-processes`, not yet started; undefined for 0, or if the local socket is not available. */
export function rpcProcesses(
  dependencies: Omit<RpcProcessesDependencies, 'socket'> & { readonly hasSocket: boolean },
): RpcProcesses | undefined {
  const { config, hasSocket, logger } = dependencies;
  const { 'rpc-processes': count, 'rpc-ipc-path': path } = config.options;
  if (count === 0) return undefined;
  if (hasSocket) return new RpcProcesses({ ...dependencies, socket: socketPath(path) });
  logger.warning('--rpc-processes is ignored, because the local socket is not available');
  return undefined;
}

/** Serves RPC and console on the local socket; undefined if the options name none. */
export async function startLocalSocket(dependencies: LocalSocketDependencies): Promise<HttpServer | undefined> {
  const { config, context, rpc, runner, notice, logger } = dependencies;
  const { options } = config;
  const path = options['rpc-ipc-path'];
  const socket = localSocketAddress(path, options['rpc-ipc-mode'], options['rpc-ipc-group']);
  if (socket === undefined) return undefined;
  if (!hasLocalSockets()) {
    logger.warning('--rpc-ipc-path is ignored: local sockets have no permissions on this system');
    return undefined;
  }
  const { admit: _forAllRoutes, ...rules } = routeRules;
  const routes = bindRoutes([consoleRoute], runner, rules);
  const requireToken = options['rpc-ipc-require-token'];
  const server = await startLocalRpc(context, rpc, { socket, requireToken, routes }, logger);
  if (server !== undefined) notice(`Console commands are available over socket ${path}: wrkz-daemon attach ${path}`);
  return server;
}
