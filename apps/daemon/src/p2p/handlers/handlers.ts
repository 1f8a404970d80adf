import { backPing } from '../session/back-ping';
import { Command, handshakeResponse, pingResponse, timedSyncResponse, type NodeData } from '@wrkz/levin';
import { closeReasons } from '../penalties/close-reasons';
import { RateLimit } from '../util/rate-limit';
import { reportRejection } from '../util/report-errors';
import { isMuchNewer, judgeNodeData } from '../session/handshake';
import type { Room } from '../context';
import type { Handlers } from './router';
import { serveChain } from '../serving/serve-chain';
import { serveObjects } from '../serving/serve-objects';
import { serveMissing, servePool } from '../serving/serve-transactions';
import type { Session } from '../session/session';

/** Blocks are read for a peer only when so little waits to be sent to it: one answer at a time. */
const OBJECTS_WAIT_BELOW = 1024 * 1024;
const POOL_WAIT_BELOW = 8 * 1024 * 1024;
/** A peer's questions for our pool: an honest one asks after each synchronisation. */
const POOL_ANSWERS_PER_SECOND = 1 / 10;
const POOL_ANSWER_BURST = 10;

/** Takes what a peer said of itself in a handshake. */
export function know(room: Pick<Room, 'logger'>, session: Session, data: NodeData): void {
  session.version = data.version;
  session.peerId = data.peerId;
  session.listeningPort = data.myPort;
  if (!isMuchNewer(data.version)) return;
  room.logger.warning(`${session.name} speaks version ${data.version}: a newer program may be out`);
}

/** The answers to every command; `onHandshaken` hears of incoming peers that have become known. */
export function makeHandlers(room: Room, onHandshaken: (session: Session) => void): Handlers {
  const { config, chain, pool, local, driver, blocks, transactions, clock } = room;
  const poolAnswers = new WeakMap<Session, RateLimit>();

  const mayAskPool = (session: Session): boolean => {
    const now = clock.now();
    let rate = poolAnswers.get(session);
    if (rate === undefined)
      poolAnswers.set(session, (rate = new RateLimit(POOL_ANSWERS_PER_SECOND, POOL_ANSWER_BURST, now)));
    return rate.take(now);
  };

  /** Blocks are of use only from a peer in state normal. */
  const isNormal = (session: Session): boolean => session.state === 'normal';

  /** Transactions also while the last few blocks are fetched; a node far behind could not judge them. */
  const takesTransactions = (session: Session): boolean =>
    isNormal(session) || (session.state === 'synchronizing' && driver.isSynchronized);

  return {
    handshake(session, message) {
      const { nodeData } = message;
      if (!session.incoming) session.close(closeReasons.wrongDirection);
      else if (session.handshaken) session.close(closeReasons.secondHandshake);
      else if (room.sessions.counts().incoming >= config.inPeers) session.close(closeReasons.tooManyConnections);
      const refusal = judgeNodeData(nodeData, config.networkId, local.peerId);
      if (refusal !== undefined) session.close(refusal);
      if (!session.isOpen) return undefined;
      know(room, session, nodeData);
      session.pendingSyncData = message.syncData;
      return handshakeResponse.encode({
        nodeData: local.node(),
        syncData: local.sync(),
        ...local.peers(nodeData.version),
      });
    },

    handshaken(session) {
      const data = session.pendingSyncData;
      if (data === undefined) return;
      session.pendingSyncData = undefined;
      driver.consider(session, data, true);
      onHandshaken(session);
      reportRejection(room.logger, `${session.name}: back ping`, verifyByPing(room, session));
    },

    timedSync: (session) =>
      timedSyncResponse.encode({
        localTime: BigInt(local.seconds),
        syncData: local.sync(),
        ...local.peers(session.version),
      }),

    timedSynced(session, data) {
      driver.consider(session, data, false);
    },

    ping: () => pingResponse.encode({ status: 'OK', peerId: local.peerId }),

    async newBlock(session, message) {
      session.remoteHeight = message.currentHeight;
      if (isNormal(session)) await blocks.onNewBlock(session, message);
    },

    async newLiteBlock(session, message) {
      session.remoteHeight = message.currentHeight;
      if (isNormal(session)) await blocks.onLiteBlock(session, message);
    },

    async newTransactions(session, message) {
      session.transactionsAsked = false;
      if (!takesTransactions(session)) return;
      if (await blocks.takeTransactions(session, message.transactions)) return;
      await transactions.onTransactions(session, message.transactions);
    },

    async requestObjects(session, message) {
      await session.connection.writable(OBJECTS_WAIT_BELOW);
      if (!session.isOpen) return;
      session.connection.notify(Command.responseObjects, await serveObjects(message, chain));
    },

    responseObjects: (session, message) => driver.coordinator.onObjects(session, message),

    async requestChain(session, message) {
      await session.connection.writable(OBJECTS_WAIT_BELOW);
      const answer = serveChain(message, chain);
      if (Buffer.isBuffer(answer)) session.connection.notify(Command.responseChain, answer);
      else session.close(answer);
    },

    responseChain(session, message) {
      driver.coordinator.onChain(session, message);
    },

    async requestPool(session, message) {
      if (!mayAskPool(session)) return;
      for (const chunk of servePool(message, pool)) {
        await session.connection.writable(POOL_WAIT_BELOW);
        if (!session.isOpen) return;
        session.sendTransactions(chunk);
      }
    },

    missingTransactions(session, message) {
      const found = serveMissing(message, pool, chain);
      if (found === undefined) {
        session.close(closeReasons.transactionsUnavailable);
        return;
      }
      session.sendTransactions(found);
      session.releaseTransactions();
    },
  };
}

/** Calls an incoming peer back; one that answers there is worth telling others of. */
async function verifyByPing(room: Room, session: Session): Promise<void> {
  const address = { host: session.connection.remote.host, port: session.listeningPort };
  if (session.listeningPort === 0 || !room.book.allows(address)) return;
  if (!(await backPing(address, session.peerId, room))) return;
  room.book.addWhite({ ...address, id: session.peerId, lastSeen: room.local.seconds });
}
