/** Invalid bytes or text. The message names the field and never contains the input. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}
