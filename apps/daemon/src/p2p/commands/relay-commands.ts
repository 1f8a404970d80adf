import type { MissingTransactions, NewBlock, NewLiteBlock, NewTransactions, PoolRequest } from '@wrkz/levin';
import { EventLoopYielder } from '@wrkz/service-kit/base';
import type { P2pContext } from '../context';
import { hashKey, namedHashes } from '../hashes';
import { ownWork, type WorkBudget } from '../limits/address-budget';
import { closeReasons } from '../limits/close-reasons';
import type { ChainPort, PoolPort } from '../ports';
import type { Session } from '../session/session';

/** Approximate bytes per notification; a large pool takes several. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/**
 * Serves NOTIFY_REQUEST_TX_POOL: the pool's transactions that the request does not list, in chunks; nothing if the request lists
 * them all. An empty chunk is a step of the work.
 */
function* servePool(request: PoolRequest, pool: Pick<PoolPort, 'hashes' | 'get'>): Generator<Buffer[]> {
  const hashes = pool.hashes();
  const comparison = namedHashes(hashes, request.packed);
  let step = comparison.next();
  for (; step.done !== true; step = comparison.next()) yield [];
  const named = step.value;
  let chunk: Buffer[] = [];
  let bytes = 0;
  for (const hash of hashes) {
    const transaction = named.has(hash) ? undefined : pool.get(hash);
    if (transaction === undefined) continue;
    if (bytes > 0 && bytes + transaction.length > CHUNK_BYTES) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(transaction);
    bytes += transaction.length;
  }
  if (chunk.length > 0) yield chunk;
}

const MISSING_BYTES = 16 * 1024 * 1024;

/**
 * Serves NOTIFY_MISSING_TXS from the pool or the chain; `undefined` if a transaction is unknown, or if the request lists more
 * than the block can contain. Yields to the event loop in between; the time to read is charged to the peer.
 */
async function serveMissing(
  request: MissingTransactions,
  pool: Pick<PoolPort, 'get'>,
  chain: Pick<ChainPort, 'transaction' | 'transactionsOfBlock'>,
  work: Pick<WorkBudget, 'measure'>,
): Promise<Buffer[] | undefined> {
  if (request.hashes.length > chain.transactionsOfBlock(request.blockHash)) return undefined;
  const unique = new Map(request.hashes.map((hash) => [hashKey(hash), hash]));
  const yielder = new EventLoopYielder();
  const found: Buffer[] = [];
  let bytes = 0;
  for (const hash of unique.values()) {
    await yielder.yieldIfDue();
    const transaction = work.measure(() => pool.get(hash) ?? chain.transaction(hash));
    bytes += transaction?.length ?? 0;
    if (transaction === undefined || bytes > MISSING_BYTES) return undefined;
    found.push(transaction);
  }
  return found;
}

/** The next chunk of the pool is sent only when fewer bytes than this are queued. */
const POOL_WAIT_BELOW = 8 * 1024 * 1024;

/** NOTIFY_NEW_BLOCK. Blocks are used only from a peer in state normal. */
export async function takeNewBlock(
  { announced, blocks }: P2pContext,
  session: Session,
  message: NewBlock,
): Promise<void> {
  session.remoteHeight = message.currentHeight;
  if (session.state !== 'normal') return;
  if (!(await announced.admit(session, message.block.block))) return;
  await session.budget.work.measure(() => blocks.onNewBlock(session, message));
}

/** NOTIFY_NEW_LITE_BLOCK. */
export async function takeNewLiteBlock(
  { announced, blocks }: P2pContext,
  session: Session,
  message: NewLiteBlock,
): Promise<void> {
  session.remoteHeight = message.currentHeight;
  if (session.state !== 'normal') return;
  if (!(await announced.admit(session, message.block))) return;
  await session.budget.work.measure(() => blocks.onLiteBlock(session, message));
}

/** NOTIFY_NEW_TRANSACTIONS: requested transactions of a lite block, or a relay. */
export async function takeNewTransactions(
  { chain, blocks, transactions, driver }: P2pContext,
  session: Session,
  message: NewTransactions,
): Promise<void> {
  // Hashing takes time proportional to the length, so transactions larger than a block are not even hashed.
  if (message.transactions.some(({ length }) => length > chain.largestBlock())) {
    session.close(closeReasons.invalidTransaction);
    return;
  }
  const work = session.awaitsTransactions ? ownWork : session.budget.work;
  session.awaitsTransactions = false;
  // Requested transactions are accepted in every state: their sender must not be charged for them.
  if (await blocks.takeTransactions(session, message.transactions)) return;
  // Also while only the last few blocks are missing. A node far behind cannot validate transactions.
  const catchingUp = session.state === 'synchronizing' && driver.isSynchronized;
  if (session.state !== 'normal' && !catchingUp) return;
  await transactions.onTransactions(session, message.transactions, work);
}

/** NOTIFY_REQUEST_TX_POOL; too frequent requests are ignored. */
export async function handlePoolRequest({ pool }: P2pContext, session: Session, message: PoolRequest): Promise<void> {
  const { work } = session.budget;
  if (!session.budget.take('poolRequests')) return;
  const portions = servePool(message, pool);
  const next = (): IteratorResult<Buffer[], void> => work.measure(() => portions.next());
  const yielder = new EventLoopYielder();
  for (let portion = next(); portion.done !== true; portion = next()) {
    if (yielder.isDue) await yielder.yieldIfDue();
    if (portion.value.length === 0) continue;
    await session.connection.writable(POOL_WAIT_BELOW);
    if (!session.isOpen) return;
    session.sendTransactions(portion.value);
  }
}

/** NOTIFY_MISSING_TXS: a peer lacks transactions of a block that we announced. */
export async function handleMissingTransactions(
  { pool, chain }: P2pContext,
  session: Session,
  message: MissingTransactions,
): Promise<void> {
  await session.connection.writable(POOL_WAIT_BELOW);
  const found = await serveMissing(message, pool, chain, session.budget.work);
  if (found === undefined) return session.close(closeReasons.transactionsUnavailable);
  session.sendTransactions(found);
  session.releaseTransactions();
}
