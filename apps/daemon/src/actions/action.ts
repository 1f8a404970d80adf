import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BelowFloor, type ChainReader, collidesWithChain, openChainDb, removeChainDb } from '@wrkz/chain-db';
import { errorCode, errorText } from '@wrkz/service-kit';
import type { ChainService } from '../chain/service';
import type { Action, DaemonConfig } from '../config/config';
import type { Screen } from '../console/terminal/screen';

export interface ActionDependencies {
  readonly config: DaemonConfig;
  /** Prints a line to the operator. */
  readonly notice: (line: string) => void;
  /** Shows the progress, and receives the output for programs. */
  readonly screen: Screen;
  readonly signal: AbortSignal;
}

/** A start that does one job and exits. */
export type OneShot = Exclude<Action, 'serve'>;

/** @returns the exit code @throws Error with a message for the operator */
export type RunOneShot = (dependencies: ActionDependencies) => Promise<number>;

/** Opens the database for reading while `use` runs. */
export async function withReader<T>(
  { directory, network }: DaemonConfig,
  use: (reader: ChainReader) => T | Promise<T>,
): Promise<T> {
  const db = openChainDb({ directory, network: network.name, readonly: true });
  try {
    return await use(db.reader);
  } finally {
    db.close();
  }
}

type FileOption = 'backup' | 'dump-file' | 'export-checkpoints';

/**
 * The absolute path of the file that an action creates.
 * @throws Error if the file exists, its folder does not, or the database uses the name
 */
export function newFile({ options, directory }: DaemonConfig, option: FileOption): string {
  const path = resolve(options[option] ?? '');
  const folder = dirname(path);
  if (existsSync(path)) throw new Error(`--${option}: the file ${path} exists already and is not overwritten`);
  if (!existsSync(folder)) throw new Error(`--${option}: the folder ${folder} does not exist`);
  if (collidesWithChain(directory, path)) throw new Error(`--${option}: the database itself uses the name ${path}`);
  return path;
}

/** The error of a write that failed, with the option and, for a full disk, the remedy. */
export function writeError(option: FileOption, path: string, cause: unknown): Error {
  const hint = errorCode(cause) === 'ENOSPC' ? '. Free some space or name a file on another disk' : '';
  return new Error(`--${option}: the file ${path} cannot be written: ${errorText(cause)}${hint}`, { cause });
}

/**
 * `--resync`: deletes the chain before the database is opened. The peer lists are dropped when the peers start; bans stay.
 * @throws Error with a message for the operator: the database is in use, of another network, or cannot be deleted
 */
export function resyncAtStart({ options, directory, network }: DaemonConfig, notice: (line: string) => void): void {
  if (!options.resync) return;
  const removed = removeChainDb(directory, network.name);
  notice(removed ? `The chain in ${directory} was deleted, to be synchronized again` : `No chain in ${directory} yet`);
}

/** The rewind was refused. Nothing was changed. */
class RewindRefused extends Error {
  override readonly name = 'RewindRefused';
}

/**
 * `--rewind-to-height N`: removes the blocks from index N on, so that N blocks remain. Does nothing if the chain has at most N
 * blocks.
 * @throws RewindRefused below the rewind limit of the network or below the stored block data
 */
export async function rewindAtStart(
  { options, network, storage }: Pick<DaemonConfig, 'options' | 'network' | 'storage'>,
  chain: Pick<ChainService, 'tip' | 'rewindTo'>,
  notice: (line: string) => void,
): Promise<void> {
  const wanted = options['rewind-to-height'];
  if (wanted === undefined) return;
  if (storage.kind === 'lite' && wanted < storage.height) throw new RewindRefused(liteText(wanted, storage.height));
  const count = chain.tip().height + 1;
  assertRewind(wanted, count, network.rewindLimit);
  if (wanted >= count) return notice(`Nothing to rewind: the chain has ${String(count)} blocks`);
  try {
    await chain.rewindTo(wanted - 1);
  } catch (error) {
    if (error instanceof BelowFloor) throw new RewindRefused(floorText(wanted, error));
    throw error;
  }
  notice(`Rewound ${String(count - wanted)} blocks; the chain has ${String(wanted)} now`);
}

/** @throws RewindRefused below the rewind limit of the network */
export function assertRewind(wanted: number, count: number, limit: number): void {
  if (wanted < count - limit) throw new RewindRefused(limitText(wanted, count, limit));
}

function limitText(wanted: number, count: number, limit: number): string {
  return (
    `Cannot rewind to ${String(wanted)}: the chain is ${String(count)} blocks tall and a rewind may reach at most ` +
    `${String(limit)} blocks below its top, so you can only rewind to ${String(count - limit)}. Nothing was changed. ` +
    'Use --resync to rebuild the chain from the network instead.'
  );
}

function liteText(wanted: number, lite: number): string {
  return (
    `Cannot rewind to ${String(wanted)}: this lite node only stores full block data from ${String(lite)}. The blocks below ` +
    'that height were never stored, so there is nothing to roll back to.'
  );
}

function floorText(wanted: number, { floor, message }: BelowFloor): string {
  return (
    `Cannot rewind to ${String(wanted)}: ${message}, so you can only rewind to ${String(floor)}. Nothing was changed. ` +
    'Use --resync to rebuild the chain from the network instead.'
  );
}
