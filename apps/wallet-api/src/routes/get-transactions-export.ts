import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { walletApi } from '@wrkz/api';
import { ANSWERED, errorCode } from '@wrkz/service-kit';
import { csvOf, jsonOf } from '../records/export';
import { matcher } from '../records/page';
import { declareWalletRoute, KEY_WANTED } from './declare';

export const getTransactionsExport = declareWalletRoute({
  method: 'GET',
  path: '/transactions/export',
  summary: 'Transactions in blocks as a file, CSV or JSON, of a period.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: true, scope: 'read' },
  query: walletApi.exportQuery,
  answer: {
    contentType: 'text/csv; charset=utf-8',
    description: 'A line for each transaction; with format=json the members below',
    orJson: walletApi.transactionsAnswer,
  },
  errors: [],
  handle: async ({ held }, { query, http: { request, response } }): Promise<typeof ANSWERED> => {
    const open = held.require();
    const { format = 'csv', from = '0', to } = query;
    const [first, last] = [Number(from), to === undefined ? Infinity : Number(to)];
    const matching = matcher(query);
    const transactions = open.wallet.snapshot
      .transactions()
      .filter(
        (transaction) => transaction.timestamp >= first && transaction.timestamp <= last && matching(transaction),
      );
    response.setHeader('Content-Type', format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json');
    response.setHeader('Content-Disposition', `attachment; filename="transactions.${format}"`);
    if (request.method === 'HEAD') {
      response.end();
      return ANSWERED;
    }
    try {
      await pipeline(Readable.from((format === 'csv' ? csvOf : jsonOf)(open, transactions)), response);
    } catch (error) {
      // The caller has left.
      if (errorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    }
    return ANSWERED;
  },
});
