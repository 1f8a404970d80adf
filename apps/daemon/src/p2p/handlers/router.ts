import * as commands from '@wrkz/levin';
import { BodyError, Command, commandName, type Frame, RETURN_OK, RETURN_UNKNOWN_COMMAND } from '@wrkz/levin';
import { closeReasons } from '../penalties/close-reasons';
import type { P2pLogger } from '../ports';
import type { Session } from '../session/session';

/** What happens on each command. Bodies are decoded; handlers of one session run one after the other. */
export interface Handlers {
  handshake(session: Session, message: commands.HandshakeRequest): Buffer | undefined;
  timedSync(session: Session): Buffer;
  ping(session: Session): Buffer;
  newBlock(session: Session, message: commands.NewBlock): Promise<void>;
  newLiteBlock(session: Session, message: commands.NewLiteBlock): Promise<void>;
  newTransactions(session: Session, message: commands.NewTransactions): Promise<void>;
  requestObjects(session: Session, message: commands.RequestObjects): Promise<void>;
  responseObjects(session: Session, message: commands.ResponseObjects): Promise<void>;
  requestChain(session: Session, message: commands.RequestChain): Promise<void>;
  responseChain(session: Session, message: commands.ResponseChain): void;
  requestPool(session: Session, message: commands.RequestPool): Promise<void>;
  missingTransactions(session: Session, message: commands.MissingTransactions): void;
  /** After the reply to a handshake has been queued. */
  handshaken(session: Session): void;
  /** After the reply to a timed sync has been queued: what the peer said of its chain. */
  timedSynced(session: Session, data: commands.SyncData): void;
}

/** Requests that may come before the handshake: the handshake itself, and a back ping. */
const early: ReadonlySet<number> = new Set([Command.handshake, Command.ping]);

/**
 * Brings a frame to its handler and a reply back. An unknown request is answered with -6 and an empty body, an unknown
 * notification is passed over; a body that cannot be read ends the connection.
 */
export async function routeFrame(session: Session, frame: Frame, handlers: Handlers, logger: P2pLogger): Promise<void> {
  try {
    if (isKnown(frame.command) && !session.handshaken && !early.has(frame.command)) {
      session.close(closeReasons.noHandshake);
      return;
    }
    await dispatch(session, frame, handlers);
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    logger.debug(`${session.name}: ${commandName(frame.command)}: ${error.message}`);
    session.close(closeReasons.badBody);
  }
}

const known: ReadonlySet<number> = new Set(Object.values(Command));

function isKnown(command: number): boolean {
  return known.has(command);
}

async function dispatch(session: Session, frame: Frame, handlers: Handlers): Promise<void> {
  const { body, command } = frame;
  const reply = (bytes: Buffer): void => {
    if (frame.kind === 'request') session.connection.reply(command, bytes, RETURN_OK);
  };
  switch (command) {
    case Command.handshake: {
      const answer = handlers.handshake(session, commands.handshakeRequest.decode(body));
      if (answer === undefined) return;
      reply(answer);
      handlers.handshaken(session);
      return;
    }
    case Command.timedSync: {
      const { syncData } = commands.timedSyncRequest.decode(body);
      reply(handlers.timedSync(session));
      handlers.timedSynced(session, syncData);
      return;
    }
    case Command.ping:
      reply(handlers.ping(session));
      return;
    case Command.newBlock:
      return handlers.newBlock(session, commands.newBlock.decode(body));
    case Command.newLiteBlock:
      return handlers.newLiteBlock(session, commands.newLiteBlock.decode(body));
    case Command.newTransactions:
      return handlers.newTransactions(session, commands.newTransactions.decode(body));
    case Command.requestObjects:
      return handlers.requestObjects(session, commands.requestObjects.decode(body));
    case Command.responseObjects:
      return handlers.responseObjects(session, commands.responseObjects.decode(body));
    case Command.requestChain:
      return handlers.requestChain(session, commands.requestChain.decode(body));
    case Command.responseChain:
      handlers.responseChain(session, commands.responseChain.decode(body));
      return;
    case Command.requestPool:
      return handlers.requestPool(session, commands.requestPool.decode(body));
    case Command.missingTransactions:
      handlers.missingTransactions(session, commands.missingTransactions.decode(body));
      return;
    default:
      if (frame.kind === 'request') session.connection.reply(command, Buffer.alloc(0), RETURN_UNKNOWN_COMMAND);
  }
}
