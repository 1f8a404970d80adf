import { toHex } from '@wrkz/core-types';
import type { DoubleSpendEvent, EventBlock, NodeEvent, NodeEvents, RefusedBranchEvent } from './node-events';

/** The topics of ZMQ and WebSocket messages (docs/operations/notifications.md#topics), in the order of the documentation. */
export const TOPICS = [
  'hashblock',
  'chain_main',
  'hashblock_alt',
  'chainswitch',
  'txpool_add',
  'txpool_del',
  'double_spend',
  'refused_branch',
] as const;

export type Topic = (typeof TOPICS)[number];

export interface TopicMessage {
  readonly topic: Topic;
  /** Compact JSON whose keys have a fixed order. */
  readonly body: string;
}

const blockBody = ({ height, hash }: Pick<EventBlock, 'height' | 'hash'>): string =>
  JSON.stringify({ height, hash: toHex(hash) });

/** Body of `double_spend`, also in the journal. */
export function doubleSpendBody({ pooled, refused, keyImage }: DoubleSpendEvent): Record<string, string> {
  return { pooled_hash: toHex(pooled), refused_hash: toHex(refused), key_image: toHex(keyImage) };
}

/** Body of `refused_branch`, also in the journal. */
export function refusedBranchBody({ fork, height, hash }: RefusedBranchEvent): Record<string, string | number> {
  return { height, hash: toHex(hash), common_root_height: fork };
}

/**
 * The messages of an event. A reorganisation has one message and none for its blocks.
 * @param liteHeight blocks below it have no `chain_main` message, because a lite node does not store their transactions
 */
export function topicMessages(event: NodeEvent, liteHeight = 0): TopicMessage[] {
  switch (event.kind) {
    case 'block': {
      const { height, hash, transactionHashes } = event;
      const hashBlock = { topic: 'hashblock', body: blockBody(event) } as const;
      if (height < liteHeight) return [hashBlock];
      const main = { height, hash: toHex(hash), transaction_hashes: transactionHashes.map(toHex) };
      return [hashBlock, { topic: 'chain_main', body: JSON.stringify(main) }];
    }
    case 'alternative':
      return [{ topic: 'hashblock_alt', body: blockBody(event) }];
    case 'reorganisation': {
      const hashes = [event.rootHash, ...event.added.map(({ hash }) => hash)].map(toHex);
      return [{ topic: 'chainswitch', body: JSON.stringify({ common_root_height: event.rootHeight, hashes }) }];
    }
    case 'pool-added':
      return [{ topic: 'txpool_add', body: JSON.stringify({ hashes: [toHex(event.hash)] }) }];
    case 'damage':
      return [];
    case 'double-spend':
      return [{ topic: 'double_spend', body: JSON.stringify(doubleSpendBody(event)) }];
    case 'refused-branch':
      return [{ topic: 'refused_branch', body: JSON.stringify(refusedBranchBody(event)) }];
    case 'pool-removed': {
      const { hashes, reason } = event;
      return [{ topic: 'txpool_del', body: JSON.stringify({ hashes: hashes.map(toHex), reason }) }];
    }
  }
}

/** Calls the listener with the messages of each event, in their order. @returns ends the subscription */
export type TopicStream = (listener: (message: TopicMessage) => void) => () => void;

/** @param liteHeight see {@link topicMessages} */
export function topicStream(events: Pick<NodeEvents, 'subscribe'>, liteHeight: number | undefined): TopicStream {
  return (listener) => events.subscribe((event) => topicMessages(event, liteHeight).forEach(listener));
}
