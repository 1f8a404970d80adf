import { stringifyJson } from '@wrkz/service-kit';
import type { WalletTransaction } from '@wrkz/wallet-core';
import type { Open } from '../open-wallet';
import { netAmount } from './page';
import { nextTurn, transactionRecorder } from './transaction';

const AT_ONCE = 500;

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

/** The lines of a CSV file (RFC 4180), each with its end; amounts are atomic units. */
export async function* csvOf(open: Open, transactions: readonly WalletTransaction[]): AsyncGenerator<string> {
  const record = transactionRecorder(open);
  yield `${COLUMNS.join(',')}\r\n`;
  for (let from = 0; from < transactions.length; from += AT_ONCE) {
    await nextTurn();
    yield transactions
      .slice(from, from + AT_ONCE)
      .map((transaction) => {
        const { transfers, ...row } = record(transaction);
        const values = {
          ...row,
          time: new Date(row.timestamp * 1000).toISOString(),
          amount: netAmount(transaction),
          transfers: transfers.map(({ address, amount }) => `${address} ${String(amount)}`).join('; '),
        };
        return `${COLUMNS.map((name) => cell(String(values[name]))).join(',')}\r\n`;
      })
      .join('');
  }
}

/** The same transactions as records, in one array. */
export async function* jsonOf(open: Open, transactions: readonly WalletTransaction[]): AsyncGenerator<string> {
  const record = transactionRecorder(open);
  yield '{"transactions":[';
  for (let from = 0; from < transactions.length; from += AT_ONCE) {
    await nextTurn();
    const texts = transactions.slice(from, from + AT_ONCE).map((transaction) => stringifyJson(record(transaction)));
    yield (from === 0 ? '' : ',') + texts.join(',');
  }
  yield ']}\n';
}

/** A text in a spreadsheet must not become a formula: only numbers may begin with a minus. */
export function cell(text: string): string {
  const safe = /^[=+@\t\r]|^-(?!\d+$)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
