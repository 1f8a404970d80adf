import { NodeFailure, type NodeFailureKind } from '@wrkz/client';
import type { FetchOutcome } from './fetcher';
import type { SyncGap } from './start-check';
import type { SyncStall, WalletSyncStatus } from './status';

const CODES: Readonly<Record<NodeFailureKind, SyncStall['code']>> = {
  unreachable: 'nodeUnreachable',
  timeout: 'nodeUnreachable',
  rateLimited: 'rateLimited',
  refused: 'nodeFailing',
  failed: 'nodeFailing',
  malformed: 'nodeHostile',
  tooLarge: 'nodeHostile',
  foreignChain: 'foreignChain',
};

/** What holds a wallet up after a step; undefined when nothing does. */
export function stallOf(
  result: FetchOutcome | NodeFailure,
  gap: SyncGap | undefined,
  { walletHeight, localHeight }: Pick<WalletSyncStatus, 'walletHeight' | 'localHeight'>,
): SyncStall | undefined {
  if (result instanceof NodeFailure) return { code: CODES[result.kind], message: `the node ${result.message}` };
  if (result === 'gap' && gap !== undefined) {
    return {
      code: 'gap',
      message:
        `this wallet has read the chain up to ${String(gap.coveredTo)}, and the node serves nothing below ` +
        `${String(gap.servesFrom)}: connect a node that holds the whole chain, or reset the wallet to that height`,
    };
  }
  if (result === 'behind') {
    return {
      code: 'nodeBehindWallet',
      message: `the node stands at ${String(localHeight)}, below this wallet at ${String(walletHeight)}, and is waited for`,
    };
  }
  return undefined;
}
