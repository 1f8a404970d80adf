import { type Address, DIFFICULTY_TARGET, MAX_UINT64, UNLOCK_TIME_BOUNDARY } from '@wrkz/core-types';
import type { SubWallet } from '../ledger/model';
import { ownSubWallet, payee, plainAddress } from './addresses';
import { mapBreathing } from './breathe';
import { checkPaymentId } from '../keys/addresses';
import { failures } from './failures';
import type { FeeTerms } from './fee-terms';
import { agreedPaymentId, freeData, isShortPaymentId } from './payment-ids';
import type { SendRequest, SpendView } from './request';
import { unlockedCovers } from './spendable';
import { LEAST_UNLOCK, SendTerms } from './terms';

/** Somebody who is paid. */
export interface Payment {
  readonly to: Address;
  readonly amount: bigint;
}

/** A request that has passed every check which needs no node. */
export interface CheckedSend {
  readonly view: SpendView;
  readonly terms: SendTerms;
  readonly fees: FeeTerms;
  readonly payments: readonly Payment[];
  /** Of the payments. */
  readonly total: bigint;
  /** '' is none. */
  readonly paymentId: string;
  readonly data: Buffer;
  /** Fields of extra as they were given. */
  readonly fields: Buffer;
  readonly sources: readonly SubWallet[];
  readonly change: SubWallet;
  readonly mixin: number;
  readonly unlockTime: bigint;
}

/**
 * Checks a request in the recorded order, so that of several faults the first is told
 * (docs/protocol/wallet.md#order-of-checks).
 * @throws WalletError
 */
export async function checkRequest(request: SendRequest, view: SpendView, now: number): Promise<CheckedSend> {
  const { destinations, paymentId: givenId = '', fee = { kind: 'minimum' } } = request;
  const terms = new SendTerms(view.network, view.localHeight, view.networkHeight);
  if (view.isViewWallet) throw failures.viewWallet();
  const data = freeData(request.extra ?? '');
  const fields = freeData(request.extraFields ?? '');
  if (destinations.length === 0) throw failures.noDestinations();
  if (destinations.some(({ amount }) => amount <= 0n)) throw failures.amountIsZero();
  const payees = await payeesOf(destinations.map(({ address }) => address));
  const paymentId = agreedPaymentId(givenId, payees);
  const sources = await sourcesOf(request.sourceAddresses ?? [], view);
  const fees = terms.fees(fee);
  const payments = destinations.map(({ amount }, i): Payment => ({ to: payees[i] as Address, amount }));
  const total = payments.reduce((sum, { amount }) => sum + amount, 0n);
  const cost = total + (fees.fixed ?? 0n);
  if (cost > MAX_UINT64) throw failures.willOverflow();
  if (!unlockedCovers(cost, sources, view.localHeight, now)) throw failures.notEnoughBalance();
  const mixin = checkMixin(request.mixin ?? terms.usualMixin, terms);
  if (paymentId !== '') checkPaymentId(paymentId);
  const change = changeOf(request.changeAddress ?? '', view);
  const unlockTime = checkUnlockTime(request.unlockTime ?? 0n, terms, now);
  if (isShortPaymentId(paymentId) && payments.length > 1) throw failures.shortPaymentIdNeedsOne();
  return { view, terms, fees, payments, total, paymentId, data, fields, sources, change, mixin, unlockTime };
}

/** An address that stands there a hundred times is decoded once. */
async function payeesOf(addresses: readonly string[]): Promise<Address[]> {
  const known = new Map<string, Address>();
  return mapBreathing(addresses, (text) => {
    const address = known.get(text) ?? payee(text);
    known.set(text, address);
    return address;
  });
}

/** Each sub-wallet once, however often its address was given. */
async function sourcesOf(addresses: readonly string[], { subWallets }: SpendView): Promise<readonly SubWallet[]> {
  if (addresses.length === 0) return subWallets;
  const distinct = [...new Set(addresses)];
  await mapBreathing(distinct, plainAddress);
  return distinct.map((address) => ownSubWallet(address, subWallets));
}

function changeOf(address: string, { subWallets }: SpendView): SubWallet {
  if (address !== '') {
    plainAddress(address);
    return ownSubWallet(address, subWallets);
  }
  return primaryOf(subWallets);
}

/** @throws WalletError 54 for a container that has none */
export function primaryOf(subWallets: readonly SubWallet[]): SubWallet {
  const primary = subWallets.find(({ isPrimary }) => isPrimary) ?? subWallets[0];
  if (primary === undefined) throw failures.unknown();
  return primary;
}

function checkMixin(mixin: number | bigint, { mixin: { min, max } }: SendTerms): number {
  if (mixin < min) throw failures.mixinTooSmall(mixin, min);
  if (mixin > max) throw failures.mixinTooBig(mixin, max);
  return Number(mixin);
}

/** The boundary itself counts as a block index. */
function checkUnlockTime(asked: bigint, terms: SendTerms, now: number): bigint {
  const unlockTime = asked === 0n ? terms.defaultUnlockTime : asked;
  const least =
    unlockTime > UNLOCK_TIME_BOUNDARY ? now + LEAST_UNLOCK * DIFFICULTY_TARGET : terms.localHeight + LEAST_UNLOCK;
  if (unlockTime < BigInt(least) || unlockTime > MAX_UINT64) throw failures.unlockTimeTooSmall();
  return unlockTime;
}
