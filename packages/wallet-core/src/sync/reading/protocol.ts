import {
  NodeFailure,
  type NodeFailureFacts,
  type NodeFailureKind,
  type SyncAnswer,
  type SyncBlock,
} from '@wrkz/client/reading';
import { carriedError } from '@wrkz/service-kit/base';

/** What a read answer says besides its blocks, which are fetched piece by piece. */
export interface OpenedAnswer extends Omit<SyncAnswer, 'blocks'> {
  readonly id: number;
}

/** A thread that reads answers. Blocks come out in pieces, so that taking them in never holds up the event loop. */
export type ReadingThread = {
  setup: undefined;
  ready: undefined;
  calls: {
    open: { argument: Uint8Array; result: OpenedAnswer };
    /** The next blocks; none when all were given, after which the answer is forgotten. */
    take: { argument: number; result: readonly SyncBlock[] };
  };
  events: Record<never, never>;
};

interface CarriedFailure {
  readonly kind: NodeFailureKind;
  readonly facts: NodeFailureFacts;
}

export const READING_ERRORS = [
  carriedError(
    NodeFailure,
    (message, { kind, facts }: CarriedFailure) => new NodeFailure(kind, message, facts),
    ({ kind, facts }) => ({ kind, facts }),
  ),
];
