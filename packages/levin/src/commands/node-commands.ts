import { encodeKv, kv, kvBytes } from '../kv';
import { decodePeers, decodePeers6, encodePeers, encodePeers6, type PeerEntry } from '../peer-entries';
import {
  bytes,
  type Field,
  type MessageFields,
  fixed,
  message,
  object,
  optional,
  uint32Field,
  uint64Field,
  uint8Field,
} from './body';
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

const nodeData = object<NodeData>({
  networkId: ['network_id', fixed(16)],
  version: ['version', uint8Field],
  peerId: ['peer_id', uint64Field],
  localTime: ['local_time', uint64Field],
  myPort: ['my_port', uint32Field],
});

const syncData = object<SyncData>({
  currentHeight: ['current_height', uint32Field],
  tipHash: ['top_id', fixed(32)],
  capabilityFlags: ['capability_flags', optional(uint32Field)],
  prunedNodeHeight: ['pruned_node_height', optional(uint32Field)],
  liteStartHeight: ['lite_start_height', optional(uint32Field)],
});

function peerList(
  encode: (entries: readonly PeerEntry[]) => Buffer,
  decode: (blob: Buffer) => PeerEntry[],
): Field<readonly PeerEntry[]> {
  return {
    shape: 'one',
    write: (entries) => kv.blob(encode(entries)),
    read: (section, name) => decode(kvBytes(section, name) ?? Buffer.alloc(0)),
  };
}

const peerLists: MessageFields<PeerLists> = {
  peers: ['local_peerlist', peerList(encodePeers, decodePeers)],
  peers6: ['local_peerlist6', peerList(encodePeers6, decodePeers6)],
};

const handshake: MessageFields<HandshakeRequest> = {
  nodeData: ['node_data', nodeData],
  syncData: ['payload_data', syncData],
};

/** COMMAND_HANDSHAKE, request. */
export const handshakeRequest = message(handshake);

/** COMMAND_HANDSHAKE, response. */
export const handshakeResponse = message<HandshakeResponse>({ ...handshake, ...peerLists });

/** COMMAND_TIMED_SYNC, request. */
export const timedSyncRequest = message<TimedSyncRequest>({ syncData: ['payload_data', syncData] });

/** COMMAND_TIMED_SYNC, response. */
export const timedSyncResponse = message<TimedSyncResponse>({
  localTime: ['local_time', uint64Field],
  syncData: ['payload_data', syncData],
  ...peerLists,
});

/** COMMAND_PING, request: an empty section. */
export const pingRequest = { encode: (): Buffer => encodeKv(kv.section({})) };

const text: Field<string> = {
  shape: 'one',
  write: kv.string,
  read: (section, name) => bytes.read(section, name).toString('latin1'),
};

/** COMMAND_PING, response; `status` is OK. */
export const pingResponse = message<PingResponse>({ status: ['status', text], peerId: ['peer_id', uint64Field] });
