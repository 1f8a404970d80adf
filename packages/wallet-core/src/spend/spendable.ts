import { isUnlocked } from '@wrkz/consensus';
import type { SubWallet, WalletOutput } from '../ledger/model';

/** An output that may be spent, and whose it is. */
export interface OwnedInput {
  readonly output: WalletOutput;
  readonly owner: SubWallet;
}

/**
 * Whether what is unlocked at a height comes to this amount, counted as a balance is: with outputs that no node has numbered
 * yet. Looks at no more outputs than it takes.
 */
export function unlockedCovers(amount: bigint, sources: readonly SubWallet[], height: number, now: number): boolean {
  let sum = 0n;
  for (const { output } of unlocked(sources, height, now)) {
    if (sum >= amount) return true;
    sum += output.amount;
  }
  return sum >= amount;
}

/** The unlocked outputs of some sub-wallets, each one-time key once. */
export function* unlocked(sources: readonly SubWallet[], height: number, now: number): Generator<OwnedInput> {
  const seen = new Set<string>();
  const at = { height, timestamp: now };
  for (const owner of sources) {
    for (const output of owner.unspent) {
      if (seen.has(output.key) || !isUnlocked(output.unlockTime, at)) continue;
      seen.add(output.key);
      yield { output, owner };
    }
  }
}
