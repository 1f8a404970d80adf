import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { walletApi } from '@wrkz/api';
import { RESPONSE_SENT, errorCode } from '@wrkz/service-kit';
import type { WalletTransaction } from '@wrkz/wallet-core';
import { netAmount } from '@wrkz/wallet-server';
import type { OpenWallet } from '../wallet-manager';
import { access, declareWalletRoute, type WalletRoute } from './declare';
import { chunks, transactionFilter, transactionRecorder, transactionsJson } from './transaction-records';

const COLUMNS = [
  'timestamp',
  'time',
  'blockHeight',
  'confirmations',
  'hash',
  'amount',
  'fee',
  'paymentID',
  'isCoinbaseTransaction',
  'unlockTime',
  'transfers',
] as const;

/** Max seconds of a `Date`. Times in files and from nodes may be any 64-bit value. */
const MAX_DATE_SECONDS = 8_640_000_000_000;

const exportTransactions = declareWalletRoute({
  method: 'GET',
  path: '/transactions/export',
  summary: 'Downloads confirmed transactions as CSV or JSON.',
  description:
    'For bookkeeping. `from` and `to` are unix seconds of the block, both included. `amount` is the net amount in ' +
    'atomic units, negative for sends; `time` is ISO 8601 in UTC. The file is streamed, so large wallets need no ' +
    'paging.',
  ...access('read'),
  query: walletApi.exportQuery,
  response: {
    contentType: 'text/csv; charset=utf-8',
    description: 'One line per transaction after a header line; with format=json the fields below',
    orJson: walletApi.transactionsResponse,
  },
  errors: [],
  handle: async ({ wallets }, { query, http: { request, response } }): Promise<typeof RESPONSE_SENT> => {
    const open = wallets.require();
    const { format = 'csv', from = '0', to } = query;
    const [first, last] = [Number(from), to === undefined ? Infinity : Number(to)];
    const isIncluded = transactionFilter(query);
    const transactions = open.wallet.snapshot
      .transactions()
      .filter(
        (transaction) => transaction.timestamp >= first && transaction.timestamp <= last && isIncluded(transaction),
      );
    response.setHeader('Content-Type', format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json');
    response.setHeader('Content-Disposition', `attachment; filename="transactions.${format}"`);
    if (request.method === 'HEAD') {
      response.end();
      return RESPONSE_SENT;
    }
    try {
      await pipeline(Readable.from((format === 'csv' ? csvLines : jsonFile)(open, transactions)), response);
    } catch (error) {
      // The client disconnected.
      if (errorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    }
    return RESPONSE_SENT;
  },
});

/** The lines of a CSV file (RFC 4180) in pieces. */
async function* csvLines(open: OpenWallet, transactions: readonly WalletTransaction[]): AsyncGenerator<string> {
  const record = transactionRecorder(open);
  yield `${COLUMNS.join(',')}\r\n`;
  for await (const chunk of chunks(transactions)) {
    yield chunk
      .map((transaction) => {
        const { transfers, ...row } = record(transaction);
        const values = {
          ...row,
          time: new Date(Math.min(row.timestamp, MAX_DATE_SECONDS) * 1000).toISOString(),
          amount: netAmount(transaction),
          transfers: transfers.map(({ address, amount }) => `${address} ${String(amount)}`).join('; '),
        };
        return `${COLUMNS.map((name) => csvCell(String(values[name]))).join(',')}\r\n`;
      })
      .join('');
  }
}

async function* jsonFile(open: OpenWallet, transactions: readonly WalletTransaction[]): AsyncGenerator<string> {
  yield* transactionsJson(open, transactions);
  yield '\n';
}

/** Escapes a cell. A quote is prefixed to text that a spreadsheet would run as a formula, except negative numbers. */
export function csvCell(text: string): string {
  const safe = /^[=+@\t\r]|^-(?!\d+$)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const TRANSACTION_EXPORT_ROUTES: readonly WalletRoute[] = [exportTransactions];
