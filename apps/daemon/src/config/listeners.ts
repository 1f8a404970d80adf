import { isLoopback } from '@wrkz/service-kit';

interface RpcOptions {
  readonly 'public-node': boolean;
  readonly 'rpc-access-token': string;
  readonly 'rpc-access-token-file': string;
  readonly 'rpc-bind-ip': string;
  readonly 'rpc-bind-ipv6-address': string;
  readonly 'rpc-use-ipv6': boolean;
}

/** The address of the second RPC listener, or none. */
export function rpcIpv6(options: Pick<RpcOptions, 'rpc-bind-ipv6-address' | 'rpc-use-ipv6'>): string[] {
  const address = options['rpc-bind-ipv6-address'];
  return options['rpc-use-ipv6'] && address !== '' ? [address] : [];
}

/** Warnings about options that may not do what the operator intends. */
export function rpcWarnings(options: RpcOptions): string[] {
  const warnings: string[] = [];
  const address = options['rpc-bind-ipv6-address'];
  if (options['rpc-use-ipv6'] && address === '')
    warnings.push('--rpc-use-ipv6 needs --rpc-bind-ipv6-address too: there is no IPv6 listener');
  if (!options['rpc-use-ipv6'] && address !== '')
    warnings.push('--rpc-bind-ipv6-address counts only with --rpc-use-ipv6: there is no IPv6 listener');
  const reached = [options['rpc-bind-ip'], ...rpcIpv6(options)].filter((host) => !isLoopback(host));
  const hasToken = options['rpc-access-token'] !== '' || options['rpc-access-token-file'] !== '';
  if (reached.length > 0 && !hasToken && !options['public-node'])
    warnings.push(
      `the RPC on ${reached.join(' and ')} is open to everybody who reaches it: --rpc-access-token is empty`,
    );
  return warnings;
}

interface P2pIpv6Options {
  readonly 'p2p-bind-ipv6-address': string;
  readonly 'p2p-bind-port-ipv6': number;
}

/** The second listener for peers, or none. Port 0 means the port of the first. */
export function p2pIpv6(
  options: P2pIpv6Options,
  firstPort: number,
): { readonly host: string; readonly port: number }[] {
  const host = options['p2p-bind-ipv6-address'];
  const port = options['p2p-bind-port-ipv6'];
  return host === '' ? [] : [{ host, port: port === 0 ? firstPort : port }];
}
