import type { DaemonOptions } from '../config/config';
import { freeBytes } from './disk-space';

const MIB = 1024 * 1024;
/** So much more must be free before writing goes on, or the two would alternate. */
const MARGIN = 1 / 16;

/** Bytes that must be free for the database to be written: twice the log's bound, for the log and what it is copied to. */
export function leastRoom(options: Pick<DaemonOptions, 'db-write-buffer-size'>): number {
  return 2 * options['db-write-buffer-size'] * MIB;
}

/**
 * Why nothing can be written to a folder now; undefined when there is room.
 * @param closed nothing is written since it was too little
 */
export function roomComplaint(folder: string, least: number, closed = false): string | undefined {
  const free = freeBytes(folder);
  if (free >= (closed ? least * (1 + MARGIN) : least)) return undefined;
  return `only ${megabytes(free)} are free on the disk of ${folder}, and ${megabytes(least)} are needed to write safely`;
}

/** Bytes for people. */
export function megabytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0)} MiB`;
}
