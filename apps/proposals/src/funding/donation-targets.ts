import { isUnlocked, type LockTime } from '@wrkz/consensus';
import { decodeAddress, encodeAddress } from '@wrkz/core-types';
import type { Contribution } from '../store/funding-store';
import type { Receipt } from './income';

/** By what the donations of a proposal are known: the wallet's address, and the payment id that came with it. */
export interface DonationTarget {
  /** As the proposal has it, plain or integrated. */
  readonly address: string;
  /** The same without a payment id: what the wallet knows. */
  readonly base: string;
  /** In lower case; empty for a plain address. */
  readonly paymentId: string;
}

/** @throws AddressError */
export function donationTarget(address: string): DonationTarget {
  const { spendPublic, viewPublic, paymentId = '' } = decodeAddress(address);
  return { address, base: encodeAddress({ spendPublic, viewPublic }), paymentId: paymentId.toLowerCase() };
}

/**
 * Gives each receipt of one base address to the proposal it was meant for. To a plain address goes what bears no payment
 * id of another proposal.
 * @param at the index of the wallet's tip and the clock, by which outputs are unlocked
 */
export function assignReceipts(
  targets: readonly DonationTarget[],
  receipts: readonly Receipt[],
  at: LockTime,
): Map<string, Contribution[]> {
  const assigned = new Map<string, Contribution[]>(targets.map(({ address }) => [address, []]));
  const byPaymentId = new Map(targets.map((target) => [target.paymentId, target.address]));
  for (const { hash, amount, height, time, paymentId, unlockTime } of receipts) {
    const address = byPaymentId.get(paymentId) ?? byPaymentId.get('');
    if (address === undefined) continue;
    const unlocked = isUnlocked(unlockTime, at);
    assigned.get(address)?.push({ hash, amount, height, time, unlocked });
  }
  return assigned;
}
