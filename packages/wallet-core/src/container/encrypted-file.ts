import { createCipheriv, createDecipheriv, pbkdf2, randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { EventLoopYielder } from '@wrkz/service-kit/base';
import { walletError, walletErrorOf } from '../errors';
import type { WalletContent } from '../ledger/model';
import { encodeContent } from './content';
import { readUpTo, withRegularFile } from './file-io';

/* The encrypted file format of a container (docs/protocol/wallet.md#container). */

/** The first bytes of every container. */
const FILE_MARKER = Buffer.from('If I pull that off, will you die?\nIt would be extremely painful.');
/** The first bytes of the plaintext. After decryption with a wrong password they are missing. */
const CONTENT_MARKER = Buffer.from("You're a big guy.\nFor you.");
/** Salt size in bytes. The salt is also the initialisation vector. */
const SALT_SIZE = 16;
export const CONTAINER_HEADER_SIZE = FILE_MARKER.length + SALT_SIZE;
const CIPHER = 'aes-128-cbc';
const KEY_SIZE = 16;
/** PBKDF2 iterations. */
const ROUNDS = 500_000;

/** @param start the first {@link CONTAINER_HEADER_SIZE} bytes of a file */
export function isContainer(start: Uint8Array): boolean {
  return FILE_MARKER.equals(start.subarray(0, FILE_MARKER.length));
}

const pbkdf2Async = promisify(pbkdf2);

/** The encryption key of one saved version of a container. */
export interface FileKey {
  readonly salt: Buffer;
  readonly key: Buffer;
}

/** Derives a key on a libuv thread, by default with a new salt. Takes 0.25 s of CPU time. */
export async function deriveFileKey(password: string, salt: Buffer = randomBytes(SALT_SIZE)): Promise<FileKey> {
  return { salt, key: await pbkdf2Async(password, salt, ROUNDS, KEY_SIZE, 'sha256') };
}

/** Bytes per read and decryption, which take about 1 ms. */
const READ_BYTES = 1024 * 1024;

/**
 * Decrypts the JSON of a container. Memory is allocated only after both markers were verified.
 * @throws WalletError filenameNonExistent when the file cannot be read; notAWalletFile without the file marker;
 * walletFileCorrupted when the salt or the content marker is cut off; wrongPassword when it cannot be decrypted, with a cause
 * if the password is correct
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
  const yielder = new EventLoopYielder();
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
    await yielder.yieldIfDue();
  }
  try {
    length += cipher.final().copy(plain, length);
  } catch {
    // Clients parse the code and the text of the reference; only the cause reports the damage.
    const isRight = length >= CONTENT_MARKER.length;
    const cause = new Error('the password is correct, but the file is damaged: its end is missing or was changed');
    throw walletErrorOf('wrongPassword', undefined, isRight ? { cause } : {});
  }
  return plain.subarray(0, length);
}

function requireMarker(plain: Buffer): void {
  if (!CONTENT_MARKER.equals(plain.subarray(0, CONTENT_MARKER.length))) throw walletError.wrongPassword();
}

/** Characters per encryption and write. */
const WRITE_CHARACTERS = 256 * 1024;

/** Encodes, encrypts and writes a container in chunks, without a copy of it in memory. */
export async function writeContainer(
  handle: FileHandle,
  content: WalletContent,
  { salt, key }: FileKey,
): Promise<void> {
  const cipher = createCipheriv(CIPHER, key, salt);
  await handle.writeFile(Buffer.concat([FILE_MARKER, salt, cipher.update(CONTENT_MARKER)]));
  for await (const text of textChunks(content)) await handle.writeFile(cipher.update(text, 'utf8'));
  await handle.writeFile(cipher.final());
}

/** Writes the unencrypted JSON of a container and a line end, the format of `POST /export/json`. */
export async function writePlain(handle: FileHandle, content: WalletContent): Promise<void> {
  for await (const text of textChunks(content)) await handle.writeFile(text);
  await handle.writeFile('\n');
}

/** The JSON of a container as one text. */
export function contentText(content: WalletContent): string {
  return [...encodeContent(content)].join('');
}

async function* textChunks(content: WalletContent): AsyncGenerator<string, void> {
  const yielder = new EventLoopYielder();
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
    if (yielder.isDue) await yielder.yieldIfDue();
  }
  yield chunk.join('');
}
