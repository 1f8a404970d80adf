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
import { judgeNodeData, takeNodeData } from '../session/node-data';
import type { Session } from '../session/session';

/**
 * COMMAND_HANDSHAKE: reads the node data of an incoming peer and responds with ours; unwanted peers are disconnected. A peer with our
 * own id gets the response first: it is this node, which learns its own address from it.
 */
export function handleHandshake(context: P2pContext, session: Session, message: HandshakeRequest): Buffer | undefined {
  const { config, own, sessions, logger } = context;
  const { nodeData } = message;
  if (!session.incoming) session.close(closeReasons.wrongDirection);
  else if (session.handshaken) session.close(closeReasons.secondHandshake);
  const refusal = judgeNodeData(nodeData, config.networkId, own.peerId);
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

/** After the reply to a handshake: the caller is a peer now, and is called back to see who listens there. */
export function welcomeCaller(context: P2pContext, session: Session, { syncData }: HandshakeRequest): void {
  if (session.peerId === context.own.peerId) return session.close(closeReasons.ownConnection);
  context.driver.consider(session, syncData, true);
  context.onHandshaken(session);
  reportRejection(context.logger, `${session.name}: back ping`, verifyByPing(context, session));
}

/** Calls an incoming peer back; only a peer that responds is reported to others. */
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

/** After the reply to a timed sync: handles the peer's sync data. */
export function considerSyncData({ driver }: P2pContext, session: Session, { syncData }: TimedSyncRequest): void {
  driver.consider(session, syncData, false);
}

/** COMMAND_PING: returns our peer id. */
export function handlePing({ own }: P2pContext): Buffer {
  return pingResponse.encode({ status: 'OK', peerId: own.peerId });
}
