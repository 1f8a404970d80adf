import {
  NodeFailure,
  type NodeFailureFacts,
  type NodeFailureKind,
  type SyncResponse,
  type SyncBlock,
} from '@wrkz/client/reading';
import { carriedError } from '@wrkz/service-kit/base';

/** A parsed response without its blocks, which are fetched in pieces. */
interface OpenedResponse extends Omit<SyncResponse, 'blocks'> {
  readonly id: number;
}

/** A worker thread that parses responses. Blocks are returned in pieces, so that deserialization does not block the event loop. */
export type ParserThread = {
  setup: undefined;
  ready: undefined;
  calls: {
    open: { argument: Uint8Array; result: OpenedResponse };
    /** The next blocks; empty after the last one, which ends the response. */
    take: { argument: number; result: readonly SyncBlock[] };
  };
  events: Record<never, never>;
};

interface CarriedFailure {
  readonly kind: NodeFailureKind;
  readonly facts: NodeFailureFacts;
}

export const PARSER_ERRORS = [
  carriedError(
    NodeFailure,
    (message, { kind, facts }: CarriedFailure) => new NodeFailure(kind, message, facts),
    ({ kind, facts }) => ({ kind, facts }),
  ),
];
