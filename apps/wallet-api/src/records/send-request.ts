import type { walletApi } from '@wrkz/api';
import type { FeeChoice, SendRequest, SweepRequest } from '@wrkz/wallet-core';
import type { z } from 'zod';

type BasicBody = z.output<typeof walletApi.basicBody>;
type AdvancedBody = z.output<typeof walletApi.advancedBody>;
type SweepBody = Omit<z.output<typeof walletApi.sweepBody>, 'amount'> & { readonly amount?: bigint | undefined };

export function basicRequest({ destination, amount, paymentID }: BasicBody): SendRequest {
  return { destinations: [{ address: destination, amount }], paymentId: paymentID };
}

export function advancedRequest(body: AdvancedBody): SendRequest {
  const { destinations, mixin, sourceAddresses, paymentID, changeAddress, unlockTime, extra } = body;
  return {
    destinations,
    fee: feeOf(body),
    mixin,
    paymentId: paymentID,
    sourceAddresses,
    changeAddress,
    unlockTime,
    extra,
  };
}

export function sweepRequest({ destination, amount, paymentID }: SweepBody): SweepRequest {
  return { destination, amount, paymentId: paymentID };
}

/** A fixed fee goes before a rate. */
function feeOf({ fee, feePerByte }: AdvancedBody): FeeChoice {
  if (fee !== undefined) return { kind: 'fixed', amount: fee };
  return feePerByte === undefined ? { kind: 'minimum' } : { kind: 'perByte', rate: feePerByte };
}
