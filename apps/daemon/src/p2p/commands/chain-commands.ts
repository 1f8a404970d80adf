import { type RawBlock, rawBlockBytes } from '@wrkz/core-types';
import {
  Command,
  type RequestChain,
  type RequestObjects,
  responseChain,
  type ResponseChain,
  responseObjects,
  type ResponseObjects,
} from '@wrkz/levin';
import { EventLoopYielder } from '@wrkz/service-kit/base';
import { MAX_CHAIN_HASHES } from '../constants';
import type { P2pContext } from '../context';
import { hashKey } from '../hashes';
import type { WorkBudget } from '../limits/address-budget';
import { type CloseReason, closeReasons } from '../limits/close-reasons';
import type { ChainPort } from '../ports';
import type { Session } from '../session/session';

/**
 * Serves NOTIFY_REQUEST_CHAIN: up to 10,000 main-chain hashes, starting with the first of the peer's hashes that is on our main
 * chain. Returns the reason to close the connection if the list is empty or does not end with our genesis block.
 */
function serveChain(
  request: RequestChain,
  chain: Pick<ChainPort, 'tip' | 'heightOf' | 'hashAt' | 'hashes'>,
): Buffer | CloseReason {
  const last = request.hashes.at(-1);
  if (last === undefined) return closeReasons.chainRequestEmpty;
  if (chain.hashAt(0)?.equals(last) !== true) return closeReasons.chainRequestForeign;
  let startHeight = 0;
  for (const hash of request.hashes) {
    const height = chain.heightOf(hash);
    if (height === undefined) continue;
    startHeight = height;
    break;
  }
  const hashes = chain.hashes(startHeight, MAX_CHAIN_HASHES);
  return responseChain.encode({ startHeight, totalHeight: chain.tip().height + 1, hashes });
}

/** Below the write queue's limit of 32 MiB. Honest peers request an estimated 48 MiB at most, typically far less. */
const RESPONSE_BYTES = 28 * 1024 * 1024;
/** Max ids per request; more than any program of the network requests at once. */
const MAX_IDS = 2000;

/**
 * Serves NOTIFY_REQUEST_GET_OBJECTS. Each id is served once; unknown ids, and those beyond the limits of one response, are listed
 * in `missed_ids`. Yields to the event loop between blocks; the time to read is charged to the peer.
 * @returns undefined if a requested block exceeds the upload limit
 */
async function serveObjects(
  request: RequestObjects,
  { chain, upload }: Pick<P2pContext, 'chain' | 'upload'>,
  work: Pick<WorkBudget, 'measure'>,
): Promise<Buffer | undefined> {
  const yielder = new EventLoopYielder();
  const blocks: RawBlock[] = [];
  const missed: Buffer[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  for (const hash of request.blocks) {
    const key = hashKey(hash);
    if (seen.has(key)) continue;
    seen.add(key);
    await yielder.yieldIfDue();
    const raw =
      bytes < RESPONSE_BYTES && blocks.length < MAX_IDS ? work.measure(() => chain.rawBlock(hash)) : undefined;
    const size = raw === undefined ? 0 : rawBlockBytes(raw);
    if (raw === undefined || (blocks.length > 0 && bytes + size > RESPONSE_BYTES)) {
      missed.push(hash);
      continue;
    }
    if (!work.measure(() => upload.take(hash, size))) return undefined;
    blocks.push(raw);
    bytes += size;
  }
  const currentHeight = chain.tip().height + 1;
  return work.measure(() => responseObjects.encode({ transactions: [], blocks, missed, currentHeight }));
}

/** Blocks are read for a peer only while fewer bytes than this are queued for it: one response at a time. */
const WAIT_BELOW = 1024 * 1024;

/** NOTIFY_REQUEST_CHAIN. */
export async function handleChainRequest(
  { chain }: P2pContext,
  session: Session,
  message: RequestChain,
): Promise<void> {
  await session.connection.writable(WAIT_BELOW);
  const response = session.budget.serving.measure(() => serveChain(message, chain));
  if (Buffer.isBuffer(response)) session.connection.notify(Command.responseChain, response);
  else session.close(response);
}

/** NOTIFY_RESPONSE_CHAIN_ENTRY. */
export function takeChainEntry({ driver }: P2pContext, session: Session, message: ResponseChain): void {
  driver.coordinator.onChain(session, message);
}

/** NOTIFY_REQUEST_GET_OBJECTS. */
export async function handleObjectsRequest(
  context: P2pContext,
  session: Session,
  message: RequestObjects,
): Promise<void> {
  await session.connection.writable(WAIT_BELOW);
  if (!session.isOpen) return;
  const response = await serveObjects(message, context, session.budget.serving);
  if (response === undefined) session.close(closeReasons.uploadLimit);
  else session.connection.notify(Command.responseObjects, response);
}

/** NOTIFY_RESPONSE_GET_OBJECTS. */
export async function takeObjects(
  { driver, fetcher }: P2pContext,
  session: Session,
  message: ResponseObjects,
): Promise<void> {
  if (fetcher.take(session, message, driver.coordinator.awaitsObjects(session))) return;
  await driver.coordinator.onObjects(session, message);
}
