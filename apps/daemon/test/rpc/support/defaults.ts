import type { RpcServerOptions } from '../../../src/rpc';

/** Default values (docs/protocol/rpc.md#limits). */
export const RPC_DEFAULTS = {
  maxBodyBytes: 2_097_152,
  readTimeoutSeconds: 15,
  writeTimeoutSeconds: 30,
  /** Each connection may hold a response of some megabytes that the client does not read. */
  maxConnectionsPerAddress: 64,
  allowedHosts: [],
} as const satisfies Partial<RpcServerOptions>;
