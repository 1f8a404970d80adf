import type { walletApi } from '@wrkz/api';
import type { FinishedSend } from '@wrkz/wallet-core';
import type { z } from 'zod';

type SendAnswer = z.output<typeof walletApi.builtAnswer>;

/** The answer to a send or a preparation. */
export function sendRecord({ hash, fee, mixin, defaultMixin }: FinishedSend, relayedToNetwork: boolean): SendAnswer {
  return { defaultMixin, fee, mixin, relayedToNetwork, transactionHash: hash };
}

/** The answer to a send that a kill came into. */
export function recoveredSend([first]: readonly FinishedSend[]): SendAnswer {
  if (first === undefined) throw new RangeError('there is no transaction to tell of');
  return sendRecord(first, true);
}
