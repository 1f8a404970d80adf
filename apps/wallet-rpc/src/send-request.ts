import type { walletRpcApi } from '@wrkz/api';
import { fromHex, MAX_UINT64, parseTransaction } from '@wrkz/core-types';
import type { FeeChoice, SignedSend, SendRequest, SentOutput, SubWallet, StoredDetails } from '@wrkz/wallet-core';
import type { z } from 'zod';
import { sumsOf } from './blocks';
import { checkedAddresses } from './checks';
import type { WalletRpcContext } from './context';
import { applicationError, envelopeError, type WalletRpcErrorName } from './errors';

type SendParams = z.output<typeof walletRpcApi.sendParams>;

/** Atomic units. Amounts from this value on exceed the total supply. */
const AMOUNT_LIMIT = 2n ** 63n - 1n;
/** Bytes. Nodes reject an extra of this size. EXTRA_FRAME is the part for the transaction key and the proof of work. */
const EXTRA_LIMIT = 1_024;
const EXTRA_FRAME = 42;

/** Errors of sendTransaction and createDelayedTransaction. */
export const SERVICE_SEND_ERRORS = [
  'badAddress',
  'wrongPaymentId',
  'conflictingPaymentIds',
  'mixinTooSmall',
  'mixinTooBig',
  'badPaymentId',
  'trackingMode',
  'nothingToSend',
  'feeTooSmall',
  'changeAddressRequired',
  'changeAddressNotFound',
  'wrongAmount',
  'sumOverflow',
  'extraTooLarge',
  'tooFewDecoys',
  'nodeAway',
  'tooLarge',
  'tooManyOutputs',
  'nodeRefused',
  'idempotencyKeyReused',
  'refusedTransactionUnresolved',
  'sendsPaused',
  'notSynchronized',
  'implausibleNodeHeight',
  'walletDatabaseDamaged',
] as const satisfies readonly WalletRpcErrorName[];

/**
 * Converts params into a request to the wallet. The checks run in the order of the C++ program.
 * @param badExtra error for an extra that is not hex
 * @throws JsonRpcError, WalletError
 */
export async function checkedRequest(
  { wallet, network }: Pick<WalletRpcContext, 'wallet' | 'network'>,
  params: SendParams,
  badExtra: WalletRpcErrorName,
): Promise<SendRequest> {
  const { transfers, addresses, changeAddress, anonymity, extra, unlockTime } = params;
  if (extra !== undefined && params.paymentId !== undefined) throw envelopeError('params');
  const payees = await checkedAddresses(
    transfers.map(({ address }) => address),
    true,
  );
  const paymentId = onePaymentId(
    params.paymentId ?? '',
    payees.map((payee) => payee.paymentId ?? ''),
  );
  await checkedAddresses([...addresses, ...(changeAddress === '' ? [] : [changeAddress])], false);
  const { localHeight, networkHeight } = wallet.syncStatus;
  const { mixin } = network.rulesAt(localHeight);
  if (anonymity !== undefined && anonymity < mixin.min) throw applicationError('mixinTooSmall');
  if (anonymity !== undefined && anonymity > mixin.max) throw applicationError('mixinTooBig');
  if (!/^(?:[0-9a-f]{16}|[0-9a-f]{64})?$/.test(paymentId)) throw applicationError('badPaymentId');
  const fields = fromHex(extra ?? '');
  if (fields === undefined) throw applicationError(badExtra);
  const { snapshot } = wallet;
  if (snapshot.content.isViewWallet) throw applicationError('trackingMode');
  if (transfers.length === 0) throw applicationError('nothingToSend');
  const { feeRule } = network.rulesAt(networkHeight);
  if (params.fee !== undefined && params.fee < feeRule.amount) throw applicationError('feeTooSmall');
  const sources = sourcesOf(snapshot.subWallets, addresses);
  const change = changeOf(snapshot.subWallets, sources, changeAddress);
  checkAmounts(transfers.map(({ amount }) => amount));
  const total = transfers.reduce((sum, { amount }) => sum + amount, params.fee ?? 0n);
  if (snapshot.balance(sources.map(({ publicSpendKey }) => publicSpendKey)).unlocked < total) {
    throw applicationError('wrongAmount');
  }
  if (fields.length + EXTRA_FRAME >= EXTRA_LIMIT) throw applicationError('extraTooLarge');
  return {
    destinations: transfers.map(({ amount }, i) => ({ address: payees[i]?.plain ?? '', amount })),
    fee: feeOf(params),
    mixin: anonymity,
    paymentId,
    sourceAddresses: sources.map(({ address }) => address),
    changeAddress: change.address,
    unlockTime,
    extraFields: fields.toString('hex'),
  };
}

/** The details of a send that are not stored in the container. */
export function detailsOfSend(
  { bytes, pending, mixin }: SignedSend,
  { destinations, changeAddress }: SendRequest,
  subWallets: readonly SubWallet[],
): StoredDetails {
  const parsed = parseTransaction(bytes);
  const addresses = new Map(subWallets.map(({ publicSpendKey, address }) => [publicSpendKey, address]));
  const sums = new Map<string, bigint>();
  for (const { output, publicSpendKey } of pending.inputs) {
    sums.set(publicSpendKey, (sums.get(publicSpendKey) ?? 0n) + output.amount);
  }
  const details = sumsOf(parsed);
  const paid = destinations.reduce((sum, { amount }) => sum + amount, 0n);
  const change = details.outputs - paid;
  const sent: SentOutput[] = [
    ...destinations.map(({ address, amount }) => ({ address, amount, isChange: false })),
    ...(change > 0n ? [{ address: changeAddress ?? '', amount: change, isChange: true }] : []),
    ...Array.from(sums, ([key, amount]) => ({ address: addresses.get(key) ?? '', amount: -amount, isChange: false })),
  ];
  return { ...details, sent, mixin, unlockTime: parsed.transaction.unlockTime };
}

/** The payment id in lower case, from params or integrated addresses. @throws conflictingPaymentIds */
function onePaymentId(given: string, named: readonly string[]): string {
  const ids = new Set([given, ...named].map((id) => id.toLowerCase()));
  ids.delete('');
  if (ids.size > 1) throw applicationError('conflictingPaymentIds');
  const [id = ''] = ids;
  return id;
}

/** The sub-wallets of the addresses; all if the list is empty. @throws badAddress */
function sourcesOf(subWallets: readonly SubWallet[], addresses: readonly string[]): readonly SubWallet[] {
  if (addresses.length === 0) return subWallets;
  const byAddress = new Map(subWallets.map((subWallet) => [subWallet.address, subWallet]));
  return [...new Set(addresses)].map((address) => {
    const source = byAddress.get(address);
    if (source === undefined) throw applicationError('badAddress');
    return source;
  });
}

function changeOf(subWallets: readonly SubWallet[], sources: readonly SubWallet[], address: string): SubWallet {
  if (address !== '') {
    const change = subWallets.find((subWallet) => subWallet.address === address);
    if (change === undefined) throw applicationError('changeAddressNotFound');
    return change;
  }
  const [only, second] = sources;
  if (second !== undefined) throw applicationError('changeAddressRequired');
  if (only === undefined) throw applicationError('wrongAmount');
  return only;
}

function checkAmounts(amounts: readonly bigint[]): void {
  if (amounts.some((amount) => amount >= AMOUNT_LIMIT)) throw applicationError('wrongAmount');
  if (amounts.some((amount) => amount === 0n)) throw applicationError('nothingToSend');
  if (amounts.reduce((sum, amount) => sum + amount, 0n) > MAX_UINT64) throw applicationError('sumOverflow');
}

/** A fixed fee overrides a rate. */
function feeOf({ fee, feePerByte }: SendParams): FeeChoice {
  if (fee !== undefined) return { kind: 'fixed', amount: fee };
  return feePerByte === undefined ? { kind: 'minimum' } : { kind: 'perByte', rate: feePerByte };
}
