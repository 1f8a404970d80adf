import type { Logger } from '@wrkz/service-kit';
import type { DaemonConfig } from '../../config/config';
import { EventJournal, type EventJournalParts } from './event-journal';
import { FirstSync, type SyncStatus } from './first-sync';

export interface JournalParts extends Pick<EventJournalParts, 'directory' | 'events' | 'chain' | 'pool'> {
  readonly config: DaemonConfig;
  readonly peers: SyncStatus;
  readonly logger: Logger;
}

/** The journal as the options want it. To be started before anything can change the chain, and closed before the chain is. */
export function startJournal({ config, peers, ...parts }: JournalParts): Promise<EventJournal> {
  const firstSync = new FirstSync(peers);
  return EventJournal.start({
    ...parts,
    network: config.network.name,
    isReady: (height) => firstSync.isReady(height),
    duringSync: config.options['events-during-sync'],
    keepDays: config.options['events-keep'],
  });
}
