import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { atomicWriteFileSync } from '@wrkz/service-kit/base';

/** Lies in the data directory from the start of a compaction to its success (docs/protocol/storage.md#compaction). */
export class CompactionMarker {
  private readonly file: string;

  constructor(directory: string) {
    this.file = join(directory, '.compact_db_in_progress');
  }

  get isThere(): boolean {
    return existsSync(this.file);
  }

  put(): void {
    atomicWriteFileSync(this.file, '');
  }

  remove(): void {
    rmSync(this.file, { force: true });
  }
}
