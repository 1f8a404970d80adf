import type { SpendableOutput } from './balance';
import { LedgerFault } from './fault';
import type { Transfer } from './model';
import type { LedgerParts } from './parts';

/** An output of an own send that comes back to a sub-wallet. */
export interface SendChange {
  readonly publicSpendKey: string;
  /** The one-time key. */
  readonly key: string;
  readonly amount: bigint;
}

/** A finished transaction, as it is noted before it leaves (docs/protocol/wallet.md#own-sends). */
export interface SendIntent {
  readonly hash: string;
  readonly inputs: readonly SpendableOutput[];
  /** All outputs that are ours, whether change or destination. */
  readonly change: readonly SendChange[];
  readonly fee: bigint;
  /** As it was asked for: a short one is plain here. */
  readonly paymentId: string;
  readonly transactionSecretKey: string;
}

/**
 * Notes a send: its inputs are locked, its change is waited for, its key is kept.
 * @throws LedgerFault, and nothing has changed, when the hash is known or an input is not free
 */
export function recordIntent({ outputs, history }: LedgerParts, intent: SendIntent): void {
  const { hash, inputs, change, fee, paymentId, transactionSecretKey } = intent;
  const refuse = (why: string): LedgerFault => new LedgerFault(`the send ${hash} ${why}`);
  if (history.send(hash) !== undefined || history.confirmedTransaction(hash) !== undefined) {
    throw refuse('is recorded already');
  }
  if (inputs.length === 0) throw refuse('has no inputs');
  if (new Set(inputs.map(({ key }) => key)).size < inputs.length) throw refuse('takes an output twice');
  const places = inputs.map(({ key, publicSpendKey }) => {
    const place = outputs.find(key);
    if (place?.list !== 'unspent' || place.book.publicSpendKey !== publicSpendKey) {
      throw refuse('takes an output that is not free');
    }
    return place;
  });
  const coming = change.map((item) => {
    const book = outputs.book(item.publicSpendKey);
    if (book === undefined || outputs.knows(item.key)) throw refuse('pays an output that cannot be ours');
    return { book, amount: { amount: item.amount, key: item.key, parentTransactionHash: hash } };
  });
  for (const { book, output } of places) outputs.put(book, 'locked', { ...output, spendingTransactionHash: hash });
  for (const { book, amount } of coming) book.expect(amount);
  history.addSend({
    transfers: transfersOf(intent),
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

function transfersOf({ inputs, change }: SendIntent): Transfer[] {
  const amounts = new Map<string, bigint>();
  const add = (publicSpendKey: string, amount: bigint): void => {
    amounts.set(publicSpendKey, (amounts.get(publicSpendKey) ?? 0n) + amount);
  };
  for (const { publicSpendKey, amount } of inputs) add(publicSpendKey, -amount);
  for (const { publicSpendKey, amount } of change) add(publicSpendKey, amount);
  return Array.from(amounts, ([publicSpendKey, amount]) => ({ publicSpendKey, amount }));
}
