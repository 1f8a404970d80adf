import { type HttpServer, type Logger, bindRoutes, hasLocalSockets, localSocketAddress } from '@wrkz/service-kit';
import type { DaemonConfig } from '../config/config';
import { type ConsoleContext, type ConsoleRunner, consoleRoute, type LogTail } from '../console';
import type { TransactionPool } from '../mempool/pool';
import type { P2pNode } from '../p2p/node';
import { type RpcContext, type RpcServerOptions, startLocalRpc } from '../rpc';
import type { SnapshotExporter } from '../snapshot/exporter';
import type { StratumServer } from '../stratum/server';
import type { Compaction } from '../upkeep/compaction';
import type { Scrub } from '../upkeep/scrub';
import { routeRules } from '../rpc/service';

export interface LocalSocketParts {
  readonly config: Pick<DaemonConfig, 'options'>;
  readonly context: RpcContext;
  readonly rpc: RpcServerOptions;
  readonly runner: ConsoleRunner;
  readonly notice: (line: string) => void;
  readonly logger: Logger;
}

/** Serves RPC and console on the local socket that the options ask for; undefined when there is none. */
export async function startLocalSocket(parts: LocalSocketParts): Promise<HttpServer | undefined> {
  const { options } = parts.config;
  const path = options['rpc-ipc-path'];
  const socket = localSocketAddress(path, options['rpc-ipc-mode'], options['rpc-ipc-group']);
  if (socket === undefined) return undefined;
  if (!hasLocalSockets()) {
    parts.logger.warning('--rpc-ipc-path is ignored: local sockets have no permissions on this system');
    return undefined;
  }
  const { admit: _forAllRoutes, ...rules } = routeRules;
  const routes = bindRoutes([consoleRoute], parts.runner, rules);
  const requireToken = options['rpc-ipc-require-token'];
  const server = await startLocalRpc(parts.context, parts.rpc, { socket, requireToken, routes }, parts.logger);
  if (server !== undefined)
    parts.notice(`Console commands are available over socket ${path}: wrkz-daemon attach ${path}`);
  return server;
}

export interface ConsoleParts {
  readonly rpc: RpcContext;
  readonly pool: TransactionPool;
  readonly peers: P2pNode;
  readonly logger: Logger;
  readonly tail: LogTail;
  readonly stratum: StratumServer | undefined;
  readonly snapshots: SnapshotExporter;
  readonly compaction: Compaction;
  readonly scrub: Scrub;
  readonly directory: string;
  readonly listensAt: string;
  readonly requestStop: () => void;
}

/** What the commands of the console may ask of the node. */
export function consoleContext(parts: ConsoleParts): ConsoleContext {
  return { ...parts, network: parts.rpc.network };
}
