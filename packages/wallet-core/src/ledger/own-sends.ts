import { LedgerFault, type Transfer, type WalletOutput } from './model';
import type { LedgerParts } from './state';

/** A finished transaction as it is noted before it leaves (docs/protocol/wallet.md#own-sends). */
export interface RecordedSend {
  readonly hash: string;
  readonly inputs: readonly { readonly output: WalletOutput; readonly publicSpendKey: string }[];
  /** All outputs that are ours, whether change or destination; by their one-time keys. */
  readonly ownOutputs: readonly { readonly publicSpendKey: string; readonly amount: bigint; readonly key: string }[];
  readonly fee: bigint;
  /** As it was asked for: a short one is plain here. */
  readonly paymentId: string;
  readonly transactionSecretKey: string;
  /** How it is listed while it is in no block. */
  readonly transfers: readonly Transfer[];
}

/**
 * Notes a send: its inputs are locked, what comes back is waited for, its key is kept.
 * @throws LedgerFault, and nothing has changed, when the hash is known or an input is not free
 */
export function recordOwnSend({ outputs, history, held }: LedgerParts, send: RecordedSend): void {
  const { hash, inputs, ownOutputs, fee, paymentId, transactionSecretKey, transfers } = send;
  const refuse = (why: string): LedgerFault => new LedgerFault(`the send ${hash} ${why}`);
  if (history.send(hash) !== undefined || history.confirmedTransaction(hash) !== undefined) {
    throw refuse('is recorded already');
  }
  if (inputs.length === 0) throw refuse('has no inputs');
  if (new Set(inputs.map(({ output }) => output.key)).size < inputs.length) throw refuse('takes an output twice');
  const places = inputs.map(({ output, publicSpendKey }) => {
    const place = outputs.find(output.key);
    const isKept = held.has(hash) && place?.list === 'locked' && place.output.spendingTransactionHash === hash;
    if (place === undefined || !(place.list === 'unspent' || isKept) || place.book.publicSpendKey !== publicSpendKey) {
      throw refuse('takes an output that is not free');
    }
    return place;
  });
  const coming = ownOutputs.map(({ publicSpendKey, key, amount }) => {
    const book = outputs.book(publicSpendKey);
    if (book === undefined || outputs.knows(key)) throw refuse('pays an output that cannot be ours');
    return { book, expected: { amount, key, parentTransactionHash: hash } };
  });
  for (const { book, output } of places) outputs.put(book, 'locked', { ...output, spendingTransactionHash: hash });
  for (const { book, expected } of coming) book.expect(expected);
  history.addSend({
    transfers,
    hash,
    fee,
    blockHeight: 0,
    timestamp: 0,
    paymentId,
    unlockTime: 0n,
    isCoinbase: false,
  });
  history.setKey({ transactionHash: hash, secretKey: transactionSecretKey });
}
