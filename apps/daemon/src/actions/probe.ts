import { randomBytes } from 'node:crypto';
import { networkOf, type Network } from '@wrkz/core-types';
import {
  ByteBudget,
  Command,
  handshakeRequest,
  handshakeResponse,
  type HandshakeResponse,
  requestChain,
  responseChain,
  type SyncData,
} from '@wrkz/levin';
import { errorText, withTimeout } from '@wrkz/service-kit';
import { addressKey, canonicalHost, parseEndpoint, type PeerAddress } from '../p2p/addresses';
import { systemClock } from '../p2p/clock';
import { PeerConnection } from '../p2p/connection/peer-connection';
import { tcpTransport } from '../p2p/connection/transport';
import { CAPABILITY_LITE, CAPABILITY_PRUNED, HANDSHAKE_TIMEOUT, P2P_VERSION } from '../p2p/constants';
import { AddressBudget } from '../p2p/limits/address-budget';
import { closeReasons } from '../p2p/limits/close-reasons';
import { COMMAND_NETWORK, daemonCommand, shortText } from './command';

const MAX_RESPONSE_BYTES = 1024 * 1024;
const RESPONSE_TIMEOUT_MS = 15_000;
const RPC_TIMEOUT_MS = 3_000;

type Row = readonly [name: string, value: string];

/** `wrkz-daemon probe <host:port>`: exit code 1 unless a node of the network responds. */
export const probeCommand = daemonCommand({
  name: 'probe',
  help: 'Print what the node at an address is: version, height, storage mode, clock, peers. Without a node of ours.',
  arguments: [{ name: 'address', help: 'host or host:port; the default port is the P2P port of the network' }],
  options: COMMAND_NETWORK,
  run: async (values, [text = ''], { write, signal }) => {
    const network = networkOf(values.network);
    const address = await resolved(text, network);
    write(addressKey(address));
    const rows = (await peerRows(address, network, signal)) ?? (await rpcRows(address, signal));
    if (rows === undefined) {
      write(`  does not respond as a node of ${network.name}: it is offline, full, or of another network`);
      return 1;
    }
    for (const [name, value] of rows) write(`  ${name.padEnd(14)}${value}`);
    return 0;
  },
});

async function resolved(text: string, network: Network): Promise<PeerAddress> {
  const endpoint = parseEndpoint(text, network.ports.p2p);
  if (endpoint === undefined) throw new Error(`${JSON.stringify(text)} is not a host and port`);
  const { host, port } = endpoint;
  const found = canonicalHost(host) ?? (await tcpTransport.resolve(host))[0];
  if (found === undefined) throw new Error(`the host ${host} cannot be resolved`);
  return { host: found, port };
}

/** The rows of a peer-to-peer port; undefined without a valid handshake. */
async function peerRows(address: PeerAddress, network: Network, signal: AbortSignal): Promise<Row[] | undefined> {
  const startedAt = performance.now();
  const socket = await tcpTransport.connect(address);
  if (socket === undefined) throw new Error(`no connection to ${addressKey(address)}`);
  const closed = deferred<void>();
  const connection: PeerConnection = new PeerConnection({
    socket,
    remote: address,
    incoming: false,
    clock: systemClock,
    logger: { debug: ignore, info: ignore, warning: ignore, error: ignore },
    share: new ByteBudget(4 * MAX_RESPONSE_BYTES),
    budget: new AddressBudget(
      () => systemClock.now(),
      () => 0,
    ),
    limitOf: () => MAX_RESPONSE_BYTES,
    onClose: () => closed.resolve(),
  });
  const stop = (): void => connection.close(closeReasons.stopping);
  signal.addEventListener('abort', stop);
  try {
    const response = await handshake(connection, network);
    if (response === undefined) return undefined;
    const milliseconds = Math.round(performance.now() - startedAt);
    return [
      ...nodeRows(response, network),
      ['first block', await firstBlock(connection, network, closed.promise)],
      ['responds in', `${milliseconds} ms`],
    ];
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

function ignore(): void {
  // The result is printed, not logged.
}

async function handshake(connection: PeerConnection, network: Network): Promise<HandshakeResponse | undefined> {
  const request = handshakeRequest.encode({
    nodeData: {
      networkId: network.networkId,
      version: P2P_VERSION,
      peerId: randomBytes(8).readBigUInt64LE(),
      localTime: BigInt(Math.floor(Date.now() / 1000)),
      myPort: 0,
    },
    syncData: { currentHeight: 1, tipHash: network.genesis.hash, capabilityFlags: 0 },
  });
  const frame = await connection.request(Command.handshake, request, HANDSHAKE_TIMEOUT);
  try {
    return frame && handshakeResponse.decode(frame.body);
  } catch {
    return undefined;
  }
}

function nodeRows({ nodeData, syncData, peers, peers6 }: HandshakeResponse, network: Network): Row[] {
  const own = nodeData.networkId.equals(network.networkId);
  const seconds = Number(nodeData.localTime) - Math.floor(Date.now() / 1000);
  return [
    ['network', own ? network.name : `another one: ${nodeData.networkId.toString('hex')}`],
    ['P2P version', String(nodeData.version)],
    ['peer id', nodeData.peerId.toString(16).padStart(16, '0')],
    ['height', `${String(syncData.currentHeight)} blocks`],
    ['top block', syncData.tipHash.toString('hex')],
    ['storage', storageText(syncData)],
    ['clock', `${String(Math.abs(seconds))} s ${seconds < 0 ? 'behind' : 'ahead of'} this machine`],
    ['peer port', nodeData.myPort === 0 ? 'hidden' : String(nodeData.myPort)],
    ['peer list', `${String(peers.length)} IPv4, ${String(peers6.length)} IPv6`],
  ];
}

function storageText({ capabilityFlags = 0, prunedNodeHeight = 0, liteStartHeight = 0 }: SyncData): string {
  if ((capabilityFlags & CAPABILITY_LITE) !== 0) return `lite: blocks from ${String(liteStartHeight)} on`;
  if ((capabilityFlags & CAPABILITY_PRUNED) !== 0) return `pruned: blocks from ${String(prunedNodeHeight)} on`;
  return 'full: all blocks';
}

/** Whether the node serves its chain from our genesis block on. */
async function firstBlock(connection: PeerConnection, { genesis }: Network, closed: Promise<void>): Promise<string> {
  const { promise, resolve } = deferred<string>();
  const timer = setTimeout(() => resolve('does not respond to a chain request'), RESPONSE_TIMEOUT_MS);
  void closed.then(() => resolve('closes the connection after a chain request'));
  connection.start((frame) => {
    if (frame.command !== Command.responseChain) return;
    const { startHeight, hashes } = responseChain.decode(frame.body);
    const isOurs = startHeight === 0 && hashes[0]?.equals(genesis.hash) === true;
    resolve(isOurs ? 'that of the network' : `another one: ${hashes[0]?.toString('hex') ?? 'none'}`);
  });
  connection.notify(Command.requestChain, requestChain.encode({ hashes: [genesis.hash] }));
  return promise.finally(() => clearTimeout(timer));
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = ignore;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}

/** The rows for an RPC port, which an operator may give by mistake; undefined if the port is not one. */
async function rpcRows(address: PeerAddress, signal: AbortSignal): Promise<Row[] | undefined> {
  try {
    // eslint-disable-next-line no-restricted-syntax -- a node needs no HTTP client: it is loaded only here
    const { default: axios } = await import('axios');
    const options = { maxContentLength: MAX_RESPONSE_BYTES, maxRedirects: 0, proxy: false } as const;
    const url = `http://${addressKey(address)}/info`;
    const { data: info } = await withTimeout(RPC_TIMEOUT_MS, [signal], (limited) =>
      axios.get<Record<string, unknown>>(url, { ...options, signal: limited }),
    );
    if (typeof info['height'] !== 'number') return undefined;
    const text = (name: string): string => shortText(String(info[name]));
    return [
      ['port', 'RPC, not P2P'],
      ['version', text('version')],
      ['height', `${text('height')} blocks of ${text('network_height')}`],
      // Older C++ nodes do not report it.
      ...(info['top_block_hash'] === undefined ? [] : [['top block', text('top_block_hash')] as const]),
      ['synchronized', text('synced')],
    ];
  } catch (error) {
    if (signal.aborted) throw new Error(errorText(signal.reason), { cause: error });
    return undefined;
  }
}
