/** A message body that is invalid for its command. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
}
