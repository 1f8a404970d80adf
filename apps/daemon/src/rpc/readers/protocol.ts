import { CorruptDatabase, type DatabaseMemory } from '@wrkz/chain-db';
import type { NetworkName } from '@wrkz/core-types';
import { carriedError, JsonRpcError } from '@wrkz/service-kit/base';
import { RpcRefusal } from '../errors';
import type { QueryName, QueryTable } from '../queries';

/** Messages between the pool and a reader thread: each query is a call whose result is serialized JSON. */
export type ReaderThread = {
  setup: {
    readonly directory: string;
    readonly network: NetworkName;
    readonly memory?: DatabaseMemory;
    readonly besideOwn?: true;
  };
  ready: undefined;
  calls: { [Name in QueryName]: { argument: QueryTable[Name]; result: Buffer } };
  events: Record<never, never>;
};

type RefusalFacts = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

/** Errors that pass from the thread to the main thread with their class and fields. */
export const READER_ERRORS = [
  carriedError(
    CorruptDatabase,
    (_message, reason: string) => new CorruptDatabase(reason),
    ({ reason }) => reason,
  ),
  carriedError(
    RpcRefusal,
    (_message, { status, body }: RefusalFacts) => new RpcRefusal(status, body),
    ({ status, body }) => ({ status, body: body as RefusalFacts['body'] }),
  ),
  carriedError(
    JsonRpcError,
    (message, { code, status }: { readonly code: number; readonly status: number }) =>
      new JsonRpcError(code, message, status),
    ({ code, status }) => ({ code, status }),
  ),
];
