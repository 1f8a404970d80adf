import type { Logger, ReloadTask } from '@wrkz/service-kit';
import type { AccessToken } from '../config/access-token';
import type { RpcServerOptions } from '../rpc';
import type { DaemonOptions } from '../config/config';
import { rpcIpv6 } from '../config/rpc-listeners';

/** The options of the server, which a node and a reader process have alike. */
type ServerOptions = Pick<
  DaemonOptions,
  | 'enable-cors'
  | 'enable-health'
  | 'rpc-allowed-host'
  | 'rpc-bind-ip'
  | 'rpc-bind-ipv6-address'
  | 'rpc-max-body-bytes'
  | 'rpc-max-connections-per-ip'
  | 'rpc-max-rpm'
  | 'rpc-read-timeout'
  | 'rpc-trust-proxy'
  | 'rpc-use-ipv6'
  | 'rpc-write-timeout'
>;

/** What the options say about the server of the RPC. */
export function rpcServerOptions({
  options,
  rpcPort,
  accessToken,
}: {
  readonly options: ServerOptions;
  readonly rpcPort: number;
  readonly accessToken: AccessToken;
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
