import type { ChainDb, ChainReader, DatabaseMemory, StorageMode } from '@wrkz/chain-db';
import type { Checkpoints } from '@wrkz/consensus';
import type { Network } from '@wrkz/core-types';
import { LiteWindow } from '../chain/lite-window';
import type { ChainService, CommitEvent } from '../chain/service';
import type { WorkerSetup } from '../chain/thread';
import type { DaemonConfig, DaemonOptions } from '../config/config';
import type { DamageWatch } from '../damage/damage-watch';
import type { P2pEvents, P2pNode } from '../p2p/node';
import { minWritableBytes } from '../upkeep/disk-space';

/** The settings of the chain engine's thread. */
export function engineOptions(
  { network, options, storage }: Pick<DaemonConfig, 'network' | 'options' | 'storage'>,
  directory: string,
): WorkerSetup {
  const room = minWritableBytes(options);
  return {
    directory,
    network: network.name,
    checkpoints: options['load-checkpoints'],
    memory: databaseMemory(options),
    minDiskFreeBytes: room,
    lite: storage.kind === 'lite' ? storage.height : undefined,
    prune:
      storage.kind === 'pruned'
        ? {
            depth: storage.depth,
            minGap: options['auto-prune-min-gap-blocks'],
            minFreeBytes: options['auto-prune-min-free-bytes'],
            minDiskFreeBytes: room,
          }
        : undefined,
  };
}

const MIB = 1024 * 1024;
/** Approximate number of concurrent connections: reader threads, main thread, engine. */
const READERS = 8;

/** Maps the RocksDB options of the C++ programs to SQLite. */
export function databaseMemory(
  options: Pick<DaemonOptions, 'db-read-buffer-size' | 'db-write-buffer-size'>,
): DatabaseMemory {
  const log = options['db-write-buffer-size'] * MIB;
  return { readerCache: (options['db-read-buffer-size'] * MIB) / READERS, walLimit: log, checkpointAt: log / 2 };
}

/** Interval of the check; each commit checks the folder as well. */
const CHECK_INTERVAL_MS = 2_000;

/**
 * Checks periodically that the database file is still in its folder. Otherwise a node whose folder was deleted, or mounted
 * read-only, would serve and mine until it is stopped, and lose everything since.
 *
 * @param onGone called once
 * @returns a function that stops the checks
 */
export function watchStorage(db: Pick<ChainDb, 'checkInPlace'>, onGone: (error: unknown) => void): () => void {
  const timer = setInterval(() => {
    try {
      db.checkInPlace();
    } catch (error) {
      clearInterval(timer);
      onGone(error);
    }
  }, CHECK_INTERVAL_MS);
  return () => clearInterval(timer);
}

export interface LiteRuleDependencies {
  readonly storage: StorageMode;
  readonly network: Network;
  readonly reader: Pick<ChainReader, 'height'>;
  readonly chain: Pick<ChainService, 'on' | 'off'>;
  readonly peers: Pick<P2pNode, 'on' | 'off'>;
  /** Stops the daemon, with this text for the operator. */
  readonly stop: (text: string) => void;
}

/**
 * Stops a lite node whose lite height is too close to the tip of the network. Heights from incoming connections are ignored: an
 * attacker can open them at will, and would stop a new node.
 * @returns a function that ends the check
 */
export function watchLiteRule({ storage, network, reader, chain, peers, stop }: LiteRuleDependencies): () => void {
  if (storage.kind !== 'lite') return () => undefined;
  const rule = new LiteWindow(storage.height, network.liteWindow);
  rule.own(reader.height() + 1);
  if (rule.isSettled) return () => undefined;
  const onCommit = ({ tip }: CommitEvent): void => endIfSettled(() => rule.own(tip.height + 1));
  const onClaim = ({ peer, incoming, height }: P2pEvents['claimed'][0]): void =>
    endIfSettled(() => {
      const text = incoming ? undefined : rule.claim(peer, height);
      if (text !== undefined) stop(text);
    });
  const end = (): void => {
    chain.off('commit', onCommit);
    peers.off('claimed', onClaim);
  };
  const endIfSettled = (update: () => void): void => {
    update();
    if (rule.isSettled) end();
  };
  chain.on('commit', onCommit);
  peers.on('claimed', onClaim);
  return end;
}

/**
 * The transactions of each block of the side branches. Damage is logged, and the block is omitted, as are blocks of the checkpoint
 * zone: see `removedBlock`.
 */
export function* sideTransactions(
  reader: ChainReader,
  checkpoints: Checkpoints,
  damage: DamageWatch,
): Generator<readonly Buffer[]> {
  for (const { facts } of reader.alternatives()) {
    if (checkpoints.covers(facts.height)) continue;
    yield damage.orUndefined(() => reader.alternative(facts.hash))?.raw.transactions ?? [];
  }
}
