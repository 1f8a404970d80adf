import type { FileHandle } from 'node:fs/promises';
import { BinaryReader, DecodeError } from '@wrkz/core-types';
import { readUpTo } from '../container/read-file';
import { TurnTaker } from '../container/turns';
import type { GreenCache } from './cache-model';
import { type CacheFacts, readCache } from './cache-reader';
import { CacheWindow } from './cache-window';
import { ChaCha8 } from './chacha8';
import { IV_SIZE } from './layout';
import { SealedBytes } from './sealed-bytes';

/** Bytes of the file that are opened at once: some milliseconds of work. */
const CHUNK = 256 * 1024;
const LONGEST_VARINT = 10;

/**
 * Reads and opens the cache piece by piece: of a file of hundreds of megabytes, most of which are hashes of blocks, only what
 * the wallet owns stays in memory.
 * @param offset where the cache begins; undefined is the answer where the file ends there
 * @throws DecodeError when it is damaged
 */
export async function readGreenCache(
  handle: FileHandle,
  offset: number,
  fileSize: number,
  key: Buffer,
  facts: CacheFacts,
): Promise<GreenCache | undefined> {
  if (offset === fileSize) return undefined;
  const head = new BinaryReader(await readUpTo(handle, offset, IV_SIZE + LONGEST_VARINT));
  const cipher = new ChaCha8(key, head.bytes(IV_SIZE));
  const count = head.varintNumber(53);
  let position = offset + head.offset;
  // Each takes one byte or two.
  if (count > fileSize - position) throw new DecodeError('the cache is cut off');
  const sealed = new SealedBytes(count);
  const window = new CacheWindow(count);
  const turns = new TurnTaker();

  const open = async (): Promise<Buffer> => {
    const raw = await readUpTo(handle, position, CHUNK);
    if (raw.length === 0) throw new DecodeError('the cache is cut off');
    position += raw.length;
    await turns.pause();
    return cipher.apply(sealed.take(raw));
  };

  const work = readCache(window, facts);
  for (;;) {
    const step = work.next();
    if (step.done === true) {
      // A cache whose end is missing may lack more than its end.
      while (!sealed.isDone) await open();
      return step.value;
    }
    await turns.pause();
    window.push(await open());
  }
}
