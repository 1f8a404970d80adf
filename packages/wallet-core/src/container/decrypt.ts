import { createDecipheriv } from 'node:crypto';
import { walletError } from '../errors';
import { CIPHER, CONTENT_MARKER, FILE_MARKER, CONTAINER_HEADER_SIZE, isContainer } from './format';
import { deriveFileKey } from './file-key';
import { TurnTaker } from './turns';

/** Bytes that are decrypted at once: about a millisecond. */
const CHUNK = 1024 * 1024;

/**
 * The JSON of a container's bytes.
 * @throws WalletError 3 without the file's marker, 4 when it ends within the salt, 5 for anything that does not decrypt or
 * lacks the inner marker, 4 for what decrypts to less than that marker
 */
export async function decryptContainer(file: Buffer, password: string): Promise<Buffer> {
  if (!isContainer(file)) throw walletError.notAWalletFile();
  if (file.length < CONTAINER_HEADER_SIZE) throw walletError.walletFileCorrupted();
  const { salt, key } = await deriveFileKey(password, file.subarray(FILE_MARKER.length, CONTAINER_HEADER_SIZE));
  const plain = await decipher(file.subarray(CONTAINER_HEADER_SIZE), key, salt);
  if (plain.length < CONTENT_MARKER.length) throw walletError.walletFileCorrupted();
  if (!CONTENT_MARKER.equals(plain.subarray(0, CONTENT_MARKER.length))) throw walletError.wrongPassword();
  return plain.subarray(CONTENT_MARKER.length);
}

async function decipher(encrypted: Buffer, key: Buffer, salt: Buffer): Promise<Buffer> {
  const turns = new TurnTaker();
  const cipher = createDecipheriv(CIPHER, key, salt);
  const plain = Buffer.alloc(encrypted.length);
  let length = 0;
  for (let at = 0; at < encrypted.length; at += CHUNK) {
    length += cipher.update(encrypted.subarray(at, at + CHUNK)).copy(plain, length);
    await turns.pause();
  }
  try {
    length += cipher.final().copy(plain, length);
  } catch {
    throw walletError.wrongPassword();
  }
  return plain.subarray(0, length);
}
