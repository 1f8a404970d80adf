import { type ChainReader, openChainDb, verifyChain } from '@wrkz/chain-db';
import { Checkpoints } from '@wrkz/consensus';
import { type NetworkName, networkOf } from '@wrkz/core-types';
import { ChainEngine } from '../../src/chain/engine';
import { type PruneRules, Pruning } from '../../src/chain/pruning';
import type { ChainCommit, CommitEvent } from '../../src/chain/service';
import { temporaryDirectory } from './temporary';

/** A clock far behind every recorded block, and ahead of every forged one. */
export const NOW = 1_900_000_000;

export interface EngineBench {
  readonly engine: ChainEngine;
  readonly reader: ChainReader;
  readonly directory: string;
  readonly events: CommitEvent[];
  /** The events of the main chain alone. */
  commits(): ChainCommit[];
  /** Stops the engine. @returns the state digest @throws Error when the database has a problem */
  digest(): Promise<string>;
}

/** An engine on this thread, with its own database. */
export function engineBench(
  network: NetworkName,
  options: {
    directory?: string;
    checkpoints?: Checkpoints;
    now?: () => number;
    lite?: number;
    prune?: PruneRules;
    /** Free bytes of the disk, for pruning. */
    freeBytes?: () => number;
  } = {},
): EngineBench {
  const directory = options.directory ?? temporaryDirectory();
  const db = openChainDb({ directory, network, lite: options.lite });
  const engine = new ChainEngine({
    db,
    network: networkOf(network),
    checkpoints: options.checkpoints ?? Checkpoints.none,
    now: options.now ?? ((): number => NOW),
    pruning: options.prune && new Pruning(options.prune, options.freeBytes ?? (() => Infinity)),
  });
  const events: CommitEvent[] = [];
  engine.on('commit', (event) => events.push(event));
  return {
    engine,
    reader: db.reader,
    directory,
    events,
    commits: () => events.filter((event) => event.kind !== 'alternative'),
    digest: async () => {
      await engine.stop();
      return digestOf(directory, network);
    },
  };
}

/** The state digest of a closed database. @throws Error when it has a problem */
export async function digestOf(directory: string, network: NetworkName): Promise<string> {
  const report = await verifyChain({ directory, network });
  if (report.problems.length > 0) throw new Error(report.problems.slice(0, 5).join('\n'));
  if (report.digest === undefined) throw new Error('only a full node has a state digest');
  return report.digest;
}
