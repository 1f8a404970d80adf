import type { HookEvent } from '@wrkz/service-kit';
import type { JournalEntry } from '../journal/journal';
import type { NodeEvent } from '../node-events';
import { doubleSpendBody } from '../topics';

/** The daemon's hooks, by their options. */
export type NodeHook = 'block-notify' | 'reorg-notify' | 'tx-notify' | 'double-spend-notify';

/** An event and the hook that tells of it. */
export interface Notification {
  readonly hook: NodeHook;
  readonly event: HookEvent;
}

function blockNotification(height: number, hash: string): Notification {
  const event = { event: 'block', placeholders: { s: hash, h: String(height) }, fields: { height, hash } };
  return { hook: 'block-notify', event };
}

interface Replacement {
  /** Height of the first block that was replaced. */
  readonly split: number;
  /** Height of the new top. */
  readonly top: number;
  readonly added: number;
  readonly discarded: number;
}

function reorganisationNotification({ split, top, added, discarded }: Replacement): Notification {
  const placeholders = { s: String(split), h: String(top), n: String(added), d: String(discarded) };
  const fields = { split_height: split, new_height: top, new_blocks: added, discarded_blocks: discarded };
  return { hook: 'reorg-notify', event: { event: 'reorg', placeholders, fields } };
}

function transactionNotification(hash: string): Notification {
  return { hook: 'tx-notify', event: { event: 'tx', placeholders: { s: hash }, fields: { hash } } };
}

/** @param body as in the journal */
function doubleSpendNotification(body: JournalEntry['body']): Notification {
  const [pooled, refused, keyImage] = ['pooled_hash', 'refused_hash', 'key_image'].map((name) => String(body[name]));
  const placeholders = { s: pooled ?? '', r: refused ?? '', k: keyImage ?? '' };
  const fields = { pooled_hash: placeholders.s, refused_hash: placeholders.r, key_image: placeholders.k };
  return { hook: 'double-spend-notify', event: { event: 'double-spend', placeholders, fields } };
}

/** What hooks are told of an event: of a reorganisation first, then of each block it brings. */
export function notificationsOf(event: NodeEvent): Notification[] {
  switch (event.kind) {
    case 'block':
      return [blockNotification(event.height, event.hash.toString('hex'))];
    case 'reorganisation': {
      const { rootHeight, added, removed } = event;
      const replaced = { split: rootHeight + 1, top: rootHeight + added.length };
      return [
        reorganisationNotification({ ...replaced, added: added.length, discarded: removed.length }),
        ...added.map(({ height, hash }) => blockNotification(height, hash.toString('hex'))),
      ];
    }
    case 'pool-added':
      return [transactionNotification(event.hash.toString('hex'))];
    case 'double-spend':
      return [doubleSpendNotification(doubleSpendBody(event))];
    case 'alternative':
    case 'damage':
    case 'pool-removed':
    case 'refused-branch':
      return [];
  }
}

/** The same, read from an entry of the journal, where each block of a reorganisation has an entry of its own. */
export function notificationOfEntry({ topic, body }: JournalEntry): Notification | undefined {
  switch (topic) {
    case 'block':
      return blockNotification(Number(body['height']), String(body['hash']));
    case 'reorganisation':
      return reorganisationNotification({
        split: Number(body['split_height']),
        top: Number(body['new_height']),
        added: Number(body['new_blocks']),
        discarded: Number(body['discarded_blocks']),
      });
    case 'tx':
      return transactionNotification(String(body['hash']));
    case 'double-spend':
      return doubleSpendNotification(body);
    case 'alternative':
    case 'damage':
    case 'pool-removed':
    case 'refused-branch':
      return undefined;
  }
}
