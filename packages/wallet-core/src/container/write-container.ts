import { createCipheriv } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { WalletContent } from '../ledger/model';
import { encodeContent } from './encode';
import type { FileKey } from './file-key';
import { CIPHER, CONTENT_MARKER, FILE_MARKER } from './format';
import { TurnTaker } from './turns';

/** Characters that are encrypted and written at once. */
const CHUNK = 256 * 1024;

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
    if (length >= CHUNK) {
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
