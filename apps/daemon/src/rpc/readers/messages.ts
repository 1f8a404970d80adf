import type { NetworkName } from '@wrkz/core-types';
import type { QueryName, QueryTable } from '../queries';

/** What a reader thread is started with. */
export interface ReaderThreadData {
  readonly directory: string;
  readonly network: NetworkName;
}

export interface ReaderRequest {
  readonly id: number;
  readonly name: QueryName;
  readonly query: QueryTable[QueryName];
}

/** A finished body, a refusal with its status and body, or a failure that is ours. */
export type ReaderReply =
  | { readonly id: number; readonly body: string }
  | { readonly id: number; readonly refusal: { status: number; body: Readonly<Record<string, unknown>> } }
  | { readonly id: number; readonly failure: string };
