import { type DelayedTransaction, type FinishedSend, sealSend, unsealSend } from '@wrkz/wallet-core';

/** A finished transaction as its row keeps it: sealed, since there are secrets in it. */
export function delayedText(send: FinishedSend, privateViewKey: string): string {
  return sealSend(send, privateViewKey).toString('base64');
}

/** The finished transaction of a row. @throws Error when another wallet has sealed it */
export function finishedSend({ intent }: Pick<DelayedTransaction, 'intent'>, privateViewKey: string): FinishedSend {
  return unsealSend(Buffer.from(intent, 'base64'), privateViewKey);
}
