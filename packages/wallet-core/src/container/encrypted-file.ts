import { createCipheriv, createDecipheriv, pbkdf2, randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { walletError } from '../errors';
import type { WalletContent } from '../ledger/model';
import { encodeContent } from './encode';
import { readUpTo, withRegularFile } from './file-io';
import {
  CIPHER,
  CONTAINER_HEADER_SIZE,
  CONTENT_MARKER,
  FILE_MARKER,
  isContainer,
  KEY_SIZE,
  ROUNDS,
  SALT_SIZE,
} from './format';
import { TurnTaker } from './turns';

const stretch = promisify(pbkdf2);

/** The key of one version of a file. */
export interface FileKey {
  readonly salt: Buffer;
  readonly key: Buffer;
}

/** Derives a key on a thread of libuv's pool: a quarter of a second of one core. */
export async function deriveFileKey(password: string, salt: Buffer = randomBytes(SALT_SIZE)): Promise<FileKey> {
  return { salt, key: await stretch(password, salt, ROUNDS, KEY_SIZE, 'sha256') };
}

/**
 * Keys for saving: every version of a file has a salt of its own, and the key for the next one is derived while nobody waits,
 * so that a send, which saves before it answers, does not wait for half a million rounds.
 */
export class FileKeys {
  private next: Promise<FileKey> | undefined;

  constructor(private password: string) {}

  /** The key for one save; the one after it is begun on. */
  async take(): Promise<FileKey> {
    const key = await (this.next ?? deriveFileKey(this.password));
    this.prepare();
    return key;
  }

  /** Whether the password is this one. */
  isPassword(password: string): boolean {
    return password === this.password;
  }

  /** The JSON of a copy of the file. @throws WalletError as `readContainer` */
  read(copy: string): Promise<Buffer> {
    return readContainer(copy, this.password);
  }

  /** @returns the password before */
  change(password: string): string {
    const before = this.password;
    this.password = password;
    this.next = undefined;
    return before;
  }

  private prepare(): void {
    this.next = deriveFileKey(this.password);
    // Who takes it hears of a failure.
    this.next.catch(() => undefined);
  }
}

/** Bytes that are read and decrypted at once: about a millisecond. */
const READ_BYTES = 1024 * 1024;

/**
 * The JSON of a container. A file is read as far as it makes sense: what is none, or does not open with this password, takes
 * no memory by its length.
 * @throws WalletError 1 when it cannot be read, 3 without the file's marker, 4 when it ends within the salt, 5 for anything
 * that does not decrypt or lacks the inner marker, 4 for what decrypts to less than that marker
 */
export async function readContainer(file: string, password: string): Promise<Buffer> {
  return withRegularFile(file, async (handle, size) => {
    const header = await readUpTo(handle, 0, CONTAINER_HEADER_SIZE);
    if (!isContainer(header)) throw walletError.notAWalletFile();
    if (header.length < CONTAINER_HEADER_SIZE) throw walletError.walletFileCorrupted();
    const key = await deriveFileKey(password, header.subarray(FILE_MARKER.length));
    const plain = await decipher(handle, size, key);
    if (plain.length < CONTENT_MARKER.length) throw walletError.walletFileCorrupted();
    requireMarker(plain);
    return plain.subarray(CONTENT_MARKER.length);
  });
}

async function decipher(handle: FileHandle, size: number, { salt, key }: FileKey): Promise<Buffer> {
  const turns = new TurnTaker();
  const cipher = createDecipheriv(CIPHER, key, salt);
  let plain = Buffer.alloc(0);
  let length = 0;
  for (let at = CONTAINER_HEADER_SIZE; at < size; at += READ_BYTES) {
    const piece = cipher.update(await readUpTo(handle, at, Math.min(READ_BYTES, size - at)));
    if (length === 0) {
      if (piece.length >= CONTENT_MARKER.length) requireMarker(piece);
      plain = Buffer.alloc(size);
    }
    length += piece.copy(plain, length);
    await turns.pause();
  }
  try {
    length += cipher.final().copy(plain, length);
  } catch {
    throw walletError.wrongPassword();
  }
  return plain.subarray(0, length);
}

function requireMarker(plain: Buffer): void {
  if (!CONTENT_MARKER.equals(plain.subarray(0, CONTENT_MARKER.length))) throw walletError.wrongPassword();
}

/** Characters that are encrypted and written at once. */
const WRITE_CHARACTERS = 256 * 1024;

/** Writes a container, encrypted as it is made: a large wallet stands in memory once, not three times. */
export async function writeContainer(
  handle: FileHandle,
  content: WalletContent,
  { salt, key }: FileKey,
): Promise<void> {
  const cipher = createCipheriv(CIPHER, key, salt);
  await writeAll(handle, Buffer.concat([FILE_MARKER, salt, cipher.update(CONTENT_MARKER)]));
  for await (const text of textChunks(content)) await writeAll(handle, cipher.update(text, 'utf8'));
  await writeAll(handle, cipher.final());
}

/** Writes the JSON of a container in plain, with a line end: what `POST /export/json` gives. */
export async function writePlain(handle: FileHandle, content: WalletContent): Promise<void> {
  for await (const text of textChunks(content)) await writeAll(handle, Buffer.from(text));
  await writeAll(handle, Buffer.from('\n'));
}

/** The JSON of a content as one text. */
export function contentText(content: WalletContent): string {
  return [...encodeContent(content)].join('');
}

async function* textChunks(content: WalletContent): AsyncGenerator<string, void> {
  const turns = new TurnTaker();
  let chunk: string[] = [];
  let length = 0;
  for (const piece of encodeContent(content)) {
    chunk.push(piece);
    length += piece.length;
    if (length >= WRITE_CHARACTERS) {
      yield chunk.join('');
      chunk = [];
      length = 0;
    }
    if (turns.isDue()) await turns.pause();
  }
  yield chunk.join('');
}

/** One write may take less than it was given. */
async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  let written = 0;
  while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten;
}
