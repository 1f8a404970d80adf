import { CorruptDatabase, type DatabaseMemory } from '@wrkz/chain-db';
import type { NetworkName } from '@wrkz/core-types';
import { carriedError } from '@wrkz/service-kit/base';
import { JsonRpcError } from '@wrkz/service-kit/base';
import { RpcRefusal } from '../errors';
import type { QueryName, QueryTable } from '../queries';

/** What a reader thread and its pool say to each other: every query is a call that answers finished JSON. */
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

/** A refusal arrives with the status and body it was thrown with, damage as damage. */
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
