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

/** From this size on a dead-letter list is put aside, in the place of the one before. */
const DEAD_LETTERS_BYTES = 16 * 1024 * 1024;

export interface ReceiverIdentity {
  readonly directory: string;
  /** The option. */
  readonly hook: string;
  /** Its value as it was written; another value is another receiver. */
  readonly value: string;
  readonly description: string;
}

/** What a durable receiver keeps on disk: how far it has come, and what it could not be brought to take. */
export class ReceiverFiles {
  readonly key: string;
  readonly positionPath: string;
  readonly deadLettersPath: string;
  private wanted: number | undefined;
  private writing: Promise<void> | undefined;

  constructor(private readonly identity: ReceiverIdentity) {
    const digest = createHash('sha256').update(identity.value).digest('hex').slice(0, 16);
    this.key = `${identity.hook}-${digest}`;
    this.positionPath = join(identity.directory, `${this.key}.json`);
    this.deadLettersPath = join(identity.directory, `${this.key}.dead.jsonl`);
  }

  /** The number of the last entry that is done with; undefined for a new receiver. @throws Error when it is unreadable */
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
   * Notes how far the receiver has come. While one write is under way further positions wait, and only the newest is
   * written next; so a kill may repeat the deliveries of the last moment, and never skips one.
   * @returns when it, or a newer one, is on disk
   */
  async save(position: number): Promise<void> {
    this.wanted = position;
    while (this.wanted !== undefined || this.writing !== undefined) await (this.writing ??= this.write());
  }

  private async write(): Promise<void> {
    const position = this.wanted;
    this.wanted = undefined;
    const { hook, description } = this.identity;
    try {
      await atomicWriteFile(this.positionPath, `${JSON.stringify({ hook, receiver: description, position })}\n`);
    } catch (error) {
      this.wanted ??= position;
      throw error;
    } finally {
      this.writing = undefined;
    }
  }

  /**
   * Appends to the list of what was given up on, one JSON object a line, on disk when it returns.
   * @throws Error of the system when there is no room; the list is as it was
   */
  addDeadLetter(letter: Readonly<Record<string, unknown>>): void {
    const file = openSync(this.deadLettersPath, 'a+', 0o600);
    let size: number;
    try {
      ({ size } = fstatSync(file));
      const line = Buffer.from(`${endsInLine(file, size) ? '' : '\n'}${stringifyJson(letter)}\n`);
      try {
        // A disk that is nearly full takes a part, and says so only by the count.
        for (let done = 0; done < line.length;) done += writeSync(file, line.subarray(done));
        fsyncSync(file);
      } catch (error) {
        ftruncateSync(file, size);
        throw error;
      }
    } finally {
      closeSync(file);
    }
    if (size > DEAD_LETTERS_BYTES) renameSync(this.deadLettersPath, `${this.deadLettersPath}.old`);
  }
}

/** A kill may have cut the last line short. */
function endsInLine(file: number, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === 0x0a;
}
