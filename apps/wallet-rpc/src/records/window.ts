import type { walletRpcApi } from '@wrkz/api';
import { lowerBound } from '@wrkz/core-types';
import { EventLoopYielder, FinishedJson, stringifyJson } from '@wrkz/service-kit';
import type { WalletTransaction } from '@wrkz/wallet-core';
import type { z } from 'zod';
import type { WalletRpcContext } from '../context';
import { applicationRefusal, envelopeRefusal } from '../refusals';
import { requireAllPlain } from './own-address';
import { requireHash, requirePaymentId } from './texts';
import { type ServiceTransaction, serviceTransactions } from './transaction-record';

type WindowParams = z.output<typeof walletRpcApi.windowParams>;

/**
 * One item for each block of a window that holds transactions of the wallet, ascending; filters empty an item and leave it.
 *
 * @param print what stands in the item's list for a transaction @param list the name of that list
 * @throws JsonRpcError -32600, then 7, 2, 3, 22, 4, and 7 of an unreachable node
 */
export async function windowItems(
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

/** Where nothing else tells it, the node does. */
async function hashOf({ blockHashes }: WalletRpcContext, height: number): Promise<string> {
  const [hash = ''] = await blockHashes.range(height, height + 1);
  return hash;
}

/** @throws JsonRpcError */
async function firstIndex(
  { wallet, blockHashes }: WalletRpcContext,
  { firstBlockIndex, blockHash, blockCount }: WindowParams,
): Promise<number> {
  const hash = blockHash === undefined ? undefined : requireHash(blockHash);
  if (blockCount === 0 || firstBlockIndex === 0) throw applicationRefusal('wrongParameters');
  const first = hash === undefined ? (firstBlockIndex ?? 0) : (await blockHashes.find(hash))?.height;
  if (first === undefined || first > wallet.snapshot.content.progress.height) throw applicationRefusal('unknownObject');
  if (first === 0) throw applicationRefusal('wrongParameters');
  return first;
}

/** @throws JsonRpcError */
async function filterOf({
  addresses,
  paymentId,
  firstBlockIndex,
  blockHash,
}: WindowParams): Promise<(record: ServiceTransaction) => boolean> {
  if ((firstBlockIndex === undefined) === (blockHash === undefined)) throw envelopeRefusal('params');
  await requireAllPlain(addresses);
  const id = requirePaymentId(paymentId);
  const wanted = new Set(addresses);
  return ({ transfers, paymentId: found }) =>
    (wanted.size === 0 || transfers.some(({ address }) => wanted.has(address))) && (id === '' || found === id);
}

/** Those of the blocks [start, end), of a list whose heights ascend. */
function transactionsFrom(all: readonly WalletTransaction[], start: number, end: number): readonly WalletTransaction[] {
  const firstFrom = (height: number): number =>
    lowerBound(0, all.length, (i) => (all[i]?.blockHeight ?? Infinity) < height);
  return all.slice(firstFrom(start), firstFrom(end));
}
