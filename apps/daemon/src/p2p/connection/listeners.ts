import type { Duplex } from 'node:stream';
import { errorText } from '@wrkz/service-kit';
import type { P2pConfig } from '../config';
import type { P2pLogger } from '../ports';
import type { PeerAddress } from '../util/address';
import type { Listener, Transport } from './transport';

/** A listener with the address that it was asked for and the port that it has. */
export interface PeerListener extends Listener {
  readonly host: string;
}

/**
 * Listens for peers, and on the IPv6 address if there is one, which uses the first one's port unless it has its own.
 * @throws Error with a message for the operator when the first address cannot be had; the other one is done without
 */
export async function listenForPeers(
  config: Pick<P2pConfig, 'bindHost' | 'bindPort' | 'bindHost6' | 'bindPort6'>,
  { transport, logger }: { readonly transport: Transport; readonly logger: P2pLogger },
  onSocket: (socket: Duplex, remote: PeerAddress) => void,
): Promise<PeerListener[]> {
  const { bindHost, bindPort, bindHost6, bindPort6 } = config;
  const first = { host: bindHost, ...(await transport.listen(bindHost, bindPort, onSocket)) };
  if (bindHost6 === undefined) return [first];
  const port = bindPort6 === 0 ? first.port : bindPort6;
  try {
    const second = await transport.listen(bindHost6, port, onSocket, { ipv6Only: true });
    return [first, { host: bindHost6, ...second }];
  } catch (error) {
    logger.warning(`${errorText(error)}; peers reach this node by ${bindHost} alone`);
    return [first];
  }
}
