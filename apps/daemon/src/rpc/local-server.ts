import {
  type BoundRoute,
  errorText,
  type HttpServer,
  localListener,
  type LocalSocketAddress,
  type Logger,
  startHttpServer,
} from '@wrkz/service-kit';
import type { RpcContext } from './ports';
import { createRpcApp, type RpcServerOptions } from './server';

export interface LocalRpcOptions {
  readonly socket: LocalSocketAddress;
  /** Whether callers over the socket need the access token, too. */
  readonly requireToken: boolean;
  /** Routes that no other listener has. */
  readonly routes: readonly BoundRoute[];
}

/**
 * Serves the RPC on a local socket. Who may connect is decided by its file: nobody is counted there, and the token is
 * asked for only where the operator wants it.
 *
 * @returns undefined, after a warning, when the socket cannot be had: TCP goes on
 */
export async function startLocalRpc(
  context: RpcContext,
  rpc: RpcServerOptions,
  { socket, requireToken, routes }: LocalRpcOptions,
  logger: Logger,
): Promise<HttpServer | undefined> {
  const { readTimeoutSeconds, writeTimeoutSeconds } = rpc;
  const guards = { maxRpm: 0, trustProxy: false, localNeedsToken: requireToken };
  try {
    return await startHttpServer({
      app: createRpcApp(context, { ...rpc, ...guards, ownRoutes: routes }, logger),
      listen: [],
      local: localListener(socket, logger),
      logger,
      limits: { readTimeoutMs: readTimeoutSeconds * 1000, writeTimeoutMs: writeTimeoutSeconds * 1000 },
    });
  } catch (error) {
    logger.warning(errorText(error));
    return undefined;
  }
}
