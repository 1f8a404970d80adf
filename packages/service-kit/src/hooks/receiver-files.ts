import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../error-text';
import { atomicWriteFile, removeUnfinishedWrites } from '../files';
import { stringifyJson } from '../http/json';

/** Above this size the dead-letter file is renamed to `.old`. */
const MAX_DEAD_LETTERS_BYTES = 16 * 1024 * 1024;

export interface ReceiverIdentity {
  readonly directory: string;
  /** Name of the option. */
  readonly hook: string;
  /** Value of the option; another value is another receiver. */
  readonly value: string;
  readonly description: string;
}

/** The files of a durable receiver: its position, and its dead letters. */
export class ReceiverFiles {
  readonly key: string;
  readonly positionPath: string;
  readonly deadLettersPath: string;
  private unsaved: number | undefined;
  private writing: Promise<void> | undefined;

  constructor(private readonly identity: ReceiverIdentity) {
    const digest = createHash('sha256').update(identity.value).digest('hex').slice(0, 16);
    this.key = `${identity.hook}-${digest}`;
    this.positionPath = join(identity.directory, `${this.key}.json`);
    this.deadLettersPath = join(identity.directory, `${this.key}.dead.jsonl`);
  }

  /** Number of the last processed entry; undefined for a new receiver. @throws Error if the file is unreadable */
  position(): number | undefined {
    removeUnfinishedWrites(this.positionPath);
    if (!existsSync(this.positionPath)) return undefined;
    try {
      const { position } = JSON.parse(readFileSync(this.positionPath, 'utf8')) as { position?: unknown };
      if (!Number.isSafeInteger(position) || (position as number) < 0) throw new Error('it holds no position');
      return position as number;
    } catch (error) {
      throw new Error(`${this.positionPath} cannot be read: ${errorText(error)}; remove it to begin with new events`, {
        cause: error,
      });
    }
  }

  /**
   * Saves the position. During a write only the newest further position waits, so a kill may repeat the last deliveries, and
   * never skips one. Resolves when this position, or a newer one, is on disk.
   */
  async save(position: number): Promise<void> {
    this.unsaved = position;
    while (this.unsaved !== undefined || this.writing !== undefined) await (this.writing ??= this.write());
  }

  private async write(): Promise<void> {
    const position = this.unsaved;
    this.unsaved = undefined;
    const { hook, description } = this.identity;
    try {
      await atomicWriteFile(this.positionPath, `${JSON.stringify({ hook, receiver: description, position })}\n`);
    } catch (error) {
      this.unsaved ??= position;
      throw error;
    } finally {
      this.writing = undefined;
    }
  }

  /**
   * Appends a line of JSON to the dead-letter file, durably.
   * @throws Error of the system, for example for a full disk; the file is unchanged then
   */
  addDeadLetter(letter: Readonly<Record<string, unknown>>): void {
    const file = openSync(this.deadLettersPath, 'a+', 0o600);
    let size: number;
    try {
      ({ size } = fstatSync(file));
      const line = Buffer.from(`${endsInLine(file, size) ? '' : '\n'}${stringifyJson(letter)}\n`);
      try {
        // A full disk may write a part without an error.
        for (let done = 0; done < line.length;) done += writeSync(file, line.subarray(done));
        fsyncSync(file);
      } catch (error) {
        ftruncateSync(file, size);
        throw error;
      }
    } finally {
      closeSync(file);
    }
    if (size > MAX_DEAD_LETTERS_BYTES) renameSync(this.deadLettersPath, `${this.deadLettersPath}.old`);
  }
}

/** A kill may have cut the last line. */
function endsInLine(file: number, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === 0x0a;
}
