/** The options that say where peers reach the node by IPv6. */
interface P2pIpv6Options {
  readonly 'p2p-bind-ipv6-address': string;
  readonly 'p2p-bind-port-ipv6': number;
}

/** Where the second listener for peers is to be, if there is to be one; its own port 0 is that of the first. */
export function p2pIpv6(
  options: P2pIpv6Options,
  firstPort: number,
): { readonly host: string; readonly port: number }[] {
  const host = options['p2p-bind-ipv6-address'];
  const port = options['p2p-bind-port-ipv6'];
  return host === '' ? [] : [{ host, port: port === 0 ? firstPort : port }];
}
