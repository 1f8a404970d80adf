import {
  bindRoutes,
  hasLocalSockets,
  type HttpServer,
  localSocketAddress,
  type Logger,
  type ReloadTask,
  socketPath,
} from '@wrkz/service-kit';
import type { ChainService } from '../chain/service';
import type { AccessToken } from '../config/access-token';
import type { DaemonConfig, DaemonOptions } from '../config/config';
import { rpcIpv6 } from '../config/listeners';
import { consoleRoute, type ConsoleRunner } from '../console/runner';
import { type RpcContext, type RpcServerOptions, startLocalRpc } from '../rpc';
import { routeRules } from '../rpc/service';
import type { ServeRpcOptions } from '../serve-rpc/config';
import { RpcProcesses, type RpcProcessesDependencies } from '../serve-rpc/processes';

export type RpcContextDependencies = Pick<
  RpcContext,
  'reader' | 'queries' | 'peers' | 'pool' | 'miner' | 'generator' | 'damaged' | 'refusedBranch' | 'events' | 'now'
> & {
  readonly config: DaemonConfig;
  readonly chain: Pick<ChainService, 'tip'> & { readonly diskShortage?: string | undefined };
};

/** The parts of the node that the routes use. */
export function rpcContext({ config, chain, ...parts }: RpcContextDependencies): RpcContext {
  const { network, options, storage, pruneDepth } = config;
  return {
    ...parts,
    network,
    nextDifficulty: () => chain.tip().nextDifficulty,
    limits: {
      maxBlockCount: options['rpc-max-block-count'],
      maxGlobalIndexRange: options['rpc-max-global-index-range'],
    },
    storage: { prune: storage.kind === 'pruned', pruneDepth },
    explorer: options['daemon-mode'] === 'explorer',
    miningOff: options['rpc-no-mining'],
    paused: () => chain.diskShortage,
    heavierBranch: (work) => {
      const branch = parts.refusedBranch?.();
      if (branch === undefined || branch.cumulativeDifficulty <= work) return undefined;
      return { height: branch.height, hash: branch.hash.toString('hex') };
    },
    startTime: parts.now(),
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
