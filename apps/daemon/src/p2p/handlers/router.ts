import { BodyError, Command, commandName, RETURN_OK, RETURN_UNKNOWN_COMMAND, type Frame } from '@wrkz/levin';
import type { P2pContext } from '../context';
import { closeReasons } from '../penalties/close-reasons';
import type { Session } from '../session/session';
import { rowOf } from './table';

const EMPTY = Buffer.alloc(0);

/**
 * Brings a frame to the handler of its command and the reply back. An unknown request is answered with -6 and an empty
 * body, an unknown notification is passed over; a body that cannot be read ends the connection.
 */
export async function routeFrame(context: P2pContext, session: Session, frame: Frame): Promise<void> {
  const row = rowOf(frame.command);
  const reply = (bytes: Buffer, returnCode: number): void => {
    if (frame.kind === 'request') session.connection.reply(frame.command, bytes, returnCode);
  };
  if (row === undefined) {
    reply(EMPTY, RETURN_UNKNOWN_COMMAND);
    return;
  }
  if (!row.early && !session.handshaken) {
    session.close(closeReasons.noHandshake);
    return;
  }
  const run = (): void | Promise<void> =>
    row.run(context, session, frame.body, (bytes) => {
      reply(bytes, RETURN_OK);
    });
  try {
    await (isAskedFor(context, session, frame) ? run() : session.account.budgetOf(frame.command).measure(run));
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    context.logger.debug(`${session.name}: ${commandName(frame.command)}: ${error.message}`);
    session.close(closeReasons.badBody);
  }
}

/** What we asked for ourselves is no work that the peer makes us do. */
export function isAskedFor(
  { driver, fetcher }: Pick<P2pContext, 'driver' | 'fetcher'>,
  session: Session,
  { command }: Frame,
): boolean {
  switch (command) {
    case Command.responseObjects:
      return driver.coordinator.objectsAsked(session) || fetcher.isAsked(session);
    case Command.responseChain:
      return driver.coordinator.chainAsked(session);
    case Command.newTransactions:
      return session.transactionsAsked;
    default:
      return false;
  }
}
