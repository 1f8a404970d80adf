/** Short payment ids are sent encrypted, long ones plain. */
export const SHORT_PAYMENT_ID_LENGTH = 16;
export const LONG_PAYMENT_ID_LENGTH = 64;

/** Whether a text is a payment id: 16 or 64 hex characters in either case. */
export function isPaymentId(text: string): boolean {
  return /^(?:[0-9a-fA-F]{16}|[0-9a-fA-F]{64})$/.test(text);
}
