import type { RpcServerOptions } from '../rpc';
import type { DaemonConfig } from '../config/config';
import { rpcIpv6 } from '../config/rpc-listeners';

/** What the options say about the server of the RPC. */
export function rpcServerOptions({ options, rpcPort }: DaemonConfig): RpcServerOptions {
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
    accessToken: options['rpc-access-token'],
    corsOrigin: options['enable-cors'],
    trustProxy: options['rpc-trust-proxy'],
    allowedHosts: options['rpc-allowed-host'],
    health: options['enable-health'],
  };
}
