import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { FileVanished, type FileName } from './errors';
import { failureText } from './failure';
import { statOf } from './lock';
import { logFile } from './log-scan';

/**
 * Checks that an open database is still under its name. The system lets a program write to files that were removed or moved:
 * every commit succeeds, and the commits are lost when the process ends.
 */
export class InPlace {
  private readonly places = new Map<string, string>();

  constructor(private readonly name: FileName) {
    this.compare(name.file);
  }

  /** @throws FileVanished */
  check(): void {
    this.compare(this.name.file);
    // SQLite creates the log with the first statement and keeps it while a connection is open.
    this.compare(logFile(this.name.file));
  }

  /** Also checks that folder and file can be written. @throws FileVanished */
  checkWritable(): void {
    this.check();
    try {
      for (const path of [dirname(this.name.file), this.name.file]) accessSync(path, constants.W_OK);
    } catch (error) {
      throw this.vanished(this.name.file, `can no longer be written: ${failureText(error)}`, error);
    }
  }

  private compare(path: string): void {
    const stat = statOf(path);
    const place = stat && `${stat.dev} ${stat.ino}`;
    const first = this.places.get(path);
    if (first === undefined && place !== undefined) this.places.set(path, place);
    if (first === undefined || first === place) return;
    throw this.vanished(path, place === undefined ? 'was removed or moved' : 'was replaced by another file');
  }

  private vanished(file: string, what: string, cause?: unknown): FileVanished {
    return new FileVanished({ ...this.name, file }, `${file} of the open ${this.name.title} ${what}`, { cause });
  }
}
