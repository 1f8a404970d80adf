import {
  type HandshakeRequest,
  handshakeResponse,
  pingResponse,
  type TimedSyncRequest,
  timedSyncResponse,
} from '@wrkz/levin';
import type { P2pContext } from '../context';
import { peerToEvict } from '../peers/incoming-slots';
import { closeReasons } from '../limits/close-reasons';
import { reportRejection } from '../report-errors';
import { backPing } from '../session/back-ping';
import { checkNodeData, takeNodeData } from '../session/node-data';
import type { Session } from '../session/session';

/**
 * COMMAND_HANDSHAKE: checks the node data of an incoming peer and responds with ours; incompatible peers are disconnected. A peer
 * with our own id still gets the response: the peer is this node, and its outgoing side thereby detects its own address.
 */
export function handleHandshake(context: P2pContext, session: Session, message: HandshakeRequest): Buffer | undefined {
  const { config, own, sessions, logger } = context;
  const { nodeData } = message;
  if (!session.incoming) session.close(closeReasons.wrongDirection);
  else if (session.handshaken) session.close(closeReasons.secondHandshake);
  const refusal = checkNodeData(nodeData, config.networkId, own.peerId);
  const isOurselves = refusal === closeReasons.ownConnection;
  if (refusal !== undefined && !isOurselves) session.close(refusal);
  if (session.isOpen && !isOurselves && sessions.counts().incoming >= config.inPeers) {
    const evicted = peerToEvict(sessions.open()) ?? session;
    evicted.close(evicted === session ? closeReasons.tooManyConnections : closeReasons.evicted);
  }
  if (!session.isOpen) return undefined;
  takeNodeData(session, nodeData, logger);
  const ours = own.nodeData(session.connection.remote.host);
  return handshakeResponse.encode({
    nodeData: ours,
    syncData: own.syncData(),
    ...(isOurselves ? { peers: [], peers6: [] } : own.peerLists(nodeData.version, Number(ours.localTime))),
  });
}

/** After the response to a handshake: registers the peer, and verifies its announced port with a back ping. */
export function welcomeCaller(context: P2pContext, session: Session, { syncData }: HandshakeRequest): void {
  if (session.peerId === context.own.peerId) return session.close(closeReasons.ownConnection);
  context.driver.consider(session, syncData, true);
  context.onHandshaken(session);
  reportRejection(context.logger, `${session.name}: back ping`, verifyByPing(context, session));
}

/** Pings the announced port of an incoming peer. Only peers that respond are reported to others. */
async function verifyByPing(context: P2pContext, session: Session): Promise<void> {
  const { book, own, backPings } = context;
  const address = { host: session.connection.remote.host, port: session.listeningPort };
  if (session.listeningPort === 0 || !book.allows(address)) return;
  if (!(await backPings.call(address, () => backPing(address, session.peerId, context)))) return;
  book.addWhite({ ...address, id: session.peerId, lastSeen: own.seconds });
}

/** COMMAND_TIMED_SYNC: our sync data and peer lists. */
export function handleTimedSync({ own }: P2pContext, session: Session): Buffer {
  const { seconds } = own;
  return timedSyncResponse.encode({
    localTime: BigInt(seconds),
    syncData: own.syncData(),
    ...own.peerLists(session.version, seconds),
  });
}

/** After the response to a timed sync: handles the peer's sync data. */
export function considerSyncData({ driver }: P2pContext, session: Session, { syncData }: TimedSyncRequest): void {
  driver.consider(session, syncData, false);
}

/** COMMAND_PING: returns our peer id. */
export function handlePing({ own }: P2pContext): Buffer {
  return pingResponse.encode({ status: 'OK', peerId: own.peerId });
}
