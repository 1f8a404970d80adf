import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type ChainReader, isPlaceOfChain, openChainDb } from '@wrkz/chain-db';
import { errorCode, errorText } from '@wrkz/service-kit';
import type { Action, DaemonConfig } from '../config/config';

export interface ActionParts {
  readonly config: DaemonConfig;
  /** Prints a line for the operator. */
  readonly notice: (line: string) => void;
  readonly stream: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** A start that does one job and exits. */
export type OneShot = Exclude<Action, 'serve'>;

/** @returns the exit code @throws Error with a message for the operator */
export type RunOneShot = (parts: ActionParts) => Promise<number>;

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
  if (isPlaceOfChain(directory, path)) throw new Error(`--${option}: the database itself uses the name ${path}`);
  return path;
}

/** The error of a write that failed, with the option and, for a full disk, the remedy. */
export function writeError(option: FileOption, path: string, cause: unknown): Error {
  const hint = errorCode(cause) === 'ENOSPC' ? '. Free some space or name a file on another disk' : '';
  return new Error(`--${option}: the file ${path} cannot be written: ${errorText(cause)}${hint}`, { cause });
}
