import {
  NodeFailure,
  type NodeFailureFacts,
  type NodeFailureKind,
  type SyncResponse,
  type SyncBlock,
} from '@wrkz/client/reading';
import { carriedError } from '@wrkz/service-kit/base';

/** What a read response says besides its blocks, which are fetched piece by piece. */
export interface OpenedResponse extends Omit<SyncResponse, 'blocks'> {
  readonly id: number;
}

/** A thread that reads responses. Blocks come out in pieces, so that taking them in never holds up the event loop. */
export type ParserThread = {
  setup: undefined;
  ready: undefined;
  calls: {
    open: { argument: Uint8Array; result: OpenedResponse };
    /** The next blocks; none when all were given, after which the response is forgotten. */
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
