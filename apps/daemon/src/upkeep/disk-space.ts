import { EventEmitter } from 'node:events';
import { statfsSync } from 'node:fs';

/** Milliseconds from one look at the disk to the next. */
const INTERVAL = 2_000;
/** Space is enough again only when it is this much above the least: else the two would alternate. */
const MARGIN = 1 / 16;

interface FreeSpaceEvents {
  /** Less is free than the least. Bytes. */
  begin: [free: number];
  /** Enough is free again. Bytes. */
  end: [free: number];
}

export interface FreeSpaceOptions {
  /** A folder on the disk that is watched. */
  readonly folder: string;
  /** Bytes; 0 never is too little. */
  readonly least: number;
  /** Milliseconds. */
  readonly interval?: number;
  /** How much is free, for tests. */
  readonly read?: (folder: string) => number;
}

/**
 * Bytes that this user may still write on the disk of a folder. A disk that cannot be asked counts as endless, so that
 * nothing is refused or thrown away because of it.
 */
export function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}

/** Tells when a disk gets short of space, and when it has enough again. */
export class FreeSpaceWatch extends EventEmitter<FreeSpaceEvents> {
  private low = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: FreeSpaceOptions) {
    super();
  }

  /** Looks now and from then on from time to time. */
  start(): this {
    this.look();
    this.timer = setInterval(() => void this.look(), this.options.interval ?? INTERVAL);
    this.timer.unref();
    return this;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Whether there was too little at the last look. */
  get isLow(): boolean {
    return this.low;
  }

  /** Looks now. @returns whether there is too little */
  look(): boolean {
    const { folder, least, read = freeBytes } = this.options;
    const free = read(folder);
    const low = free < (this.low ? least * (1 + MARGIN) : least);
    if (low !== this.low) {
      this.low = low;
      this.emit(low ? 'begin' : 'end', free);
    }
    return low;
  }
}
