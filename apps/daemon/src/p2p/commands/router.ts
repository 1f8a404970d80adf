import {
  BodyError,
  Command,
  type CommandId,
  commandName,
  type Frame,
  handshakeRequest,
  missingTransactions,
  newBlock,
  newLiteBlock,
  newTransactions,
  requestChain,
  requestObjects,
  requestPool,
  responseChain,
  responseObjects,
  RETURN_OK,
  RETURN_UNKNOWN_COMMAND,
  timedSyncRequest,
} from '@wrkz/levin';
import type { P2pContext } from '../context';
import { closeReasons } from '../limits/close-reasons';
import type { Session } from '../session/session';
import { handleChainRequest, handleObjectsRequest, takeChainEntry, takeObjects } from './chain-commands';
import { handleHandshake, handlePing, handleTimedSync, considerSyncData, welcomeCaller } from './node-commands';
import {
  handleMissingTransactions,
  handlePoolRequest,
  takeNewBlock,
  takeNewLiteBlock,
  takeNewTransactions,
} from './relay-commands';

/** Parser and handler of a command. */
export interface CommandDeclaration<Message> {
  /** Parses the body. @throws BodyError if it is not a valid body of the command */
  readonly decode: (body: Buffer) => Message;
  /** Whether the command is allowed before the handshake. */
  readonly early?: true;
  /** Executes the command. Returns the response body; requests that end the connection have none. */
  readonly handle: (context: P2pContext, session: Session, message: Message) => Buffer | void | Promise<void>;
  /** Runs after the response was queued. */
  readonly afterReply?: (context: P2pContext, session: Session, message: Message) => void;
}

/** A row of the command table. */
export interface CommandRow {
  readonly early: boolean;
  /** Parses and handles the body; calls `reply` synchronously with the result. */
  run(context: P2pContext, session: Session, body: Buffer, reply: (bytes: Buffer) => void): void | Promise<void>;
}

/** Hides the message type of a declaration, so that rows of all commands have one type. */
function command<Message>(declaration: CommandDeclaration<Message>): CommandRow {
  const { decode, early = false, handle, afterReply } = declaration;
  return {
    early,
    run(context, session, body, reply) {
      const message = decode(body);
      const response = handle(context, session, message);
      if (!Buffer.isBuffer(response)) return response;
      reply(response);
      afterReply?.(context, session, message);
      return undefined;
    },
  };
}

/** A ping has no data: its body is not parsed. */
const ignoreBody = (): undefined => undefined;

/** All supported commands. */
export const commandTable: Readonly<Record<CommandId, CommandRow>> = {
  [Command.handshake]: command({
    decode: handshakeRequest.decode,
    early: true,
    handle: handleHandshake,
    afterReply: welcomeCaller,
  }),
  [Command.timedSync]: command({
    decode: timedSyncRequest.decode,
    handle: handleTimedSync,
    afterReply: considerSyncData,
  }),
  // An outgoing peer sends its back ping before it responds to our handshake.
  [Command.ping]: command({ decode: ignoreBody, early: true, handle: handlePing }),

  [Command.newBlock]: command({ decode: newBlock.decode, handle: takeNewBlock }),
  [Command.newLiteBlock]: command({ decode: newLiteBlock.decode, handle: takeNewLiteBlock }),
  [Command.newTransactions]: command({ decode: newTransactions.decode, handle: takeNewTransactions }),
  [Command.missingTransactions]: command({ decode: missingTransactions.decode, handle: handleMissingTransactions }),
  [Command.requestPool]: command({ decode: requestPool.decode, handle: handlePoolRequest }),

  [Command.requestChain]: command({ decode: requestChain.decode, handle: handleChainRequest }),
  [Command.responseChain]: command({ decode: responseChain.decode, handle: takeChainEntry }),
  [Command.requestObjects]: command({ decode: requestObjects.decode, handle: handleObjectsRequest }),
  [Command.responseObjects]: command({ decode: responseObjects.decode, handle: takeObjects }),
};

/** The row of a command; `undefined` if the command is not supported. */
export function rowOf(id: number): CommandRow | undefined {
  return (commandTable as Readonly<Partial<Record<number, CommandRow>>>)[id];
}

const EMPTY = Buffer.alloc(0);

/**
 * Dispatches a frame to the handler of its command and sends the response. An unknown request gets the code -6 with an empty
 * body, an unknown notification is ignored; an invalid body closes the connection.
 */
export async function routeFrame(context: P2pContext, session: Session, frame: Frame): Promise<void> {
  const row = rowOf(frame.command);
  const reply = (bytes: Buffer, returnCode: number): void => {
    if (frame.kind === 'request') session.connection.reply(frame.command, bytes, returnCode);
  };
  if (row === undefined) return reply(EMPTY, RETURN_UNKNOWN_COMMAND);
  if (!row.early && !session.handshaken) return session.close(closeReasons.noHandshake);
  const run = (): void | Promise<void> => row.run(context, session, frame.body, (bytes) => reply(bytes, RETURN_OK));
  try {
    await (isRequested(context, session, frame) ? run() : session.budget.budgetOf(frame.command).measure(run));
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    context.logger.debug(`${session.name}: ${commandName(frame.command)}: ${error.message}`);
    session.close(closeReasons.badBody);
  }
}

/** Whether blocks were requested from a peer, so that large responses are allowed. */
export function awaitsObjects({ driver, fetcher }: P2pContext, session: Session): boolean {
  return driver.coordinator.awaitsObjects(session) || fetcher.awaits(session);
}

/** Whether we requested the content of a frame. Such work is not charged to the peer. */
export function isRequested(context: P2pContext, session: Session, { command }: Frame): boolean {
  switch (command) {
    case Command.responseObjects:
      return awaitsObjects(context, session);
    case Command.responseChain:
      return context.driver.coordinator.awaitsChain(session);
    case Command.newTransactions:
      return session.awaitsTransactions;
    default:
      return false;
  }
}
