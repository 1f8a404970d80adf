import { type EventFeed, FeedGap, type HookEvent, type Logger, NotificationHooks } from '@wrkz/service-kit';
import type { DaemonConfig } from '../config/config';
import { InitialSync, type SyncStatus } from './initial-sync';
import {
  blockEntry,
  EntriesGone,
  type EntryContent,
  JOURNAL_TOPICS,
  type JournalEntry,
  reorganisationEntry,
  reportEntry,
  transactionEntry,
} from './journal/entry';
import type { EventJournal } from './journal/event-journal';
import type { NodeEvent, NodeEvents } from './node-events';

/** The hooks by option: topic of their journal entries, name of the event, and its fields with their placeholders. */
const HOOKS = [
  { name: 'block-notify', topic: 'block', event: 'block', fields: { height: 'h', hash: 's' } },
  {
    name: 'reorg-notify',
    topic: 'reorganisation',
    event: 'reorg',
    fields: { split_height: 's', new_height: 'h', new_blocks: 'n', discarded_blocks: 'd' },
  },
  { name: 'tx-notify', topic: 'tx', event: 'tx', fields: { hash: 's' } },
  {
    name: 'double-spend-notify',
    topic: 'double-spend',
    event: 'double-spend',
    fields: { pooled_hash: 's', refused_hash: 'r', key_image: 'k' },
  },
] as const;

export type NodeHook = (typeof HOOKS)[number]['name'];

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
    hooks: HOOKS.map(({ name }) => {
      const feed = options['notify-durable'] ? journalHookFeed(journal, name) : undefined;
      return { name, values: options[name], feed };
    }),
    logger: logger.child('notify'),
    directory,
    secretFile: options['notify-secret-file'],
  });
  if (!HOOKS.some(({ name }) => hooks.has(name))) return hooks;
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
  return entriesOf(event).flatMap(([topic, body]) => notificationOfEntry({ topic, body }) ?? []);
}

/** The journal entries from which the notifications of an event are made. */
function entriesOf(event: NodeEvent): EntryContent[] {
  switch (event.kind) {
    case 'block':
      return [blockEntry(event, false)];
    case 'reorganisation':
      return [reorganisationEntry(event), ...event.added.map((block) => blockEntry(block, true))];
    case 'pool-added':
      return [transactionEntry(event.hash)];
    case 'pool-removed':
      return [];
    default:
      return [reportEntry(event)];
  }
}

/** The notification of a journal entry. Each block of a reorganisation has a separate entry. */
export function notificationOfEntry({ topic, body }: Pick<JournalEntry, 'topic' | 'body'>): Notification | undefined {
  const row = HOOKS.find((hook) => hook.topic === topic);
  if (row === undefined) return undefined;
  const names = Object.entries(row.fields);
  return {
    hook: row.name,
    event: {
      event: row.event,
      placeholders: Object.fromEntries(names.map(([name, letter]) => [letter, String(body[name])])),
      fields: Object.fromEntries(names.map(([name]) => [name, body[name]])) as HookEvent['fields'],
    },
  };
}
