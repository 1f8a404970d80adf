import type { HeldTransaction } from '../ledger/held-transactions';
import type { FinishedSend } from './ports';

/** What a finished transaction takes and brings, while it waits to be sent. */
export function heldOf({ hash, intent }: Pick<FinishedSend, 'hash' | 'intent'>): HeldTransaction {
  return { hash, inputs: intent.inputs.map(({ output }) => output.key), ownOutputs: intent.ownOutputs };
}
