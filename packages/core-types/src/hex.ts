/** The bytes as lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/**
 * The bytes of a hex text in either case; undefined for other characters, an odd length, or another number of
 * bytes than `size`. (`Buffer.from` stops at an invalid character, and accepts some wide characters.)
 */
export function fromHex(text: string, size?: number): Buffer | undefined {
  if (size === undefined ? text.length % 2 !== 0 : text.length !== size * 2) return undefined;
  return /^[0-9a-fA-F]*$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** Whether a text is 64 hex characters: a hash or a key. */
export function isHash64(text: string): boolean {
  return /^[0-9a-fA-F]{64}$/.test(text);
}
