import { walletApi } from '@wrkz/api';
import { MAX_UINT64 } from '@wrkz/core-types';
import { refusal } from '@wrkz/service-kit';
import { checkAddress, walletError, type WalletSnapshot, type WalletTransaction } from '@wrkz/wallet-core';
import type { z } from 'zod';
import { badRequest, walletErrors } from '../errors';
import { access, declareWalletRoute, NOT_FOUND, type WalletApiContext, type WalletRoute } from './declare';
import { transactionFilter, transactionList, transactionRecorder } from './transaction-records';

/** Blocks covered by a listing without an end height. */
const DEFAULT_RANGE_BLOCKS = 1_000;

/** Fields of the routes that list transactions. */
const LIST = { method: 'GET', ...access('read'), response: walletApi.transactionsResponse } as const;

/** The transactions that `select` finds in the open wallet. */
function listOf(
  { wallets }: Pick<WalletApiContext, 'wallets'>,
  select: (snapshot: WalletSnapshot) => readonly WalletTransaction[],
): ReturnType<typeof transactionList> {
  const open = wallets.require();
  return transactionList(open, select(open.wallet.snapshot));
}

const getTransactions = declareWalletRoute({
  method: 'GET',
  path: '/transactions',
  summary: 'Lists confirmed transactions, all of them or in pages.',
  description:
    'Without query parameters it returns every confirmed transaction, oldest first. For large wallets pass ' +
    '`limit`, then pass `nextCursor` of each page as `cursor` until it is missing; the cursor stays valid across ' +
    'reorganisations. Amounts in `transfers` are atomic units per address, negative for spent coins.',
  ...access('read'),
  query: walletApi.pageQuery,
  response: walletApi.pageResponse,
  errors: [],
  handle: ({ wallets }, { query }) => {
    const open = wallets.require();
    const { transactions, nextCursor } = pageOf(open.wallet.snapshot.transactions(), query);
    return transactionList(open, transactions, nextCursor);
  },
});

const getUnconfirmed = declareWalletRoute({
  ...LIST,
  path: '/transactions/unconfirmed',
  summary: 'Lists own sends that are not in a block yet.',
  description: 'Incoming transactions appear only when a block contains them. `blockHeight` and `timestamp` are 0.',
  errors: [],
  handle: (context) => listOf(context, (snapshot) => snapshot.unconfirmed()),
});

const getUnconfirmedByAddress = declareWalletRoute({
  ...LIST,
  path: '/transactions/unconfirmed/{address}',
  summary: 'Lists unconfirmed sends that involve an address.',
  description: 'Like `GET /transactions/unconfirmed`. The list is empty for an address of another wallet.',
  params: walletApi.addressParams,
  errors: walletErrors('addressNotValid'),
  handle: (context, { path }) =>
    listOf(context, (snapshot) => snapshot.unconfirmed(spendKeyOf(snapshot, path.address))),
});

const getByHash = declareWalletRoute({
  method: 'GET',
  path: '/transactions/hash/{hash}',
  summary: 'Returns one confirmed transaction.',
  description: 'Poll it to follow `confirmations`. Returns 404 for unconfirmed and unknown transactions.',
  ...access('read'),
  params: walletApi.hashParams,
  response: walletApi.transactionResponse,
  errors: [NOT_FOUND],
  handle: ({ wallets }, { path }) => {
    const open = wallets.require();
    const transaction = open.wallet.snapshot.transaction(path.hash);
    if (transaction === undefined) throw refusal('not_found');
    return { transaction: transactionRecorder(open)(transaction) };
  },
});

const getWithPaymentId = declareWalletRoute({
  ...LIST,
  path: '/transactions/paymentid',
  summary: 'Lists confirmed transactions that have a payment ID.',
  description: 'Use it to match payments of customers who received integrated addresses or payment IDs.',
  errors: [],
  handle: (context) => listOf(context, (snapshot) => snapshot.transactions({ hasPaymentId: true })),
});

const getByPaymentId = declareWalletRoute({
  ...LIST,
  path: '/transactions/paymentid/{hash}',
  summary: 'Lists confirmed transactions with a given payment ID.',
  description: '`hash` is the payment ID, 16 or 64 hex digits in any case.',
  params: walletApi.byPaymentIdParams,
  errors: [],
  handle: (context, { path }) =>
    listOf(context, (snapshot) => snapshot.transactions({ paymentId: path.hash.toLowerCase() })),
});

const getTransactionKey = declareWalletRoute({
  method: 'GET',
  path: '/transactions/privatekey/{hash}',
  summary: 'Returns the private key of a sent transaction.',
  description:
    'The key proves to a recipient that this wallet made the payment. Only transactions sent by this wallet file ' +
    'have one.',
  ...access('send', { viewWallet: false, audit: 'read-keys' }),
  params: walletApi.hashParams,
  response: walletApi.transactionKeyResponse,
  errors: walletErrors('illegalViewWalletOperation', 'txPrivateKeyNotFound'),
  handle: ({ wallets }, { path }) => {
    const key = wallets.require().wallet.snapshot.transactionKey(path.hash);
    if (key === undefined) throw walletError.txPrivateKeyNotFound();
    return { transactionPrivateKey: key };
  },
});

const getFromHeight = declareWalletRoute({
  ...LIST,
  path: '/transactions/{startHeight}',
  summary: 'Lists confirmed transactions of 1,000 blocks.',
  description: 'Covers the blocks from `startHeight` to `startHeight` + 999.',
  params: walletApi.startParams,
  errors: [],
  handle: (context, { path }) => listOf(context, (snapshot) => snapshot.transactions(rangeFrom(path.startHeight))),
});

const getInRange = declareWalletRoute({
  ...LIST,
  path: '/transactions/{startHeight}/{endHeight}',
  summary: 'Lists confirmed transactions of a range of blocks.',
  description: '`startHeight` is included, `endHeight` is excluded and must be higher.',
  params: walletApi.rangeParams,
  errors: [],
  handle: (context, { path }) =>
    listOf(context, (snapshot) => snapshot.transactions(parseRange(path.startHeight, path.endHeight))),
});

const getFromHeightByAddress = declareWalletRoute({
  ...LIST,
  path: '/transactions/address/{address}/{startHeight}',
  summary: 'Lists confirmed transactions of 1,000 blocks that involve an address.',
  description:
    'Covers the blocks from `startHeight` to `startHeight` + 999. An address of another wallet gives an empty ' +
    'list.',
  params: walletApi.addressStartParams,
  errors: walletErrors('addressNotValid'),
  handle: (context, { path }) =>
    listOf(context, (snapshot) => {
      const publicSpendKey = spendKeyOf(snapshot, path.address);
      return snapshot.transactions({ ...rangeFrom(path.startHeight), publicSpendKey });
    }),
});

const getInRangeByAddress = declareWalletRoute({
  ...LIST,
  path: '/transactions/address/{address}/{startHeight}/{endHeight}',
  summary: 'Lists confirmed transactions of a range of blocks that involve an address.',
  description:
    '`startHeight` is included, `endHeight` is excluded and must be higher. An address of another wallet gives an ' +
    'empty list.',
  params: walletApi.addressRangeParams,
  errors: walletErrors('addressNotValid'),
  handle: (context, { path }) =>
    listOf(context, (snapshot) => {
      const publicSpendKey = spendKeyOf(snapshot, path.address);
      const range = parseRange(path.startHeight, path.endHeight);
      return snapshot.transactions({ ...range, publicSpendKey });
    }),
});

/**
 * The public spend key to filter by. Nothing matches an address of another wallet.
 * @throws WalletError addressNotValid
 */
function spendKeyOf({ subWallets }: WalletSnapshot, address: string): string {
  const found = subWallets.find((subWallet) => subWallet.address === address);
  if (found !== undefined) return found.publicSpendKey;
  checkAddress(address, { allowIntegrated: false });
  return '';
}

/** Block heights, start included, end excluded. */
interface HeightRange {
  readonly start: number;
  readonly end: number;
}

/** Parses a height and clamps it to 2^53 - 1. @throws HttpError 400 above 64 bits */
function parseHeight(text: string): number {
  const height = BigInt(text);
  if (height > MAX_UINT64) throw badRequest();
  return Math.min(Number(height), Number.MAX_SAFE_INTEGER);
}

function rangeFrom(startText: string): HeightRange {
  const start = parseHeight(startText);
  return { start, end: start + DEFAULT_RANGE_BLOCKS };
}

/** @throws HttpError 400 for an empty range and for heights above 64 bits */
function parseRange(start: string, end: string): HeightRange {
  const range = { start: parseHeight(start), end: parseHeight(end) };
  if (BigInt(start) >= BigInt(end)) throw badRequest();
  return range;
}

type PageQuery = z.output<typeof walletApi.pageQuery>;

interface Page {
  readonly transactions: readonly WalletTransaction[];
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined;
}

function pageOf(all: readonly WalletTransaction[], query: PageQuery): Page {
  const { limit, cursor, order = 'asc' } = query;
  const ordered = order === 'asc' ? all : all.toReversed();
  const isIncluded = transactionFilter(query);
  const maxCount = limit === undefined ? Infinity : Number(limit);
  const transactions: WalletTransaction[] = [];
  for (let i = cursor === undefined ? 0 : indexAfter(ordered, cursor, order); i < ordered.length; i++) {
    const transaction = ordered[i] as WalletTransaction;
    if (!isIncluded(transaction)) continue;
    const last = transactions.at(-1);
    if (transactions.length === maxCount && last !== undefined) {
      return { transactions, nextCursor: `${String(last.blockHeight)}-${last.hash}` };
    }
    transactions.push(transaction);
  }
  return { transactions, nextCursor: undefined };
}

/** The index after the transaction of a cursor, or at its height if a reorganisation removed the transaction. */
function indexAfter(ordered: readonly WalletTransaction[], cursor: string, order: 'asc' | 'desc'): number {
  const [height, hash] = cursor.split('-');
  const at = ordered.findIndex((transaction) => transaction.hash === hash);
  if (at >= 0) return at + 1;
  const isPast = ({ blockHeight }: WalletTransaction): boolean =>
    order === 'asc' ? blockHeight >= Number(height) : blockHeight <= Number(height);
  const next = ordered.findIndex(isPast);
  return next < 0 ? ordered.length : next;
}

/** Paths with a fixed segment must precede paths with a parameter in the same position. */
export const TRANSACTION_ROUTES: readonly WalletRoute[] = [
  getTransactions,
  getUnconfirmed,
  getUnconfirmedByAddress,
  getByHash,
  getWithPaymentId,
  getByPaymentId,
  getTransactionKey,
  getFromHeight,
  getInRange,
  getFromHeightByAddress,
  getInRangeByAddress,
];
