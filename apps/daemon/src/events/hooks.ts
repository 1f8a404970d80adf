import { type EventFeed, FeedGap, type HookEvent, type Logger, NotificationHooks } from '@wrkz/service-kit';
import type { DaemonConfig } from '../config/config';
import { InitialSync, type SyncStatus } from './initial-sync';
import { EntriesGone, JOURNAL_TOPICS, type JournalEntry } from './journal/entry';
import type { EventJournal } from './journal/event-journal';
import type { NodeEvent, NodeEvents } from './node-events';
import { doubleSpendBody } from './topics';

/** Names of the hook options. */
const HOOKS = ['block-notify', 'reorg-notify', 'tx-notify', 'double-spend-notify'] as const;

export type NodeHook = (typeof HOOKS)[number];

export interface Notification {
  readonly hook: NodeHook;
  readonly event: HookEvent;
}

export interface NodeHooksDependencies {
  readonly config: DaemonConfig;
  readonly directory: string;
  readonly events: Pick<NodeEvents, 'subscribe'>;
  readonly journal: Pick<EventJournal, 'latest' | 'after' | 'onEntry'>;
  readonly chain: { tip(): { readonly height: number } };
  readonly peers: SyncStatus;
  readonly logger: Logger;
}

/**
 * Starts the hooks before anything can change the chain. Durable hooks read the journal. The others follow the events, without
 * those of the initial synchronization unless the options request them.
 * @throws Error with a message for the operator
 */
export async function startNodeHooks(dependencies: NodeHooksDependencies): Promise<NotificationHooks> {
  const { config, directory, events, journal, chain, peers, logger } = dependencies;
  const { options } = config;
  const hooks = await NotificationHooks.start({
    hooks: HOOKS.map((name) => {
      const feed = options['notify-durable'] ? journalHookFeed(journal, name) : undefined;
      return { name, values: options[name], feed };
    }),
    logger: logger.child('notify'),
    directory,
    secretFile: options['notify-secret-file'],
  });
  if (!HOOKS.some((name) => hooks.has(name))) return hooks;
  const initialSync = new InitialSync(peers);
  const isReady = (event: NodeEvent): boolean =>
    options['notify-during-sync'] || initialSync.isOver(heightOf(event) ?? chain.tip().height);
  events.subscribe((event) => {
    const notifications = notificationsOf(event);
    if (notifications.length === 0 || !isReady(event)) return;
    for (const notification of notifications) hooks.notify(notification.hook, notification.event);
  });
  return hooks;
}

function heightOf(event: NodeEvent): number | undefined {
  if (event.kind === 'block') return event.height;
  return event.kind === 'reorganisation' ? event.rootHeight + event.added.length : undefined;
}

/** The journal as the feed of a durable hook. It reads all topics, so that the hook's position never skips unread entries. */
export function journalHookFeed(journal: NodeHooksDependencies['journal'], hook: NodeHook): EventFeed {
  return {
    latest: () => journal.latest(),
    onEntry: (listener) => journal.onEntry(listener),
    after(number, limit) {
      try {
        return journal.after(number, JOURNAL_TOPICS, limit).map((entry) => {
          const notification = notificationOfEntry(entry);
          return { number: entry.number, event: notification?.hook === hook ? notification.event : undefined };
        });
      } catch (error) {
        throw error instanceof EntriesGone ? new FeedGap(error.keptAfter) : error;
      }
    },
  };
}

/** The notifications of an event: for a reorganisation one, followed by one for each new block. */
export function notificationsOf(event: NodeEvent): Notification[] {
  switch (event.kind) {
    case 'block':
      return [blockNotification(event.height, event.hash.toString('hex'))];
    case 'reorganisation': {
      const { rootHeight, added, removed } = event;
      const heights = { split: rootHeight + 1, top: rootHeight + added.length };
      return [
        reorganisationNotification({ ...heights, added: added.length, discarded: removed.length }),
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

/** The notification of a journal entry. Each block of a reorganisation has a separate entry. */
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

function blockNotification(height: number, hash: string): Notification {
  const event = { event: 'block', placeholders: { s: hash, h: String(height) }, fields: { height, hash } };
  return { hook: 'block-notify', event };
}

interface Reorganisation {
  /** The height of the first replaced block. */
  readonly split: number;
  /** The height of the new tip. */
  readonly top: number;
  readonly added: number;
  readonly discarded: number;
}

function reorganisationNotification({ split, top, added, discarded }: Reorganisation): Notification {
  const placeholders = { s: String(split), h: String(top), n: String(added), d: String(discarded) };
  const fields = { split_height: split, new_height: top, new_blocks: added, discarded_blocks: discarded };
  return { hook: 'reorg-notify', event: { event: 'reorg', placeholders, fields } };
}

function transactionNotification(hash: string): Notification {
  return { hook: 'tx-notify', event: { event: 'tx', placeholders: { s: hash }, fields: { hash } } };
}

/** @param body of the journal entry */
function doubleSpendNotification(body: JournalEntry['body']): Notification {
  const [pooled = '', refused = '', keyImage = ''] = ['pooled_hash', 'refused_hash', 'key_image'].map((name) =>
    String(body[name]),
  );
  const placeholders = { s: pooled, r: refused, k: keyImage };
  const fields = { pooled_hash: pooled, refused_hash: refused, key_image: keyImage };
  return { hook: 'double-spend-notify', event: { event: 'double-spend', placeholders, fields } };
}
