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

type Dependencies = Pick<ServedWallet, 'wallet' | 'syncStatus'> & { readonly nodes: NodeCalls };

/** Confirmations after which a block, and what it spent, is treated as final. */
export const FINAL_CONFIRMATIONS = 60;

/**
 * Submits the recorded transactions of an interrupted request again. The bytes stay the same: two transactions that share an
 * input cannot both be mined (docs/operations/wallet-api.md#idempotency-keys).
 *
 * @returns the transactions that are in a block or a pool. Empty when none of them can ever be mined: the caller may then
 * build new ones
 * @throws WalletError idempotencyKeyUnderWay while the outcome is unknown; daemonOffline, daemonError, daemonStillProcessing
 */
export async function resubmitSends(
  dependencies: Dependencies,
  recorded: readonly KeptSend[],
): Promise<FinishedSend[]> {
  const { privateViewKey } = dependencies.wallet.snapshot.content;
  const accepted: FinishedSend[] = [];
  for (const { hash, sealed } of recorded) {
    const send = unsealSend(sealed, privateViewKey);
    if (await resubmit(dependencies, send, hash)) accepted.push(send);
  }
  return accepted;
}

async function resubmit(dependencies: Dependencies, send: FinishedSend, hash: string): Promise<boolean> {
  const { wallet } = dependencies;
  const isMined = (): boolean => wallet.snapshot.transaction(hash) !== undefined;
  if (isMined()) return true;
  try {
    await wallet.resend(send);
    return true;
  } catch (error) {
    const areInputsSpent =
      error instanceof WalletError && error.code === walletErrorRows.preparedTransactionExpired.code;
    if (!areInputsSpent) throw error;
    if (isMined() || (await isKnownToNode(dependencies, hash))) return true;
    if (isImpossible(dependencies, send)) return false;
    throw walletError.idempotencyKeyUnderWay();
  }
}

/** The wallet may not list the transaction: it was reset above the block, or the paying subwallet was removed. */
async function isKnownToNode({ nodes }: Dependencies, hash: string): Promise<boolean> {
  const place = await new NodeOfSends(() => nodes).whereIs(hash);
  return place === 'block' || place === 'pool';
}

/**
 * Whether another transaction spent an input `FINAL_CONFIRMATIONS` blocks ago. Weaker evidence proves nothing: an unknown
 * pool may hold the transaction, or the wallet may still scan towards its block after a reset.
 */
function isImpossible({ wallet, syncStatus }: Dependencies, { hash, intent }: FinishedSend): boolean {
  const { isAtTip, walletHeight } = syncStatus();
  if (!isAtTip) return false;
  const inputs = new Set(intent.inputs.map(({ output }) => output.key));
  return wallet.snapshot.subWallets.some(({ spent }) =>
    spent.some(
      ({ key, spendHeight, spendingTransactionHash }) =>
        inputs.has(key) && spendingTransactionHash !== hash && spendHeight + FINAL_CONFIRMATIONS <= walletHeight,
    ),
  );
}
