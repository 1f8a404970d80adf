import type { BlockFacts } from '@wrkz/consensus';
import type { NetworkName } from '@wrkz/core-types';
import { existsSync, rmSync } from 'node:fs';
import { databaseFile } from '../connection';
import { ChainDbError } from '../errors';
import { damageIn } from '../damage';
import type { FloorHeights } from '../modes/floors';
import { type ChainDb, openChainDb } from '../open';
import { FactsWindow } from '../verify/facts-window';

/** More than the longest difficulty window looks back. */
const WINDOW = 3_000;

/** Takes the files of an unfinished new database away. */
export function removeUnfinished(folder: string): void {
  for (const suffix of ['-wal', '-shm', '-control', '']) rmSync(`${databaseFile(folder)}${suffix}`, { force: true });
}

/**
 * Opens the new database of a repair: the one that an earlier repair has begun if it goes the same way as the damaged chain,
 * an empty one else.
 * @param isOnChain whether a block is the one of this height in the damaged chain
 */
export function openNewDatabase(
  folder: string,
  network: NetworkName,
  floors: FloorHeights,
  isOnChain: (height: number, id: Buffer) => boolean,
): ChainDb {
  const { lite } = floors;
  if (existsSync(databaseFile(folder))) {
    const begun = openOrNothing(folder, network, lite);
    if (begun !== undefined && goesOn(begun, floors, isOnChain)) return begun;
    begun?.close();
    removeUnfinished(folder);
  }
  return openChainDb({ directory: folder, network, lite });
}

function openOrNothing(folder: string, network: NetworkName, lite: number | undefined): ChainDb | undefined {
  try {
    return openChainDb({ directory: folder, network, lite });
  } catch (error) {
    if (error instanceof ChainDbError || damageIn(error) !== undefined) return undefined;
    throw error;
  }
}

function goesOn(
  { reader }: ChainDb,
  floors: FloorHeights,
  isOnChain: (height: number, id: Buffer) => boolean,
): boolean {
  const tip = reader.height();
  if (tip < 0) return true;
  // The rows below a lite height are taken apart from the bottom.
  if (reader.floors().bodies !== floors.bodies || tip < floors.records) return false;
  return isOnChain(tip, reader.tip().hash);
}

/** The last blocks of the new database, for the rules that ask for them. */
export function windowOf({ reader }: ChainDb): { window: FactsWindow; below: BlockFacts | undefined } {
  const window = new FactsWindow();
  const tip = reader.height();
  let below: BlockFacts | undefined;
  for (const facts of reader.factsRange(Math.max(0, tip - WINDOW), tip + 1)) {
    window.push(facts);
    below = facts;
  }
  return { window, below };
}
