/** Lower-case hex of some bytes. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/**
 * The bytes of a hex text in either case; undefined when it holds anything else, has an odd length, or is not of
 * `size` bytes where that is given. (`Buffer.from` alone cuts the text at an odd character, or takes a wide one for a
 * digit.)
 */
export function fromHex(text: string, size?: number): Buffer | undefined {
  if (size === undefined ? text.length % 2 !== 0 : text.length !== size * 2) return undefined;
  return /^[0-9a-fA-F]*$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** Whether a text is 64 hex characters: a hash or a key. */
export function isHash64(text: string): boolean {
  return /^[0-9a-fA-F]{64}$/.test(text);
}
