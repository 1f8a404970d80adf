/** Why some bytes or text cannot be what they should be; the message names the field and never holds the input. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}
