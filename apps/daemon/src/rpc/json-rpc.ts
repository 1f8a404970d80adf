import type { JsonValue } from '@wrkz/service-kit';
import { JsonRpcError, refusals } from './errors';
import { methods } from './methods';
import { Params } from './params';
import type { RpcContext } from './ports';
import { grants } from './route';

export interface JsonRpcAnswer {
  readonly status: number;
  readonly body: object;
}

/**
 * Answers one JSON-RPC request. `id` is echoed as it came and left out when it was not sent; a batch is not
 * supported and reads as a request without a method.
 * @throws RpcRefusal for what is answered as a plain HTTP refusal: no method (400), an unknown one (404), the mode (403).
 */
export async function answerJsonRpc(context: RpcContext, body: JsonValue): Promise<JsonRpcAnswer> {
  const request = new Params(body);
  const method = methods.get(request.string('method'));
  if (method === undefined || method.availableOn?.(context) === false) throw refusals.notFound();
  if (!grants(method.mode, context.explorer)) throw refusals.forbidden();
  const id = request.raw('id');
  const envelope = (status: number, member: object): JsonRpcAnswer => ({
    status,
    body: { ...member, id, jsonrpc: '2.0' },
  });
  try {
    return envelope(200, { result: await method.handle(context, request) });
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error;
    return envelope(error.status, { error: { code: error.code, message: error.message } });
  }
}
