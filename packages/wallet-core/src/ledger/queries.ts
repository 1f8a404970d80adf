import { isUnlocked, type LockTime } from '@wrkz/consensus';
import type { SubWallet, WalletContent } from './model';

/** Atomic units (docs/protocol/wallet.md#balances). */
export interface Balance {
  readonly unlocked: bigint;
  /** Unspent outputs that are not unlocked yet or whose block is unverified, and expected outputs of pending sends. */
  readonly locked: bigint;
}

/** Sums of the unspent outputs of one sub-wallet. */
interface Sums {
  readonly byUnlockTime: ReadonlyMap<bigint, bigint>;
  /** Outputs in unverified blocks, and smaller copies of expected change. */
  readonly unspendable: bigint;
}

/** Cached sums: a SubWallet value is immutable. */
const sums = new WeakMap<SubWallet, Sums>();

function sumsOf(subWallet: SubWallet): Sums {
  const known = sums.get(subWallet);
  if (known !== undefined) return known;
  const byUnlockTime = new Map<bigint, bigint>();
  const expected = new Set(subWallet.unconfirmedIncoming.map(({ key }) => key));
  let unspendable = 0n;
  for (const { key, unlockTime, amount, verified } of subWallet.unspent) {
    if (verified === false || expected.has(key)) unspendable += amount;
    else byUnlockTime.set(unlockTime, (byUnlockTime.get(unlockTime) ?? 0n) + amount);
  }
  const made = { byUnlockTime, unspendable };
  sums.set(subWallet, made);
  return made;
}

/**
 * The balance of one sub-wallet.
 * @param at index of the network's tip, and the current time in Unix seconds
 */
export function subWalletBalance(subWallet: SubWallet, at: LockTime): Balance {
  let unlocked = 0n;
  const { byUnlockTime, unspendable } = sumsOf(subWallet);
  let locked = subWallet.unconfirmedIncoming.reduce((total, { amount }) => total + amount, unspendable);
  for (const [unlockTime, amount] of byUnlockTime) {
    if (isUnlocked(unlockTime, at)) unlocked += amount;
    else locked += amount;
  }
  return { unlocked, locked };
}

/** The balance of the given sub-wallets; by default of the whole wallet. */
export function walletBalance(
  { subWallets }: Pick<WalletContent, 'subWallets'>,
  at: LockTime,
  publicSpendKeys?: Iterable<string>,
): Balance {
  const chosen = publicSpendKeys === undefined ? undefined : new Set(publicSpendKeys);
  let unlocked = 0n;
  let locked = 0n;
  for (const subWallet of subWallets) {
    if (chosen !== undefined && !chosen.has(subWallet.publicSpendKey)) continue;
    const part = subWalletBalance(subWallet, at);
    unlocked += part.unlocked;
    locked += part.locked;
  }
  return { unlocked, locked };
}
