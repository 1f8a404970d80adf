import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { FileVanished, type FileName } from './errors';
import { logFile } from './log-mark';

interface Place {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
}

/**
 * Tells whether an open database still stands under its name. The system lets a program go on writing to files that were
 * removed or moved: every commit succeeds, and all of it is gone with the process.
 */
export class InPlace {
  private readonly file: Place | undefined;
  private log: Place | undefined;

  constructor(private readonly name: FileName) {
    this.file = placeOf(name.file);
  }

  /** @throws FileVanished */
  check(): void {
    this.holds(this.file);
    // SQLite makes the log with the first statement and keeps it as long as a connection is open.
    this.log ??= placeOf(logFile(this.name.file));
    this.holds(this.log);
  }

  /** The same, and whether anything can be written there: for looks from time to time. @throws FileVanished */
  checkWritable(): void {
    this.check();
    try {
      accessSync(dirname(this.name.file), constants.W_OK);
      accessSync(this.name.file, constants.W_OK);
    } catch (error) {
      throw new FileVanished(this.name, 'can no longer be written', error);
    }
  }

  private holds(place: Place | undefined): void {
    if (place === undefined) return;
    const now = placeOf(place.path);
    if (now?.inode === place.inode && now.device === place.device) return;
    const what = existsSync(place.path) ? 'was replaced by another file' : 'was removed or moved';
    throw new FileVanished({ ...this.name, file: place.path }, what);
  }
}

function placeOf(path: string): Place | undefined {
  try {
    const { dev, ino } = statSync(path);
    return { path, device: dev, inode: ino };
  } catch {
    return undefined;
  }
}
