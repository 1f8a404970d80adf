import { createDecipheriv } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { walletError } from '../errors';
import { deriveFileKey, type FileKey } from './file-key';
import { CIPHER, CONTAINER_HEADER_SIZE, CONTENT_MARKER, FILE_MARKER, isContainer } from './format';
import { readUpTo, withRegularFile } from './read-file';
import { TurnTaker } from './turns';

/** Bytes that are read and decrypted at once: about a millisecond. */
const CHUNK = 1024 * 1024;

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
  for (let at = CONTAINER_HEADER_SIZE; at < size; at += CHUNK) {
    const piece = cipher.update(await readUpTo(handle, at, Math.min(CHUNK, size - at)));
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
