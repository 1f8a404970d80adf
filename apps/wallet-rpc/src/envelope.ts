import type { IncomingMessage } from 'node:http';
import { walletRpcApi } from '@wrkz/api';
import {
  errorText,
  FinishedJson,
  HttpError,
  type InvalidField,
  JsonRpcError,
  type JsonValue,
  type Logger,
  fieldReader,
  parseUniqueJson,
  rootCause,
  type RouteRequest,
  stringifyJson,
  yieldToEventLoop,
} from '@wrkz/service-kit';
import { isWalletError, storageError } from '@wrkz/wallet-core';
import { z } from 'zod';
import type { WalletRpcContext } from './context';
import type { WalletRpcMethod } from './methods/declare';
import { envelopeError, toJsonRpcError } from './errors';

/** Max requests per batch. Each may be a send. */
const MAX_BATCH_SIZE = 100;

/** Checks the password of a request; '' is a missing one. @returns the error: 401 or 429; undefined if it is admitted */
export type PasswordCheck = (presented: string, request: IncomingMessage) => Promise<HttpError | undefined>;

export interface EnvelopeOptions {
  readonly methods: readonly WalletRpcMethod[];
  readonly judge: PasswordCheck;
  readonly logger: Logger;
}

type Members = Readonly<Record<string, JsonValue>>;
type Call = (params: Members, context: WalletRpcContext, request: RouteRequest) => Promise<unknown>;

/**
 * Executes the requests of `/json_rpc` (docs/operations/wallet-rpc.md#envelope). The checks run in this order: JSON syntax,
 * object, password, method, params.
 */
export class Envelope {
  private readonly calls: ReadonlyMap<string, Call>;

  constructor(private readonly options: EnvelopeOptions) {
    this.calls = new Map(options.methods.map((method) => [method.name, callOf(method)]));
  }

  /**
   * Executes a request or a batch.
   * @param isBatch whether an array is executed as a batch
   * @returns the response as JSON
   * @throws HttpError 429 when too many attempts of the client address are waiting
   */
  async execute(text: string, isBatch: boolean, context: WalletRpcContext, request: RouteRequest): Promise<string> {
    let body: JsonValue;
    try {
      body = parseUniqueJson(text);
    } catch {
      return enveloped({ error: errorObject(envelopeError('parse')), id: null, jsonrpc: '2.0' });
    }
    if (!isBatch || !Array.isArray(body)) return this.one(body, context, request);
    const { length } = body;
    if (length === 0 || length > MAX_BATCH_SIZE) {
      return enveloped({ error: errorObject(envelopeError('noMethod')), id: null, jsonrpc: '2.0' });
    }
    const responses: string[] = [];
    for (const entry of body) {
      responses.push(await this.one(entry, context, request));
      await yieldToEventLoop();
    }
    return `[${responses.join(',')}]`;
  }

  private async one(body: JsonValue, context: WalletRpcContext, request: RouteRequest): Promise<string> {
    if (!isObject(body)) return enveloped({ error: errorObject(envelopeError('notAnObject')) });
    const { id } = body;
    try {
      const result = await this.call(body, context, request);
      if (!(result instanceof FinishedJson)) return enveloped({ id, jsonrpc: '2.0', result });
      const head = enveloped({ id, jsonrpc: '2.0' }).slice(0, -1);
      return `${head},"result":${String(result.text)}}`;
    } catch (error) {
      if (error instanceof HttpError) throw error;
      return enveloped({ error: errorObject(this.refusal(error, body['method'])), id, jsonrpc: '2.0' });
    }
  }

  private async call(body: Members, context: WalletRpcContext, request: RouteRequest): Promise<unknown> {
    await this.authenticate(body['password'], request.http.request);
    const { method, params = {} } = body;
    if (typeof method !== 'string') throw envelopeError('noMethod');
    const call = this.calls.get(method);
    if (call === undefined) throw envelopeError('unknownMethod');
    if (!isObject(params)) throw envelopeError('params');
    return call(params, context, request);
  }

  /** @throws JsonRpcError for a missing or wrong password; HttpError 429 when too many attempts of the address are waiting */
  private async authenticate(given: JsonValue | undefined, request: IncomingMessage): Promise<void> {
    const refused = await this.options.judge(typeof given === 'string' ? given : '', request);
    if (refused !== undefined) throw refused.status === 401 ? envelopeError('password') : refused;
  }

  private refusal(error: unknown, method: JsonValue | undefined): JsonRpcError {
    const { logger } = this.options;
    const name = typeof method === 'string' ? method : 'a request';
    const refused = toJsonRpcError(error);
    if (refused !== undefined) {
      // The response has a general text instead of the reason of SQLite.
      if (isWalletError(storageError(error), 'invalidWalletFilename')) {
        logger.warning(`${name} failed: ${errorText(rootCause(error))}`);
      }
      return refused;
    }
    logger.error(`${name} failed: ${error instanceof Error ? (error.stack ?? '') : ''}`);
    return envelopeError('unexpected', errorText(error));
  }
}

function callOf(method: WalletRpcMethod): Call {
  const params = method.params instanceof z.ZodObject ? method.params : walletRpcApi.noParams;
  const readParams = fieldReader(params, (_member: InvalidField) => envelopeError('params'));
  const lists = Object.entries<z.core.$ZodType>(params.shape).flatMap(([name, schema]) =>
    isList(schema) ? [name] : [],
  );
  return async (sent, context, request) => {
    const read = await readParams(withLists(sent, lists), context);
    return method.handle(context, read as never, request);
  };
}

/** Replaces empty objects with empty lists where a list is expected. */
function withLists(sent: Members, lists: readonly string[]): Members {
  const odd = lists.filter((name) => {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    return isObject(value) && Object.keys(value).length === 0;
  });
  return odd.length === 0 ? sent : { ...sent, ...Object.fromEntries(odd.map((name) => [name, []])) };
}

function isList(schema: z.core.$ZodType): boolean {
  const def = schema._zod.def as { type: string; innerType?: z.core.$ZodType };
  return def.innerType === undefined ? def.type === 'array' : isList(def.innerType);
}

function isObject(value: JsonValue | undefined): value is { [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function errorObject({ code, message, data }: JsonRpcError): object {
  return { code, ...(data === undefined ? {} : { data }), message };
}

const enveloped = (response: object): string => stringifyJson(response);
