import { type Address, DIFFICULTY_TARGET, fromHex, MAX_UINT64, UNLOCK_TIME_BOUNDARY } from '@wrkz/core-types';
import { mapInSlices } from '@wrkz/service-kit/base';
import { checkAddress, checkPaymentId, checkReceiver, commonPaymentId, isShortPaymentId } from '../keys/addresses';
import type { SubWallet } from '../ledger/model';
import { unlockedCovers } from './coin-selection';
import type { SendRequest, SendContext } from './model';
import type { Payment } from './outputs';
import { type FeeTerms, MIN_UNLOCK_BLOCKS, SendTerms } from './terms';
import { walletError } from '../errors';

/** The settings of a send or of one batch of a sweep, without its payments. */
export interface SendSettings {
  readonly context: SendContext;
  readonly terms: SendTerms;
  readonly fees: FeeTerms;
  /** '' means no payment id. */
  readonly paymentId: string;
  /** Arbitrary data for the nonce field of extra. */
  readonly data: Buffer;
  /** Complete fields of extra. */
  readonly fields: Buffer;
  readonly sources: readonly SubWallet[];
  readonly change: SubWallet;
  readonly unlockTime: bigint;
  /** Requested decoys per ring. */
  readonly mixin: number;
  readonly ringFallback: boolean;
}

/** A request that has passed all checks that need no node. */
export interface CheckedSend extends SendSettings {
  readonly payments: readonly Payment[];
  /** Sum of the payments. */
  readonly total: bigint;
}

/**
 * Checks a request. The checks run in the order of the C++ wallets, which determines which of several errors is thrown
 * (docs/protocol/wallet.md#order-of-checks).
 * @param now Unix seconds
 * @throws WalletError
 */
export async function checkRequest(request: SendRequest, context: SendContext, now: number): Promise<CheckedSend> {
  const { destinations, paymentId: givenId = '', fee = { kind: 'minimum' }, ringFallback = true } = request;
  const terms = termsOf(context);
  const data = parseHex(request.extra ?? '');
  const fields = parseHex(request.extraFields ?? '');
  if (destinations.length === 0) throw walletError.noDestinationsGiven();
  if (destinations.some(({ amount }) => amount <= 0n)) throw walletError.amountIsZero();
  const receivers = await checkReceivers(destinations.map(({ address }) => address));
  const paymentId = commonPaymentId(givenId, receivers);
  const sources = await sourcesOf(request.sourceAddresses ?? [], context);
  const fees = terms.fees(fee);
  const payments = destinations.map(({ amount }, i): Payment => ({ to: receivers[i] as Address, amount }));
  const total = payments.reduce((sum, { amount }) => sum + amount, 0n);
  const cost = total + (fees.fixed ?? 0n);
  if (cost > MAX_UINT64) throw walletError.willOverflow();
  if (!unlockedCovers(cost, sources, context.localHeight, now)) throw walletError.notEnoughBalance();
  const mixin = checkMixin(request.mixin ?? terms.defaultMixin, terms);
  if (paymentId !== '') checkPaymentId(paymentId);
  const change = changeOf(request.changeAddress ?? '', context);
  const unlockTime = checkUnlockTime(request.unlockTime ?? 0n, terms, now);
  if (isShortPaymentId(paymentId) && payments.length > 1) throw walletError.shortPaymentIdNeedsSingleDestination();
  return {
    ...{ context, terms, fees, paymentId, data, fields, sources, change, unlockTime },
    ...{ payments, total, mixin, ringFallback },
  };
}

/** The rules for a new transaction. @throws WalletError illegalViewWalletOperation */
export function termsOf(context: SendContext): SendTerms {
  if (context.isViewWallet) throw walletError.illegalViewWalletOperation();
  return new SendTerms(context.network, context.localHeight, context.networkHeight, context.appliedHeight);
}

/** Decodes each distinct address once. */
async function checkReceivers(addresses: readonly string[]): Promise<Address[]> {
  const known = new Map<string, Address>();
  return mapInSlices(addresses, (text) => {
    const address = known.get(text) ?? checkReceiver(text);
    known.set(text, address);
    return address;
  });
}

/** The distinct sub-wallets of the addresses; all sub-wallets if there are no addresses. */
async function sourcesOf(addresses: readonly string[], { subWallets }: SendContext): Promise<readonly SubWallet[]> {
  if (addresses.length === 0) return subWallets;
  const distinct = [...new Set(addresses)];
  await mapInSlices(distinct, (address) => checkAddress(address, { allowIntegrated: false }));
  return distinct.map((address) => subWalletOf(address, subWallets));
}

function changeOf(address: string, { subWallets }: SendContext): SubWallet {
  if (address === '') return primaryOf(subWallets);
  checkAddress(address, { allowIntegrated: false });
  return subWalletOf(address, subWallets);
}

function subWalletOf(address: string, subWallets: readonly SubWallet[]): SubWallet {
  const subWallet = subWallets.find((candidate) => candidate.address === address);
  if (subWallet === undefined) throw walletError.addressNotInWallet(address);
  return subWallet;
}

/** The primary sub-wallet, or the first one if a container marks no primary. @throws WalletError unknownError if empty */
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

/** Unlock times up to the boundary are heights, above it Unix seconds; 0 is the default unlock height. */
function checkUnlockTime(requested: bigint, terms: SendTerms, now: number): bigint {
  const unlockTime = requested === 0n ? terms.defaultUnlockTime : requested;
  const min =
    unlockTime > UNLOCK_TIME_BOUNDARY
      ? now + MIN_UNLOCK_BLOCKS * DIFFICULTY_TARGET
      : terms.localHeight + MIN_UNLOCK_BLOCKS;
  if (unlockTime < BigInt(min) || unlockTime > MAX_UINT64) throw walletError.unlockTimeTooSmall();
  return unlockTime;
}

/** @throws WalletError invalidExtraData */
function parseHex(hex: string): Buffer {
  const data = fromHex(hex);
  if (data === undefined) throw walletError.invalidExtraData();
  return data;
}
