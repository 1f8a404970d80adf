import { isLoopback, type Logger } from '@wrkz/service-kit';
import type { DaemonConfig } from '../../config/config';
import type { P2pNode } from '../node';
import { PortMapping } from './port-mapping';

/**
 * Whether a router is asked at all. Only a network that says so does it, so that no node of a test network ever sends a
 * datagram to a group. Nobody is to call a node that hides its port, takes no callers, or listens on loopback; and what a
 * router forwards is IPv4.
 */
export function mapsPort({ network, options }: Pick<DaemonConfig, 'network' | 'options'>): boolean {
  const bindHost = options['p2p-bind-ip'];
  if (!network.usesUpnp || options['no-upnp'] || options['hide-my-port'] || options['in-peers'] === 0) return false;
  return !isLoopback(bindHost) && (bindHost === '::' || !bindHost.includes(':'));
}

/** Has a router forward the port to the listening peers' side, if one is to be asked. */
export function startPortMapping(config: DaemonConfig, peers: P2pNode, logger: Logger): PortMapping | undefined {
  if (!mapsPort(config)) return undefined;
  const mapping = new PortMapping({
    bindHost: config.options['p2p-bind-ip'],
    ports: { outside: peers.toldPort, inside: peers.port },
    logger,
    onMapped: (address) => peers.isMappedTo(address),
  });
  mapping.start();
  return mapping;
}
