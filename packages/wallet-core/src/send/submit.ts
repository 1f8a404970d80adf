import { failures } from '../build/failures';
import type { RelayAnswer, SpendNode } from '../build/model';
import type { BuiltSend } from '../build/sign';

/** Where a wallet keeps its sends. Both end when the change would survive a crash. */
export interface SendBook {
  /** Before it leaves: inputs locked, unconfirmed entry, change, transaction key. false when it stands there already. */
  record(built: BuiltSend): Promise<boolean>;
  /** It never left, or was refused: its inputs are unspent again. */
  cancel(hash: string): Promise<void>;
}

/**
 * Writes a send down and gives it to the node (docs/protocol/wallet.md#relaying). A refusal takes it back once the node,
 * asked by hash, does not know it; while nobody can tell, the send stays written and its inputs locked.
 * The same transaction may be dispatched again.
 * @throws WalletError 30, 31 when it did not go out, 55 when that is not known
 */
export async function dispatchSend(built: BuiltSend, book: SendBook, node: SpendNode): Promise<void> {
  const isFirst = await book.record(built);
  const answer = await node.relay(built.bytes).catch((): RelayAnswer => ({ kind: 'unclear', ended: false }));
  if (answer.kind === 'accepted') return;
  if (answer.kind === 'unavailable') {
    if (isFirst) await book.cancel(built.hash);
    throw failures.nodeOffline();
  }
  // A refusal too: what was lost a moment ago may have arrived, and its repetition is what is refused.
  const place = await node.whereIs(built.hash).catch(() => 'unavailable' as const);
  if (place === 'block' || place === 'pool') return;
  // A word that nobody confirms takes nothing back: what was taken all the same would be paid twice by its repetition.
  const isOver = answer.kind === 'refused' || answer.ended;
  if (place === 'unavailable' || !isOver) throw failures.stillProcessing();
  if (isFirst) await book.cancel(built.hash);
  throw answer.kind === 'refused' ? failures.nodeError(answer.reason) : failures.nodeOffline();
}
