import { createSocket, type Socket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import * as ipaddr from 'ipaddr.js';
import type { Gateway } from './task';

/** Multicast group and port of SSDP, the discovery protocol of UPnP. */
const GROUP = '239.255.255.250';
const PORT = 1900;
/** Multicast TTL of a search. */
const HOPS = 2;
/** Both versions of the device type: a router of version 2 should also respond to version 1, but not all do. */
const TARGETS = [1, 2].map((version) => `urn:schemas-upnp-org:device:InternetGatewayDevice:${String(version)}`);
/** Milliseconds. Datagrams can be lost, so each search is sent twice. The search ends shortly after the first response. */
const RESEND_AFTER = 1_000;
const SEARCH_TIMEOUT = 2_500;
const GRACE = 300;
const MAX_GATEWAYS = 4;
const MAX_RESPONSE_BYTES = 2_048;

/** An address of this machine with its network, `192.168.1.7/24`. */
export interface OwnNetwork {
  readonly address: string;
  readonly cidr: string;
}

/**
 * The networks in which to search for a gateway: those of private IPv4 addresses. A machine with a public address needs no
 * gateway, and must not contact devices in the network of a data centre.
 * @param bindHost the address of the peer listener; if it is an address of this machine, only its network is searched
 */
export function searchedNetworks(bindHost: string, interfaces = networkInterfaces()): OwnNetwork[] {
  const all = Object.values(interfaces).flatMap((infos) => infos ?? []);
  return all.flatMap(({ family, internal, address, cidr }) => {
    if (family !== 'IPv4' || internal || cidr === null) return [];
    if (bindHost !== '0.0.0.0' && bindHost !== '::' && bindHost !== address) return [];
    return ['private', 'carrierGradeNat'].includes(ipaddr.IPv4.parse(address).range()) ? [{ address, cidr }] : [];
  });
}

/**
 * Parses the response to a search: the gateway that it names, or undefined. A device may name only itself, with an address
 * in our network: otherwise it could make this node connect to other hosts.
 */
export function gatewayOf(response: Buffer, sender: string, { address, cidr }: OwnNetwork): Gateway | undefined {
  if (response.length > MAX_RESPONSE_BYTES) return undefined;
  const [status = '', ...lines] = response.toString('latin1').split(/\r?\n/);
  if (!/^HTTP\/1\.\d 200( |$)/.test(status)) return undefined;
  const header = (name: string): string | undefined => {
    const line = lines.find((text) => text.toLowerCase().startsWith(`${name}:`));
    return line?.slice(name.length + 1).trim();
  };
  const location = header('location') ?? '';
  if (!TARGETS.includes(header('st') ?? '') || !URL.canParse(location)) return undefined;
  const { protocol, hostname, username, href } = new URL(location);
  if (protocol !== 'http:' || hostname !== sender || username !== '') return undefined;
  if (!ipaddr.IPv4.isValidFourPartDecimal(sender)) return undefined;
  if (!ipaddr.IPv4.parse(sender).match(ipaddr.IPv4.parseCIDR(cidr))) return undefined;
  return { location: href, client: address };
}

/** Searches the networks for gateways. @returns those that responded; an empty list after 2.5 s */
export async function searchGateways(networks: readonly OwnNetwork[]): Promise<Gateway[]> {
  if (networks.length === 0) return [];
  // Keyed by sender, so that one device cannot displace the responses of others.
  const found = new Map<string, Gateway>();
  const sockets: Socket[] = [];
  try {
    await new Promise<void>((over) => {
      setTimeout(over, SEARCH_TIMEOUT);
      for (const network of networks) {
        const socket = searchIn(network, (gateway, sender) => {
          if (found.size === 0) setTimeout(over, GRACE);
          if (found.size < MAX_GATEWAYS && !found.has(sender)) found.set(sender, gateway);
        });
        sockets.push(socket);
      }
    });
  } finally {
    for (const socket of sockets) socket.close();
  }
  return [...found.values()];
}

/** Sends the search to one network, twice. A failure counts as no response. */
function searchIn(network: OwnNetwork, onGateway: (gateway: Gateway, sender: string) => void): Socket {
  const socket = createSocket('udp4');
  let again: NodeJS.Timeout | undefined;
  const send = (): void => {
    for (const target of TARGETS) socket.send(searchFor(target), PORT, GROUP, () => undefined);
  };
  socket.on('message', (response, { address }) => {
    const gateway = gatewayOf(response, address, network);
    if (gateway !== undefined) onGateway(gateway, address);
  });
  socket.on('error', () => clearTimeout(again));
  socket.on('close', () => clearTimeout(again));
  socket.bind(0, network.address, () => {
    socket.setMulticastTTL(HOPS);
    socket.setMulticastInterface(network.address);
    send();
    again = setTimeout(send, RESEND_AFTER);
  });
  return socket;
}

function searchFor(target: string): string {
  const headers = [`HOST: ${GROUP}:${String(PORT)}`, `ST: ${target}`, 'MAN: "ssdp:discover"', 'MX: 1'];
  return ['M-SEARCH * HTTP/1.1', ...headers, '', ''].join('\r\n');
}
