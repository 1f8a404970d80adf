import { Command, type RequestChain, type RequestObjects, type ResponseChain, type ResponseObjects } from '@wrkz/levin';
import type { P2pContext } from '../context';
import { serveChain } from '../serving/serve-chain';
import { serveObjects } from '../serving/serve-objects';
import type { Session } from '../session/session';

/** Blocks are read for a peer only when so little waits to be sent to it: one answer at a time. */
const WAIT_BELOW = 1024 * 1024;

/** NOTIFY_REQUEST_CHAIN. */
export async function answerChainRequest(
  { chain }: P2pContext,
  session: Session,
  message: RequestChain,
): Promise<void> {
  await session.connection.writable(WAIT_BELOW);
  const answer = session.account.serving.measure(() => serveChain(message, chain));
  if (Buffer.isBuffer(answer)) session.connection.notify(Command.responseChain, answer);
  else session.close(answer);
}

/** NOTIFY_RESPONSE_CHAIN_ENTRY. */
export function takeChainEntry({ driver }: P2pContext, session: Session, message: ResponseChain): void {
  driver.coordinator.onChain(session, message);
}

/** NOTIFY_REQUEST_GET_OBJECTS. */
export async function answerObjectsRequest(
  { chain }: P2pContext,
  session: Session,
  message: RequestObjects,
): Promise<void> {
  await session.connection.writable(WAIT_BELOW);
  if (!session.isOpen) return;
  session.connection.notify(Command.responseObjects, await serveObjects(message, chain, session.account.serving));
}

/** NOTIFY_RESPONSE_GET_OBJECTS. */
export async function takeObjects(
  { driver, fetcher }: P2pContext,
  session: Session,
  message: ResponseObjects,
): Promise<void> {
  if (fetcher.take(session, message, driver.coordinator.objectsAsked(session))) return;
  await driver.coordinator.onObjects(session, message);
}
