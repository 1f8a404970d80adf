import { decodePeers, decodePeers6, encodePeers, encodePeers6 } from '../peer-entries';
import { BodyReader, BodyWriter } from './body';
import type {
  HandshakeRequest,
  HandshakeResponse,
  NodeData,
  PeerLists,
  PingResponse,
  SyncData,
  TimedSyncRequest,
  TimedSyncResponse,
} from './messages';

function writeNodeData(data: NodeData): BodyWriter {
  return new BodyWriter()
    .string('network_id', data.networkId)
    .uint8('version', data.version)
    .uint64('peer_id', data.peerId)
    .uint64('local_time', data.localTime)
    .uint32('my_port', data.myPort);
}

function readNodeData(body: BodyReader): NodeData {
  return {
    networkId: body.fixed('network_id', 16),
    version: body.uint8('version'),
    peerId: body.uint64('peer_id'),
    localTime: body.uint64('local_time'),
    myPort: body.uint32('my_port'),
  };
}

function writeSyncData(data: SyncData): BodyWriter {
  const body = new BodyWriter().uint32('current_height', data.currentHeight).string('top_id', data.tipHash);
  if (data.capabilityFlags !== undefined) body.uint32('capability_flags', data.capabilityFlags);
  if (data.prunedNodeHeight !== undefined) body.uint32('pruned_node_height', data.prunedNodeHeight);
  if (data.liteStartHeight !== undefined) body.uint32('lite_start_height', data.liteStartHeight);
  return body;
}

function readSyncData(body: BodyReader): SyncData {
  return {
    currentHeight: body.uint32('current_height'),
    tipHash: body.fixed('top_id', 32),
    capabilityFlags: body.has('capability_flags') ? body.uint32('capability_flags') : undefined,
    prunedNodeHeight: body.has('pruned_node_height') ? body.uint32('pruned_node_height') : undefined,
    liteStartHeight: body.has('lite_start_height') ? body.uint32('lite_start_height') : undefined,
  };
}

function writePeers(body: BodyWriter, lists: PeerLists): BodyWriter {
  return body.blob('local_peerlist', encodePeers(lists.peers)).blob('local_peerlist6', encodePeers6(lists.peers6));
}

function readPeers(body: BodyReader): PeerLists {
  return {
    peers: decodePeers(body.string('local_peerlist')),
    peers6: decodePeers6(body.string('local_peerlist6')),
  };
}

const nodeDataShape = { network_id: 'one', version: 'one', peer_id: 'one', local_time: 'one', my_port: 'one' } as const;
const syncDataShape = {
  current_height: 'one',
  top_id: 'one',
  capability_flags: 'one',
  pruned_node_height: 'one',
  lite_start_height: 'one',
} as const;
const handshakeShape = { node_data: nodeDataShape, payload_data: syncDataShape } as const;
const peersShape = { local_peerlist: 'one', local_peerlist6: 'one' } as const;

/** COMMAND_HANDSHAKE, request. */
export const handshakeRequest = {
  encode: (message: HandshakeRequest): Buffer =>
    new BodyWriter()
      .object('node_data', writeNodeData(message.nodeData))
      .object('payload_data', writeSyncData(message.syncData))
      .finish(),
  decode: (bytes: Buffer): HandshakeRequest => {
    const body = BodyReader.of(bytes, handshakeShape);
    return { nodeData: readNodeData(body.object('node_data')), syncData: readSyncData(body.object('payload_data')) };
  },
};

/** COMMAND_HANDSHAKE, response. */
export const handshakeResponse = {
  encode: (message: HandshakeResponse): Buffer =>
    writePeers(
      new BodyWriter()
        .object('node_data', writeNodeData(message.nodeData))
        .object('payload_data', writeSyncData(message.syncData)),
      message,
    ).finish(),
  decode: (bytes: Buffer): HandshakeResponse => {
    const body = BodyReader.of(bytes, { ...handshakeShape, ...peersShape });
    return {
      nodeData: readNodeData(body.object('node_data')),
      syncData: readSyncData(body.object('payload_data')),
      ...readPeers(body),
    };
  },
};

/** COMMAND_TIMED_SYNC, request. */
export const timedSyncRequest = {
  encode: (message: TimedSyncRequest): Buffer =>
    new BodyWriter().object('payload_data', writeSyncData(message.syncData)).finish(),
  decode: (bytes: Buffer): TimedSyncRequest => ({
    syncData: readSyncData(BodyReader.of(bytes, { payload_data: syncDataShape }).object('payload_data')),
  }),
};

/** COMMAND_TIMED_SYNC, response. */
export const timedSyncResponse = {
  encode: (message: TimedSyncResponse): Buffer =>
    writePeers(
      new BodyWriter().uint64('local_time', message.localTime).object('payload_data', writeSyncData(message.syncData)),
      message,
    ).finish(),
  decode: (bytes: Buffer): TimedSyncResponse => {
    const body = BodyReader.of(bytes, { local_time: 'one', payload_data: syncDataShape, ...peersShape });
    return {
      localTime: body.uint64('local_time'),
      syncData: readSyncData(body.object('payload_data')),
      ...readPeers(body),
    };
  },
};

/** COMMAND_PING, request: an empty section. */
export const pingRequest = { encode: (): Buffer => new BodyWriter().finish() };

/** COMMAND_PING, response; `status` is OK. */
export const pingResponse = {
  encode: (message: PingResponse): Buffer =>
    new BodyWriter().string('status', Buffer.from(message.status)).uint64('peer_id', message.peerId).finish(),
  decode: (bytes: Buffer): PingResponse => {
    const body = BodyReader.of(bytes, { status: 'one', peer_id: 'one' });
    return { status: body.string('status').toString('latin1'), peerId: body.uint64('peer_id') };
  },
};
