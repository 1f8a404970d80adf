/** A JSON-RPC error on its way into the envelope. HTTP status 200 unless the service says otherwise. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly status = 200,
    /** The member `data` of the error object, where the service has one. */
    readonly data?: unknown,
  ) {
    super(message);
  }
}
