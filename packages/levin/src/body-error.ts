/** A message body that cannot be what its command says. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
}
