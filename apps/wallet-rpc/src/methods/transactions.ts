import { walletRpcApi } from '@wrkz/api';
import { lowerBound } from '@wrkz/core-types';
import { EventLoopYielder, FinishedJson, stringifyJson } from '@wrkz/service-kit';
import type { DelayedSendState, WalletTransaction } from '@wrkz/wallet-core';
import type { z } from 'zod';
import { blockHashes } from '../blocks';
import { checkedAddresses, requireHash, requirePaymentId } from '../checks';
import type { WalletRpcContext } from '../context';
import { applicationError, envelopeError } from '../errors';
import { type ServiceTransaction, serviceTransactions, TransactionState } from '../transaction-record';
import { applicationErrors, declareWalletMethod } from './declare';

/** The errors of methods with a range of blocks. */
const WINDOW_ERRORS = applicationErrors(
  'badAddress',
  'wrongPaymentId',
  'wrongHash',
  'wrongParameters',
  'unknownObject',
  'nodeAway',
);

export const transactionMethods = [
  declareWalletMethod({
    name: 'getTransactionHashes',
    summary: 'Returns the hashes of the transactions in a range of blocks, grouped by block.',
    params: walletRpcApi.windowParams,
    result: walletRpcApi.hashItems,
    errors: WINDOW_ERRORS,
    handle: (context, params) =>
      windowItems(context, params, 'transactionHashes', ({ transactionHash }) => transactionHash),
  }),
  declareWalletMethod({
    name: 'getTransactions',
    summary: 'Returns the transactions in a range of blocks, grouped by block.',
    params: walletRpcApi.windowParams,
    result: walletRpcApi.transactionItems,
    errors: WINDOW_ERRORS,
    handle: (context, params) => windowItems(context, params, 'transactions', (record) => record),
  }),
  declareWalletMethod({
    name: 'getUnconfirmedTransactionHashes',
    summary:
      'Returns the hashes of unconfirmed transactions: own sends and incoming transactions in the pool of the node.',
    params: walletRpcApi.unconfirmedParams,
    result: walletRpcApi.transactionHashList,
    errors: applicationErrors('badAddress'),
    handle: async (context, { addresses }) => {
      await checkedAddresses(addresses, false);
      const wanted = new Set(addresses);
      const record = serviceTransactions(context);
      const all = [...context.wallet.snapshot.unconfirmed(), ...context.pool.transactions];
      const found = all.filter(
        (transaction) => wanted.size === 0 || record(transaction).transfers.some(({ address }) => wanted.has(address)),
      );
      return { transactionHashes: found.map(({ hash }) => hash) };
    },
  }),
  declareWalletMethod({
    name: 'getTransaction',
    summary: 'Returns one transaction: confirmed, unconfirmed, delayed or deleted.',
    params: walletRpcApi.ofTransaction,
    result: walletRpcApi.oneTransactionResult,
    errors: applicationErrors('wrongHash', 'objectNotFound'),
    handle: async (context, { transactionHash }) => {
      const transaction = await findTransaction(context, requireHash(transactionHash));
      if (transaction === undefined) throw applicationError('objectNotFound');
      return { transaction };
    },
  }),
];

/** States of delayed transactions. `sent` also applies if the wallet lost the transaction in a reset or with its address. */
const STATES = {
  delayed: TransactionState.created,
  sending: TransactionState.created,
  sent: TransactionState.succeeded,
  deleted: TransactionState.cancelled,
} as const satisfies Record<DelayedSendState, number>;

/** Finds a transaction of the wallet: confirmed, pending, in the pool, delayed or deleted. */
async function findTransaction(context: WalletRpcContext, hash: string): Promise<ServiceTransaction | undefined> {
  const { wallet, pool, delayed, details } = context;
  const { snapshot } = wallet;
  const confirmed = snapshot.transaction(hash);
  if (confirmed !== undefined) await details.ensure([confirmed]);
  const record = serviceTransactions(context);
  const known = confirmed ?? snapshot.unconfirmed().find((transaction) => transaction.hash === hash) ?? pool.get(hash);
  if (known !== undefined) return record(known);
  const row = delayed.get(hash);
  if (row === undefined) return undefined;
  const { fee, pending } = row.signed;
  const waiting: WalletTransaction = {
    transfers: pending.transfers,
    hash,
    fee,
    blockHeight: 0,
    timestamp: 0,
    paymentId: pending.paymentId,
    unlockTime: 0n,
    isCoinbase: false,
  };
  return record(waiting, STATES[row.state]);
}

type WindowParams = z.output<typeof walletRpcApi.windowParams>;

/**
 * One item per block with transactions of the wallet, in ascending order. Filters may leave an item with an empty list.
 *
 * @param list field name of the list @param print returns the list entry of a transaction
 * @throws params, badAddress, wrongPaymentId, wrongHash, wrongParameters, unknownObject, in this order; nodeAway
 */
async function windowItems(
  context: WalletRpcContext,
  params: WindowParams,
  list: string,
  print: (record: ServiceTransaction) => unknown,
): Promise<FinishedJson> {
  const isWanted = await filterOf(params);
  const first = await firstIndex(context, params);
  const { snapshot } = context.wallet;
  const found = transactionsFrom(snapshot.content.transactions, first, first + params.blockCount);
  await context.details.ensure(found);
  const recorder = serviceTransactions(context);
  const parts: string[] = [];
  let block: { height: number; entries: string[]; hash: string } | undefined;
  const finish = async (): Promise<void> => {
    if (block === undefined) return;
    const blockHash = block.hash === '' ? await hashOf(context, block.height) : block.hash;
    parts.push(`{"blockHash":${stringifyJson(blockHash)},${stringifyJson(list)}:[${block.entries.join(',')}]}`);
  };
  const yielder = new EventLoopYielder();
  for (const transaction of found) {
    await yielder.yieldIfDue();
    if (transaction.blockHeight !== block?.height) {
      await finish();
      block = { height: transaction.blockHeight, entries: [], hash: '' };
    }
    block.hash ||= context.details.get(transaction.hash)?.blockHash ?? '';
    const record = recorder(transaction);
    if (isWanted(record)) block.entries.push(stringifyJson(print(record)));
  }
  await finish();
  return new FinishedJson(`{"items":[${parts.join(',')}]}`);
}

/** Requests a block hash that is in no stored details from the node. */
async function hashOf({ nodes }: WalletRpcContext, height: number): Promise<string> {
  const [hash = ''] = await blockHashes(nodes, height, height + 1);
  return hash;
}

/** The height of the first block of the window. @throws JsonRpcError */
async function firstIndex(
  { wallet, nodes }: WalletRpcContext,
  { firstBlockIndex, blockHash, blockCount }: WindowParams,
): Promise<number> {
  const hash = blockHash === undefined ? undefined : requireHash(blockHash);
  if (blockCount === 0 || firstBlockIndex === 0) throw applicationError('wrongParameters');
  const first = hash === undefined ? (firstBlockIndex ?? 0) : (await nodes.mainBlock(hash))?.height;
  if (first === undefined || first > wallet.snapshot.content.progress.height) throw applicationError('unknownObject');
  if (first === 0) throw applicationError('wrongParameters');
  return first;
}

/** A predicate for addresses and payment id. @throws JsonRpcError */
async function filterOf({
  addresses,
  paymentId,
  firstBlockIndex,
  blockHash,
}: WindowParams): Promise<(record: ServiceTransaction) => boolean> {
  if ((firstBlockIndex === undefined) === (blockHash === undefined)) throw envelopeError('params');
  await checkedAddresses(addresses, false);
  const id = requirePaymentId(paymentId);
  const wanted = new Set(addresses);
  return ({ transfers, paymentId: found }) =>
    (wanted.size === 0 || transfers.some(({ address }) => wanted.has(address))) && (id === '' || found === id);
}

/** The transactions of blocks [start, end). @param all ascending by height */
function transactionsFrom(all: readonly WalletTransaction[], start: number, end: number): readonly WalletTransaction[] {
  const firstFrom = (height: number): number =>
    lowerBound(0, all.length, (i) => (all[i]?.blockHeight ?? Infinity) < height);
  return all.slice(firstFrom(start), firstFrom(end));
}
