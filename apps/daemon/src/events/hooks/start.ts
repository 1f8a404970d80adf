import { type Logger, NotificationHooks } from '@wrkz/service-kit';
import type { DaemonConfig } from '../../config/config';
import type { JournalFeed } from '../journal/journal';
import { FirstSync, type SyncStatus } from '../journal/first-sync';
import type { NodeEvent, NodeEvents } from '../node-events';
import { journalHookFeed } from './journal-feed';
import { notificationsOf } from './hook-events';

export interface NodeHooksParts {
  readonly config: DaemonConfig;
  readonly directory: string;
  readonly events: Pick<NodeEvents, 'subscribe'>;
  readonly journal: JournalFeed;
  readonly chain: { tip(): { readonly height: number } };
  readonly peers: SyncStatus;
  readonly logger: Logger;
}

const HOOKS = ['block-notify', 'reorg-notify', 'tx-notify', 'double-spend-notify'] as const;

/**
 * The hooks as the options want them. Live ones follow the commits, and are told nothing while the node catches up unless
 * they ask for it; durable ones read the journal. To be started before anything can change the chain.
 * @throws Error with a message for the operator
 */
export async function startNodeHooks(parts: NodeHooksParts): Promise<NotificationHooks> {
  const { config, directory, events, journal, chain, peers, logger } = parts;
  const { options } = config;
  const durable = options['notify-durable'];
  const hooks = await NotificationHooks.start({
    hooks: HOOKS.map((name) => {
      return { name, values: options[name], feed: durable ? journalHookFeed(journal, name) : undefined };
    }),
    logger: logger.child('notify'),
    directory,
    secretFile: options['notify-secret-file'],
  });
  if (!HOOKS.some((name) => hooks.has(name))) return hooks;
  const readiness = new FirstSync(peers);
  const isTold = (event: NodeEvent): boolean =>
    options['notify-during-sync'] || readiness.isReady(heightOf(event) ?? chain.tip().height);
  events.subscribe((event) => {
    const notifications = notificationsOf(event);
    if (notifications.length === 0 || !isTold(event)) return;
    for (const { hook, event: told } of notifications) hooks.notify(hook, told);
  });
  return hooks;
}

function heightOf(event: NodeEvent): number | undefined {
  if (event.kind === 'block') return event.height;
  return event.kind === 'reorganisation' ? event.rootHeight + event.added.length : undefined;
}
