import { isUnlocked } from '@wrkz/consensus';
import type { SubWallet, WalletOutput } from '../ledger/model';

/** An output that may be spent, and whose it is. */
export interface OwnedInput {
  readonly output: WalletOutput;
  readonly owner: SubWallet;
}

/** The sum of what is unlocked at a height, counted as a balance is: with outputs that no node has numbered yet. */
export function unlockedBalance(sources: readonly SubWallet[], height: number, now: number): bigint {
  let sum = 0n;
  for (const { output } of unlocked(sources, height, now)) sum += output.amount;
  return sum;
}

/** The unlocked outputs of some sub-wallets, each one-time key once. */
export function* unlocked(sources: readonly SubWallet[], height: number, now: number): Generator<OwnedInput> {
  const seen = new Set<string>();
  for (const owner of sources) {
    for (const output of owner.unspent) {
      if (seen.has(output.key) || !isUnlocked(output.unlockTime, { height, timestamp: now })) continue;
      seen.add(output.key);
      yield { output, owner };
    }
  }
}
