import { LedgerFault, type PendingSend, type WalletOutput } from './model';
import { type LedgerParts, unexpectChange } from './state';
import type { SubWalletBook } from './sub-wallet-book';

/**
 * Records a send: locks its inputs, expects its own outputs, stores its transaction key.
 * @throws LedgerFault when the hash is already recorded or an input is not available; the ledger is then unchanged
 */
export function recordOwnSend({ outputs, history, held }: LedgerParts, send: PendingSend): void {
  const { hash, inputs, ownOutputs, fee, paymentId, transactionSecretKey, transfers } = send;
  const refuse = (why: string): LedgerFault => new LedgerFault(`the send ${hash} ${why}`);
  if (history.send(hash) !== undefined || history.confirmedTransaction(hash) !== undefined) {
    throw refuse('is already recorded');
  }
  if (inputs.length === 0) throw refuse('has no inputs');
  if (new Set(inputs.map(({ output }) => output.key)).size < inputs.length) throw refuse('spends an output twice');
  const places = inputs.map(({ output, publicSpendKey }) => {
    const place = outputs.find(output.key);
    const isKept = held.has(hash) && place?.list === 'locked' && place.output.spendingTransactionHash === hash;
    const isAvailable = place?.list === 'unspent' || isKept;
    // A larger output with its key may have replaced it since the transaction was built.
    const isSame = place?.output.amount === output.amount && place.book.publicSpendKey === publicSpendKey;
    if (place === undefined || !isAvailable || !isSame) {
      throw refuse('spends an output that is not unspent');
    }
    return place;
  });
  const coming = ownOutputs.flatMap(({ publicSpendKey, key, amount }) => {
    const book = outputs.book(publicSpendKey);
    if (book === undefined) throw refuse('pays an output that cannot be ours');
    // Anyone who has seen the transaction can make a larger output with the key, which counts instead.
    return outputs.accepts({ key, amount }) ? [{ book, expected: { amount, key, parentTransactionHash: hash } }] : [];
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

/**
 * Locks the inputs of recorded sends again: at once, or when their blocks are applied again. Then expects their outputs again,
 * unless another send spends them. A container written during a rescan has neither these inputs nor the spends that await
 * them, and change is no longer expected after a larger copy of it, which a reorganisation can remove.
 */
export function restoreSends({ outputs, awaited }: LedgerParts, sends: readonly PendingSend[]): void {
  for (const { hash, inputs } of sends) {
    for (const { output, publicSpendKey } of inputs) {
      const { key, keyImage, amount, parentTransactionHash } = output;
      const place = outputs.find(key);
      if (place?.list === 'unspent') {
        outputs.put(place.book, 'locked', { ...place.output, spendingTransactionHash: hash });
      } else if (keyImage !== undefined && !outputs.has(key)) {
        const change = { amount, key, parentTransactionHash };
        awaited.set(keyImage, { spendingTransactionHash: hash, publicSpendKey, change });
      }
    }
  }
  const spent = new Set(Array.from(awaited.values(), ({ change }) => change.key));
  for (const { hash, ownOutputs } of sends) {
    for (const { key, amount, publicSpendKey } of ownOutputs) {
      if (spent.has(key) || outputs.find(key)?.list === 'locked' || !outputs.accepts({ key, amount })) continue;
      outputs.book(publicSpendKey)?.expect({ amount, key, parentTransactionHash: hash });
    }
  }
}

/** Removes a send: unlocks its inputs and removes its expected outputs. */
export function releaseSend(parts: LedgerParts, hash: string): void {
  const { outputs, history, awaited, held } = parts;
  history.removeSend(hash);
  // A delayed transaction keeps its inputs locked.
  if (held.has(hash)) return;
  unexpectChange(parts, hash);
  for (const book of outputs.all()) {
    for (const output of [...book.outputs('locked').values()]) {
      if (output.spendingTransactionHash === hash) free(parts, book, output);
    }
  }
  for (const [keyImage, { spendingTransactionHash, publicSpendKey, change }] of [...awaited]) {
    if (spendingTransactionHash !== hash) continue;
    awaited.delete(keyImage);
    // The block of the output was not applied again. If the send that created it is pending, it becomes expected change.
    if (history.send(change.parentTransactionHash) !== undefined) outputs.book(publicSpendKey)?.expect(change);
  }
}

/**
 * Unlocks outputs that no pending send spends. Call it only after the whole chain was scanned: only then every spent output
 * is in `spent`.
 */
export function releaseAbandoned(parts: LedgerParts): boolean {
  const { outputs, history, held } = parts;
  let hasReleased = false;
  for (const book of outputs.all()) {
    for (const output of [...book.outputs('locked').values()]) {
      const spender = output.spendingTransactionHash;
      const isAbandoned =
        spender === undefined ? !history.hasSends : !held.has(spender) && history.send(spender) === undefined;
      if (!isAbandoned) continue;
      free(parts, book, output);
      hasReleased = true;
    }
  }
  return hasReleased;
}

function free({ outputs }: LedgerParts, book: SubWalletBook, output: WalletOutput): void {
  outputs.put(book, 'unspent', { ...output, spendingTransactionHash: undefined });
}
