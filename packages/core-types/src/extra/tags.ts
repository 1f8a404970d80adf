/** The first byte of a field of extra. */
export const ExtraTag = {
  padding: 0x00,
  publicKey: 0x01,
  nonce: 0x02,
  mergeMining: 0x03,
  powNonce: 0x04,
} as const;

/** The first byte of a field inside a nonce. */
export const NonceTag = {
  paymentId: 0x00,
  encryptedPaymentId: 0x03,
  data: 0x7f,
} as const;

/** Max zero bytes of a padding, its tag included. */
export const MAX_PADDING = 255;

/** Bytes of the nonce that the transaction proof of work searches. */
export const POW_NONCE_SIZE = 8;
