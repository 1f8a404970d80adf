import { statfsSync } from 'node:fs';
import type { Logger } from '@wrkz/service-kit';
import type { DaemonOptions } from '../config/config';

const MIB = 1024 * 1024;
const CHECK_INTERVAL_MS = 2_000;
/** Hysteresis: a shortage ends only when the free space exceeds the minimum by this share. */
const HYSTERESIS = 1 / 16;

/**
 * Bytes that this user may still write on the disk of a folder. An unreadable disk counts as infinite: an unknown value must
 * neither refuse blocks nor delete data.
 */
export function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}

/** Bytes as text for the operator. */
export function megabytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0)} MiB`;
}

/**
 * Free bytes below which nothing is written to the database: twice the limit of the write-ahead log, for the log and its pages.
 */
export function minWritableBytes(options: Pick<DaemonOptions, 'db-write-buffer-size'>): number {
  return 2 * options['db-write-buffer-size'] * MIB;
}

/**
 * The reason why nothing can be written to a folder now; undefined if `minBytes` are free.
 * @param isShort whether the last check found a shortage
 */
export function diskShortage(folder: string, minBytes: number, isShort = false): string | undefined {
  const free = freeBytes(folder);
  if (free >= (isShort ? minBytes * (1 + HYSTERESIS) : minBytes)) return undefined;
  return `only ${megabytes(free)} are free on the disk of ${folder}, and ${megabytes(minBytes)} are needed to write safely`;
}

export interface LowDiskWatchOptions {
  readonly folder: string;
  /** 0 disables the warning. */
  readonly minBytes: number;
  readonly logger: Pick<Logger, 'warning'>;
  /** Replaces {@link freeBytes} in tests. */
  readonly readFreeBytes?: (folder: string) => number;
}

/** Logs when the disk of the data directory runs low on space, and when it has enough space again. */
export class LowDiskWatch {
  private isLow = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: LowDiskWatchOptions) {}

  start(): this {
    this.check();
    this.timer = setInterval(() => this.check(), CHECK_INTERVAL_MS).unref();
    return this;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  check(): void {
    const { folder, minBytes, logger, readFreeBytes = freeBytes } = this.options;
    const free = readFreeBytes(folder);
    const isLow = free < (this.isLow ? minBytes * (1 + HYSTERESIS) : minBytes);
    if (isLow === this.isLow) return;
    this.isLow = isLow;
    if (isLow)
      logger.warning(
        `the disk of ${folder} is low on space: ${megabytes(free)} free, less than ${megabytes(minBytes)}`,
      );
    else logger.warning(`the disk of ${folder} has enough space again: ${megabytes(free)} free`);
  }
}
