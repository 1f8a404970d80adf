import { join } from 'node:path';
import type { Network } from '@wrkz/core-types';
import { UsageError } from '@wrkz/service-kit';
import type { DaemonConfig } from '../config/config';
import type { P2pConfig } from '../p2p/config';
import { canonicalHost, type NamedEndpoint, parseEndpoint, type PeerAddress } from '../p2p/addresses';

/** File with peer lists, bans and the peer id, in the folder of the network. */
const STATE_FILE = 'peers.json';
/** Port of a SOCKS proxy (RFC 1928). */
const DEFAULT_PROXY_PORT = 1080;
/** Milliseconds between timed syncs, and on the test networks (docs/protocol/networks.md#profiles). */
const TIMED_SYNC = 60_000;
const QUICK_TIMED_SYNC = 2_000;

/** The configuration of the peer-to-peer node. @throws UsageError with the option whose address is invalid */
export function peersConfig({ options, network, p2pPort, directory, storage }: DaemonConfig): P2pConfig {
  const addresses = (name: 'add-peer' | 'add-priority-node' | 'add-exclusive-node'): PeerAddress[] =>
    options[name].map((text) => readAddress(name, text, network));
  const own = options['no-default-seeds'] ? { seeds: [], dnsSeeds: [] } : network;
  return {
    networkId: network.networkId,
    bindHost: options['p2p-bind-ip'],
    bindPort: p2pPort,
    bindHost6: options['p2p-bind-ipv6-address'] === '' ? undefined : options['p2p-bind-ipv6-address'],
    bindPort6: options['p2p-bind-port-ipv6'],
    externalPort: options['p2p-external-port'],
    // Peers see the address of the proxy: they could not connect to our port there.
    hidePort: options['hide-my-port'] || (options.proxy !== '' && options['p2p-external-port'] === 0),
    proxy: options.proxy === '' ? undefined : readProxy(options.proxy),
    maxUpload: options['max-upload'],
    allowLocal: options['allow-local-ip'],
    addedPeers: addresses('add-peer'),
    priorityNodes: addresses('add-priority-node'),
    exclusiveNodes: addresses('add-exclusive-node'),
    seeds: [...options['seed-node'].map((text) => readEndpoint('seed-node', text, network)), ...own.seeds],
    dnsSeeds: own.dnsSeeds,
    dnsSeedPort: network.ports.p2p,
    stateFile: join(directory, STATE_FILE),
    outPeers: options['out-peers'],
    inPeers: options['in-peers'],
    banLists: options['ban-list'],
    resetState: options['p2p-reset-peerstate'] || options.resync,
    // Values below their minimums are already raised.
    syncMaxPeers: options['sync-max-peers'],
    syncPeerFailureThreshold: options['sync-peer-failure-threshold'],
    syncBatchMin: options['sync-batch-min'],
    syncBatchMax: options['sync-batch-max'],
    blockSyncSize: options['block-sync-size'],
    blockSyncBytes: options['block-sync-bytes'],
    timedSyncInterval: network.name === 'mainnet' ? TIMED_SYNC : QUICK_TIMED_SYNC,
    synchronizedAlone: network.countsAsSynchronizedAlone,
    avoidsPrunedPeers: (height) => storage.kind === 'full' && network.rulesAt(height).prunedPeersAvoided,
  };
}

function readEndpoint(option: string, text: string, network: Network): NamedEndpoint {
  const endpoint = parseEndpoint(text, network.ports.p2p);
  if (endpoint === undefined) throw new UsageError(`--${option}: ${JSON.stringify(text)} is not an address`);
  return endpoint;
}

/** @throws UsageError for a host name: a DNS query for it would not go through the proxy */
function readProxy(text: string): PeerAddress {
  const { host, port } = parseEndpoint(text, DEFAULT_PROXY_PORT) ?? { host: '', port: 0 };
  const address = canonicalHost(host);
  if (address === undefined) throw new UsageError(`--proxy: ${JSON.stringify(text)} is not an IP address and port`);
  return { host: address, port };
}

/** These options take IPv4 addresses only (docs/protocol/p2p.md#defaults). */
function readAddress(option: string, text: string, network: Network): PeerAddress {
  const { host, port } = readEndpoint(option, text, network);
  const address = canonicalHost(host);
  if (address === undefined || address.includes(':')) {
    throw new UsageError(`--${option}: ${JSON.stringify(text)} is not an IPv4 address`);
  }
  return { host: address, port };
}
