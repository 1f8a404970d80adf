import type { DaemonOptions } from '../config/config';
import { freeBytes } from './free-space';

const MIB = 1024 * 1024;

/** Whether there is room on the disk for what the database writes next. */
export interface Room {
  /** Bytes that must be free: twice the log's bound, for the log and for what it is copied to. */
  readonly least: number;
  /** What is wrong; undefined while there is room. */
  readonly complaint: () => string | undefined;
}

export function room(
  directory: string,
  options: Pick<DaemonOptions, 'db-write-buffer-size'>,
  free: (folder: string) => number = freeBytes,
): Room {
  const least = 2 * options['db-write-buffer-size'] * MIB;
  const complaint = (): string | undefined => {
    const now = free(directory);
    if (now >= least) return undefined;
    return `only ${megabytes(now)} are free on the disk of ${directory}, and ${megabytes(least)} are needed to write safely`;
  };
  return { least, complaint };
}

/** Bytes for people. */
export function megabytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0)} MiB`;
}
