import {
  type Address,
  AddressError,
  decodeAddress,
  DIFFICULTY_TARGET,
  fromHex,
  MAX_UINT64,
  SHORT_PAYMENT_ID_LENGTH,
  toHex,
  UNLOCK_TIME_BOUNDARY,
} from '@wrkz/core-types';
import { isPrimeOrder } from '@wrkz/crypto';
import { checkPaymentId } from '../keys/addresses';
import type { SubWallet } from '../ledger/model';
import { unlockedCovers } from './coin-selection';
import type { SendRequest, SendContext } from './model';
import { type FeeTerms, MIN_UNLOCK_BLOCKS, SendTerms } from './terms';
import { mapYielding } from './yielding';
import { addressError, walletError } from '../errors';

/** Somebody who is paid. */
export interface Payment {
  readonly to: Address;
  readonly amount: bigint;
}

/** A request that has passed every check which needs no node. */
export interface CheckedSend {
  readonly view: SendContext;
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
  readonly ringFallback: boolean;
  readonly unlockTime: bigint;
}

/**
 * Checks a request in the recorded order, so that of several faults the first is told
 * (docs/protocol/wallet.md#order-of-checks).
 * @throws WalletError
 */
export async function checkRequest(request: SendRequest, view: SendContext, now: number): Promise<CheckedSend> {
  const { destinations, paymentId: givenId = '', fee = { kind: 'minimum' } } = request;
  const terms = new SendTerms(view.network, view.localHeight, view.networkHeight, view.appliedHeight);
  if (view.isViewWallet) throw walletError.illegalViewWalletOperation();
  const data = freeData(request.extra ?? '');
  const fields = freeData(request.extraFields ?? '');
  if (destinations.length === 0) throw walletError.noDestinationsGiven();
  if (destinations.some(({ amount }) => amount <= 0n)) throw walletError.amountIsZero();
  const payees = await payeesOf(destinations.map(({ address }) => address));
  const paymentId = agreedPaymentId(givenId, payees);
  const sources = await sourcesOf(request.sourceAddresses ?? [], view);
  const fees = terms.fees(fee);
  const payments = destinations.map(({ amount }, i): Payment => ({ to: payees[i] as Address, amount }));
  const total = payments.reduce((sum, { amount }) => sum + amount, 0n);
  const cost = total + (fees.fixed ?? 0n);
  if (cost > MAX_UINT64) throw walletError.willOverflow();
  if (!unlockedCovers(cost, sources, view.localHeight, now)) throw walletError.notEnoughBalance();
  const mixin = checkMixin(request.mixin ?? terms.defaultMixin, terms);
  if (paymentId !== '') checkPaymentId(paymentId);
  const change = changeOf(request.changeAddress ?? '', view);
  const unlockTime = checkUnlockTime(request.unlockTime ?? 0n, terms, now);
  if (isShortPaymentId(paymentId) && payments.length > 1) throw walletError.shortPaymentIdNeedsSingleDestination();
  const { ringFallback = true } = request;
  return {
    view,
    terms,
    fees,
    payments,
    total,
    paymentId,
    data,
    fields,
    sources,
    change,
    mixin,
    ringFallback,
    unlockTime,
  };
}

/** An address that stands there a hundred times is decoded once. */
async function payeesOf(addresses: readonly string[]): Promise<Address[]> {
  const known = new Map<string, Address>();
  return mapYielding(addresses, (text) => {
    const address = known.get(text) ?? payee(text);
    known.set(text, address);
    return address;
  });
}

/** Each sub-wallet once, however often its address was given. */
async function sourcesOf(addresses: readonly string[], { subWallets }: SendContext): Promise<readonly SubWallet[]> {
  if (addresses.length === 0) return subWallets;
  const distinct = [...new Set(addresses)];
  await mapYielding(distinct, plainAddress);
  return distinct.map((address) => ownSubWallet(address, subWallets));
}

function changeOf(address: string, { subWallets }: SendContext): SubWallet {
  if (address !== '') {
    plainAddress(address);
    return ownSubWallet(address, subWallets);
  }
  return primaryOf(subWallets);
}

/** @throws WalletError 54 for a container that has none */
export function primaryOf(subWallets: readonly SubWallet[]): SubWallet {
  const primary = subWallets.find(({ isPrimary }) => isPrimary) ?? subWallets[0];
  if (primary === undefined) throw walletError.unknownError();
  return primary;
}

function checkMixin(mixin: number | bigint, { mixin: { min, max } }: SendTerms): number {
  if (mixin < min) throw walletError.mixinTooSmall(BigInt(mixin), min);
  if (mixin > max) throw walletError.mixinTooBig(BigInt(mixin), max);
  return Number(mixin);
}

/** The boundary itself counts as a block index. */
function checkUnlockTime(asked: bigint, terms: SendTerms, now: number): bigint {
  const unlockTime = asked === 0n ? terms.defaultUnlockTime : asked;
  const least =
    unlockTime > UNLOCK_TIME_BOUNDARY
      ? now + MIN_UNLOCK_BLOCKS * DIFFICULTY_TARGET
      : terms.localHeight + MIN_UNLOCK_BLOCKS;
  if (unlockTime < BigInt(least) || unlockTime > MAX_UINT64) throw walletError.unlockTimeTooSmall();
  return unlockTime;
}

const IDENTITY = Buffer.concat([Buffer.of(1), Buffer.alloc(31)]);

/**
 * An address that is paid, integrated or not. Keys that are points and nobody's (the identity, or outside the group that
 * secrets live in) are refused as well: what is sent there is spent by everybody or by nobody.
 * @throws WalletError 12 to 16
 */
export function payee(text: string): Address {
  const address = decode(text, true);
  if ([address.spendPublic, address.viewPublic].some((key) => key.equals(IDENTITY) || !isPrimeOrder(key))) {
    throw walletError.addressNotValid();
  }
  return address;
}

/** A plain address of some wallet. @throws WalletError 12, 13, 25, 15 */
export function plainAddress(text: string): Address {
  return decode(text, false);
}

/** The sub-wallet of an address. @throws WalletError 10 */
export function ownSubWallet(text: string, subWallets: readonly SubWallet[]): SubWallet {
  const own = subWallets.find(({ address }) => address === text);
  if (own === undefined) throw walletError.addressNotInWallet(text);
  return own;
}

/** Whose an address is, as a key of maps. */
export function spendKeyOf({ spendPublic }: Address): string {
  return toHex(spendPublic);
}

function decode(text: string, allowIntegrated: boolean): Address {
  try {
    return decodeAddress(text, { allowIntegrated });
  } catch (error) {
    if (error instanceof AddressError) throw addressError(error);
    throw error;
  }
}

/**
 * The one payment id of a transaction: the one given and those inside integrated addresses must be the same text.
 * @throws WalletError 26
 */
export function agreedPaymentId(given: string, payees: readonly Address[]): string {
  const named = new Set([given, ...payees.map(({ paymentId }) => paymentId ?? '')]);
  named.delete('');
  if (named.size > 1) throw walletError.conflictingPaymentIds();
  const [only = ''] = named;
  return only;
}

/** Whether an id travels encrypted for the one receiver. */
export function isShortPaymentId(id: string): boolean {
  return id.length === SHORT_PAYMENT_ID_LENGTH;
}

/** The bytes of free data given as hex. @throws WalletError 53 */
export function freeData(hex: string): Buffer {
  const data = fromHex(hex);
  if (data === undefined) throw walletError.invalidExtraData();
  return data;
}
