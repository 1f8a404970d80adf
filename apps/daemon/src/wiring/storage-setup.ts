import type { DaemonConfig } from '../config/config';
import type { WorkerSetup } from '../chain/thread';
import { minWritableBytes } from '../upkeep/disk-space';
import { databaseMemory } from './database-memory';

/** What the engine's thread is told, from the options. */
export function engineSetup(
  { network, options, storage }: Pick<DaemonConfig, 'network' | 'options' | 'storage'>,
  directory: string,
): WorkerSetup {
  const room = minWritableBytes(options);
  return {
    directory,
    network: network.name,
    checkpoints: options['load-checkpoints'],
    memory: databaseMemory(options),
    leastRoom: room,
    lite: storage.kind === 'lite' ? storage.height : undefined,
    prune:
      storage.kind === 'pruned'
        ? {
            depth: storage.depth,
            minGap: options['auto-prune-min-gap-blocks'],
            minFreeBytes: options['auto-prune-min-free-bytes'],
            leastRoom: room,
          }
        : undefined,
  };
}
