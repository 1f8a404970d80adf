import type { NetworkName } from '@wrkz/core-types';
import { takeWriteLock } from '@wrkz/sqlite';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile } from '../connection';
import { damageIn } from '../damage';
import { ChainDbError, CorruptDatabase, DatabaseMissing } from '../errors';
import { toChainDbError } from '../open-errors';
import { verifyChain } from '../verify/verify';
import type { FetchBlocks } from './fetch';
import { replaceFirstPage } from './first-page';
import { rebuildChain } from './rebuild';
import { finishSwap, repairFolder, swapIn } from './swap';

/** The step that a repair is in. */
export type RepairStep = 'verify' | 'rebuild' | 'verify new';

export interface RepairOptions {
  readonly directory: string;
  readonly network: NetworkName;
  /** Called only for blocks that cannot be read from the database. */
  readonly fetch: FetchBlocks;
  /** Aborts the repair: the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (step: RepairStep, height: number, tip: number) => void;
  /** Receives the findings of the verification before the repair begins. */
  readonly onDamage?: (problems: readonly string[]) => void;
}

export type RepairReport =
  | { readonly outcome: 'sound'; readonly height: number }
  | {
      readonly outcome: 'rebuilt';
      readonly height: number;
      readonly fetched: number;
      /** Blocks at the top that only the next synchronisation brings. */
      readonly dropped: number;
      /** The folder of the damaged files. */
      readonly damagedFolder: string;
    }
  /** No peer sent these blocks. The database is unchanged; the next repair continues with the blocks that are there. */
  | { readonly outcome: 'missing'; readonly missing: readonly number[]; readonly fetched: number };

/**
 * Repairs a chain database (docs/protocol/storage.md#repair): verifies it, and builds a new one from its readable blocks and
 * from blocks that peers send. The new database is verified and then replaces the damaged one, which is kept in a folder.
 *
 * @throws DatabaseLocked, DatabaseMissing, NeedsWholeChain, CorruptDatabase where the new database is not sound; the signal's
 *   reason
 */
export async function repairChainDb(options: RepairOptions): Promise<RepairReport> {
  const { directory } = options;
  finishSwap(directory);
  const file = databaseFile(directory);
  if (!existsSync(file)) throw new DatabaseMissing(directory);
  let lock;
  try {
    lock = takeWriteLock(join(directory, 'chain.lock'), { file, title: 'chain database' });
  } catch (error) {
    throw toChainDbError(directory, error);
  }
  try {
    return await repair(options);
  } finally {
    lock.release();
  }
}

async function repair(options: RepairOptions): Promise<RepairReport> {
  const { directory, network, onProgress, onDamage } = options;
  const target = repairFolder(directory);
  const { problems, height } = await verify(options, directory, 'verify');
  if (problems.length === 0) {
    // An interrupted repair left it, and the database was replaced since.
    rmSync(target, { recursive: true, force: true });
    return { outcome: 'sound', height };
  }
  onDamage?.(problems);
  replaceFirstPage(directory, network, join(target, 'first-page'));
  const rebuilt = await rebuildChain({
    ...options,
    target,
    network,
    onProgress: (done, tip) => onProgress?.('rebuild', done, tip),
  });
  const { missing, fetched, dropped } = rebuilt;
  if (missing.length > 0) return { outcome: 'missing', missing, fetched };
  const found = await verify(options, target, 'verify new');
  if (found.problems.length > 0 || found.height !== rebuilt.height) {
    rmSync(target, { recursive: true, force: true });
    throw new CorruptDatabase(`its blocks do not make a sound chain: ${found.problems.slice(0, 3).join('; ')}`);
  }
  options.signal?.throwIfAborted();
  return { outcome: 'rebuilt', height: rebuilt.height, fetched, dropped, damagedFolder: swapIn(directory) };
}

async function verify(
  { network, signal, onProgress }: RepairOptions,
  directory: string,
  step: RepairStep,
): Promise<{ readonly problems: readonly string[]; readonly height: number }> {
  try {
    return await verifyChain(
      { directory, network },
      {
        onProgress: (height, tip) => onProgress?.(step, height, tip),
        ...(signal === undefined ? {} : { signal }),
      },
    );
  } catch (error) {
    if (signal?.aborted === true) throw error;
    // The file cannot even be opened.
    if (damageIn(error) === undefined && !(error instanceof ChainDbError)) throw error;
    return { problems: [error instanceof Error ? error.message : String(error)], height: -1 };
  }
}
