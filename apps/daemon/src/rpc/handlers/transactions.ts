import { daemonApi } from '@wrkz/api';
import { fromHex, isHash64, SHORT_PAYMENT_ID_LENGTH } from '@wrkz/core-types';
import { cnFastHash } from '@wrkz/crypto';
import { EventLoopYielder, FinishedJson, mapInSlices } from '@wrkz/service-kit';
import type { PoolTransaction } from '../../mempool/pool-transaction';
import type { RpcContext } from '../context';
import { GUARDED, guarded, method, route } from '../declare';
import { refuse } from '../errors';
import { ResponseBuffer } from '../queries/response-buffer';
import { refuseTooLarge } from '../queries/query';
import { joinHashes } from '../queries/sync-blocks';
import type { PoolChangesQuery } from '../queries/transactions';

const { responseTooLarge, internal, overloaded, tailBlockNotHex, transactionHashNotHex } = daemonApi.refusals;
const { blockBelowFloor, blockHashNotHex, paymentIdNotHex, shortPaymentId, transactionUnknown } = daemonApi.rpcErrors;

export const sendRawTransaction = route({
  method: 'POST',
  path: '/sendrawtransaction',
  summary: 'Submits a transaction to the pool, which relays it if it is valid.',
  guards: GUARDED,
  labels: { mode: 'Default', needsSync: true, source: 'node' },
  body: daemonApi.sendRawTransactionRequest,
  response: daemonApi.sendRawTransactionResponse,
  errors: [internal],
  handle: async ({ pool }, { body }) => {
    const bytes = fromHex(body.tx_as_hex);
    if (bytes === undefined) return { error: 'Failed to parse transaction from hex buffer', status: 'Failed' as const };
    const { accepted, message = 'Transaction is not accepted' } = await pool.add(bytes, 'rpc');
    return {
      error: accepted ? '' : message,
      status: accepted ? ('OK' as const) : ('Failed' as const),
      transactionHash: cnFastHash(bytes).toString('hex'),
    };
  },
});

export const getTransactionsStatus = route({
  method: 'POST',
  path: '/get_transactions_status',
  summary: 'Status of transactions: in a block, in the pool, or unknown.',
  ...guarded('node'),
  body: daemonApi.transactionsStatusRequest,
  response: daemonApi.transactionsStatusResponse,
  errors: [transactionHashNotHex, overloaded, internal],
  invalid: { transactionHashes: transactionHashNotHex },
  handle: async ({ queries, pool }, request) => {
    // Each hash is in one list once, as in the C++ daemon.
    const unknown = new Set(await mapInSlices(request.body.transactionHashes, (hash) => hash.toLowerCase()));
    const isPooled = (hex: string): boolean => pool.has(Buffer.from(hex, 'hex'));
    const inPool = await takeWhere(unknown, isPooled);
    const found = await queries.run('findTransactions', { hashes: joinHashes([...unknown]) }, request);
    const inBlock = await takeWhere(unknown, (_hex, i) => found[i] === 1);
    // A reorganisation may have returned some to the pool meanwhile.
    inPool.push(...(await takeWhere(unknown, isPooled)));
    const out = new ResponseBuffer().text('{"status":"OK"');
    const lists = { transactionsInBlock: inBlock, transactionsInPool: inPool, transactionsUnknown: [...unknown] };
    for (const [name, hashes] of Object.entries(lists)) {
      out.text(`,"${name}":[`);
      await inSlices(hashes, request.gone, (hash, i) => out.text(`${i === 0 ? '' : ','}"${hash}"`));
      out.text(']');
    }
    return new FinishedJson(out.text('}').finish());
  },
});

/** Moves the matching hashes out of the set, in its order. */
async function takeWhere(hashes: Set<string>, matches: (hash: string, index: number) => boolean): Promise<string[]> {
  let index = 0;
  const take = (hash: string) => (matches(hash, index++) && hashes.delete(hash) ? hash : undefined);
  return (await mapInSlices([...hashes], take)).filter((hash) => hash !== undefined);
}

/** Calls `visit` for each item and yields to the event loop in between. @throws the reason of `gone` */
async function inSlices<T>(items: readonly T[], gone: AbortSignal, visit: (item: T, index: number) => unknown) {
  const yielder = new EventLoopYielder();
  for (const [index, item] of items.entries()) {
    visit(item, index);
    if (yielder.isDue) await yielder.yieldIfDue(gone);
  }
}

export const getPoolChangesLite = route({
  method: 'POST',
  path: '/get_pool_changes_lite',
  summary: 'Transactions of the pool that the client does not know, and known ones that are no longer in it.',
  ...guarded('node'),
  body: daemonApi.poolChangesRequest,
  response: daemonApi.poolChangesResponse,
  errors: [tailBlockNotHex, transactionHashNotHex, overloaded, internal],
  invalid: { tailBlockId: tailBlockNotHex, knownTxsIds: transactionHashNotHex },
  handle: async ({ queries, pool, reader }, request) => {
    const { tailBlockId, knownTxsIds } = request.body;
    const known = new Set(await mapInSlices(knownTxsIds, (hash) => hash.toLowerCase()));
    // Tip and pool are of the same moment: the list does not change with the pool.
    const isTailActual = reader.tip().hash.equals(Buffer.from(tailBlockId, 'hex'));
    const changes = await changesSince(pool.list(), known, request.gone);
    return new FinishedJson(await queries.run('poolChanges', { ...changes, isTailActual }, request));
  },
});

/**
 * Max bytes of prefixes in a list of added transactions (at least one is in it). As JSON they are about four times as many,
 * the max size of a response.
 */
const MAX_ADDED_BYTES = 2 * 1024 * 1024;

/** The difference between the pool and a client's list of it. @param known ids in lower-case hex; the function changes it */
export async function changesSince(
  entries: readonly PoolTransaction[],
  known: Set<string>,
  gone: AbortSignal,
): Promise<Omit<PoolChangesQuery, 'isTailActual'>> {
  const added: { readonly hash: Buffer; readonly prefix: Buffer }[] = [];
  let bytes = 0;
  await inSlices(entries, gone, (entry) => {
    if (known.delete(entry.id) || bytes > MAX_ADDED_BYTES) return;
    const prefix = entry.parse().prefixBytes;
    bytes += prefix.length;
    if (bytes <= MAX_ADDED_BYTES || added.length === 0) added.push({ hash: entry.hash, prefix });
  });
  return {
    hashes: Buffer.concat(added.map(({ hash }) => hash)),
    prefixes: Buffer.concat(added.map(({ prefix }) => prefix)),
    lengths: added.map(({ prefix }) => prefix.length),
    gone: joinHashes([...known]),
  };
}

export const fOnTransactionsPoolJson = method({
  name: 'f_on_transactions_pool_json',
  summary: 'The transactions of the pool, a summary of each.',
  labels: { mode: 'BlockExplorerEnabled', source: 'node' },
  result: daemonApi.poolTransactionsResult,
  errors: [responseTooLarge, internal],
  handle: async ({ pool }, _params, { gone }) => {
    const out = new ResponseBuffer().text('{"status":"OK","transactions":[');
    await inSlices(pool.list(), gone, ({ id, fee, amount, size }, i) => {
      out.text(`${i === 0 ? '' : ','}{"amount_out":${amount},"fee":${fee},"hash":"${id}","size":${size}}`);
      refuseTooLarge(out);
    });
    return new FinishedJson(out.text(']}').finish());
  },
});

export const fTransactionJson = method({
  name: 'f_transaction_json',
  summary: 'A main-chain transaction and its block.',
  labels: { mode: 'BlockExplorerEnabled', source: 'chain' },
  params: daemonApi.transactionParams,
  result: daemonApi.transactionResult,
  errors: [blockHashNotHex, transactionUnknown, blockBelowFloor, overloaded, internal],
  invalid: { hash: blockHashNotHex },
  handle: async ({ queries }, { hash }, request) =>
    new FinishedJson(await queries.run('explorerTransaction', { hash: Buffer.from(hash, 'hex') }, request)),
});

export const fTransactionsByPaymentIdJson = method({
  name: 'f_transactions_by_payment_id_json',
  summary: 'Transactions with a plain payment id, in blocks and in the pool.',
  labels: { mode: 'BlockExplorerEnabled', source: 'node' },
  params: daemonApi.paymentIdParams,
  result: daemonApi.paymentIdResult,
  errors: [shortPaymentId, paymentIdNotHex, overloaded, internal],
  checks: {
    paymentId: (text) => {
      if (text.length === SHORT_PAYMENT_ID_LENGTH) throw refuse(shortPaymentId);
      if (!isHash64(text)) throw refuse(paymentIdNotHex);
    },
  },
  handle: async ({ queries, pool, limits }, params, request) => {
    const paymentId = Buffer.from(params.paymentId, 'hex');
    const pooled = await pooledWithPaymentId(pool, paymentId.toString('hex'), request.gone);
    const query = { paymentId, limit: limits.maxBlockCount, pooled };
    return new FinishedJson(await queries.run('paymentIdTransactions', query, request));
  },
});

/** Hashes of the pool's transactions with this payment id, in the order of priority. */
async function pooledWithPaymentId(pool: RpcContext['pool'], paymentId: string, gone: AbortSignal): Promise<Buffer[]> {
  const hashes: Buffer[] = [];
  await inSlices(pool.list(), gone, (entry) => {
    if (entry.paymentId === paymentId) hashes.push(entry.hash);
  });
  return hashes;
}
