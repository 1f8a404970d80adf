import { daemonApi } from '@wrkz/api';
import { plainPaymentId } from '@wrkz/chain-db';
import { fromHex, isHash64, SHORT_PAYMENT_ID_LENGTH } from '@wrkz/core-types';
import { cnFastHash } from '@wrkz/crypto';
import { EventLoopYielder, FinishedJson, mapInSlices } from '@wrkz/service-kit';
import type { PoolStatus } from '../context';
import { GUARDED, method, route } from '../declare';
import { refuse } from '../errors';
import { JsonBuffer } from '../queries/json-buffer';
import { refuseTooLarge } from '../queries/query';

const { answerTooLarge, internal, overloaded, tailBlockNotHex, transactionHashNotHex } = daemonApi.refusals;
const { blockBelowFloor, blockHashNotHex, paymentIdNotHex, shortPaymentId, transactionUnknown } = daemonApi.rpcErrors;

export const sendRawTransaction = route({
  method: 'POST',
  path: '/sendrawtransaction',
  summary: 'Submits a transaction to the pool, which relays it if it is valid.',
  guards: GUARDED,
  labels: { mode: 'Default', needsSync: true, source: 'node' },
  body: daemonApi.sendRawTransactionRequest,
  answer: daemonApi.sendRawTransactionAnswer,
  errors: [internal],
  handle: async ({ pool }, { body }) => {
    const bytes = fromHex(body.tx_as_hex);
    if (bytes === undefined) return { error: 'Failed to parse transaction from hex buffer', status: 'Failed' as const };
    const { error } = await pool.submit(bytes);
    return {
      error: error ?? '',
      status: error === undefined ? ('OK' as const) : ('Failed' as const),
      transactionHash: cnFastHash(bytes).toString('hex'),
    };
  },
});

export const getTransactionsStatus = route({
  method: 'POST',
  path: '/get_transactions_status',
  summary: 'Status of transactions: in a block, in the pool, or unknown.',
  guards: GUARDED,
  labels: { mode: 'Default', source: 'node' },
  body: daemonApi.transactionsStatusRequest,
  answer: daemonApi.transactionsStatusAnswer,
  errors: [transactionHashNotHex, overloaded, internal],
  invalid: { transactionHashes: transactionHashNotHex },
  handle: async ({ queries, pool }, request) => {
    const { body } = request;
    // Each hash is in one list once, as in the C++ daemon.
    const unknown = new Set(await mapInSlices(body.transactionHashes, (hash) => hash.toLowerCase()));
    const isPooled = (hex: string): boolean => pool.has(Buffer.from(hex, 'hex'));
    const inPool = await takeWhere(unknown, isPooled);
    const response = await queries.run('findTransactions', { hashes: [...unknown] }, request);
    const found = new Set(JSON.parse(response.toString('latin1')) as string[]);
    const inBlock = await takeWhere(unknown, (hex) => found.has(hex));
    // A reorganisation may have returned some to the pool meanwhile.
    inPool.push(...(await takeWhere(unknown, isPooled)));
    return {
      status: 'OK' as const,
      transactionsInBlock: inBlock,
      transactionsInPool: inPool,
      transactionsUnknown: [...unknown],
    };
  },
});

/** Moves the matching hashes out of the set, in its order. */
async function takeWhere(hashes: Set<string>, matches: (hash: string) => boolean): Promise<string[]> {
  const taken = await mapInSlices([...hashes], (hash) => (matches(hash) && hashes.delete(hash) ? hash : undefined));
  return taken.filter((hash) => hash !== undefined);
}

export const getPoolChangesLite = route({
  method: 'POST',
  path: '/get_pool_changes_lite',
  summary: 'Transactions of the pool that the client does not know, and known ones that are no longer in it.',
  guards: GUARDED,
  labels: { mode: 'Default', source: 'node' },
  body: daemonApi.poolChangesRequest,
  answer: daemonApi.poolChangesAnswer,
  errors: [tailBlockNotHex, transactionHashNotHex, overloaded, internal],
  invalid: { tailBlockId: tailBlockNotHex, knownTxsIds: transactionHashNotHex },
  handle: async ({ queries, pool, reader }, request) => {
    const { tailBlockId, knownTxsIds } = request.body;
    const changes = pool.changesSince(new Set(knownTxsIds.map((hash) => hash.toLowerCase())));
    const isTailActual = reader.tip().hash.equals(Buffer.from(tailBlockId, 'hex'));
    return new FinishedJson(await queries.run('poolChanges', { ...changes, isTailActual }, request));
  },
});

export const fOnTransactionsPoolJson = method({
  name: 'f_on_transactions_pool_json',
  summary: 'The transactions of the pool, a summary of each.',
  labels: { mode: 'BlockExplorerEnabled', source: 'node' },
  result: daemonApi.poolTransactionsResult,
  errors: [answerTooLarge, internal],
  handle: async ({ pool }, _params, { gone }) => {
    const out = new JsonBuffer();
    const yielder = new EventLoopYielder();
    out.text('{"status":"OK","transactions":[');
    let separator = '';
    for (const { id, fee, amount, size } of pool.list()) {
      out.text(`${separator}{"amount_out":${amount},"fee":${fee},"hash":"${id}","size":${size}}`);
      separator = ',';
      refuseTooLarge(out);
      await yielder.yieldIfDue();
      gone.throwIfAborted();
    }
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
    const pooled = await pooledWithPaymentId(pool, paymentId, request.gone);
    const query = { paymentId, limit: limits.maxBlockCount, pooled };
    return new FinishedJson(await queries.run('paymentIdTransactions', query, request));
  },
});

/** Hashes of the pool's transactions with this payment id, in the order of priority. */
async function pooledWithPaymentId(pool: PoolStatus, paymentId: Buffer, gone: AbortSignal): Promise<Buffer[]> {
  const yielder = new EventLoopYielder();
  const hashes: Buffer[] = [];
  for (const { parsed } of pool.list()) {
    if (plainPaymentId(parsed.transaction.extra)?.equals(paymentId) === true) hashes.push(parsed.hash);
    await yielder.yieldIfDue();
    gone.throwIfAborted();
  }
  return hashes;
}
