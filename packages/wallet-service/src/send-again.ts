import type { NodeCalls } from '@wrkz/client';
import {
  type FinishedSend,
  type KeptSend,
  NodeOfSends,
  type ServedWallet,
  unsealSend,
  walletError,
  WalletError,
  walletErrorRows,
} from '@wrkz/wallet-core';

/** The wallet that sends, how far it has read, and who is asked what became of a transaction. */
type Sender = Pick<ServedWallet, 'wallet' | 'syncStatus'> & { readonly nodes: NodeCalls };

/** A block with so many above it is there to stay, and so is what it spent. */
export const BLOCKS_TO_BE_FINAL = 60;

/**
 * Finds out what became of the transactions of a request that was never answered, and brings out those that did not arrive:
 * the very same ones, since two transactions with the same inputs cannot both be in the chain
 * (docs/operations/wallet-api.md#idempotency-keys).
 *
 * @returns those that are with the network. None when none of them can ever be there: then it is safe to build others
 * @throws WalletError 1003 while nobody can tell; 30, 31, 55 of the node
 */
export async function sendAgain(open: Sender, kept: readonly KeptSend[]): Promise<FinishedSend[]> {
  const there: FinishedSend[] = [];
  for (const { hash, sealed } of kept) {
    const send = unsealSend(sealed, open.wallet.snapshot.content.privateViewKey);
    if (await isThere(open, send, hash)) there.push(send);
  }
  return there;
}

async function isThere(open: Sender, send: FinishedSend, hash: string): Promise<boolean> {
  const { wallet } = open;
  const isInBlock = (): boolean => wallet.snapshot.transaction(hash) !== undefined;
  if (isInBlock()) return true;
  try {
    await wallet.resend(send);
    return true;
  } catch (error) {
    const inputsAreGone =
      error instanceof WalletError && error.code === walletErrorRows.preparedTransactionExpired.code;
    if (!inputsAreGone) throw error;
    if (isInBlock() || (await isKnownToNode(open, hash))) return true;
    if (isImpossible(open, send)) return false;
    throw walletError.idempotencyKeyUnderWay();
  }
}

/** The wallet may not list it: it was reset to a height above its block, or the sub-wallet that paid is gone. */
async function isKnownToNode({ nodes }: Sender, hash: string): Promise<boolean> {
  const place = await new NodeOfSends(() => nodes).whereIs(hash);
  return place === 'block' || place === 'pool';
}

/**
 * Whether an input was spent by another transaction, long enough ago. Everything less than that proves nothing: a pool that
 * nobody asked may hold it, and after a reset the wallet may not have come to its block yet.
 */
function isImpossible({ wallet, syncStatus }: Sender, { hash, intent }: FinishedSend): boolean {
  const { isAtTip, walletHeight } = syncStatus();
  if (!isAtTip) return false;
  const inputs = new Set(intent.inputs.map(({ output }) => output.key));
  return wallet.snapshot.subWallets.some(({ spent }) =>
    spent.some(
      ({ key, spendHeight, spendingTransactionHash }) =>
        inputs.has(key) && spendingTransactionHash !== hash && spendHeight + BLOCKS_TO_BE_FINAL <= walletHeight,
    ),
  );
}
