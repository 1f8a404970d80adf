import { decodeRawBlock, encodeRawBlock, type RawBlock } from '@wrkz/core-types';
import { makeFolders } from '@wrkz/service-kit/base';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type WholeBlock, wholeBlock } from './block-bytes';

/** Blocks that peers have given, a file each, so that a repair that could not get all keeps them for the next try. */
export class FetchedBlocks {
  constructor(private readonly folder: string) {}

  /** The block of this id, whole; a file that does not hold it counts as none. */
  get(id: Buffer): WholeBlock | undefined {
    const file = this.file(id);
    if (!existsSync(file)) return undefined;
    const whole = readWhole(file);
    if (whole?.block.hash.equals(id) === true) return whole;
    rmSync(file, { force: true });
    return undefined;
  }

  /** Keeps a block if it is the one of this id. @returns whether it is */
  put(id: Buffer, raw: RawBlock): boolean {
    if (wholeBlock(raw)?.block.hash.equals(id) !== true) return false;
    makeFolders(this.folder);
    const file = this.file(id);
    writeFileSync(`${file}.new`, encodeRawBlock(raw));
    renameSync(`${file}.new`, file);
    return true;
  }

  private file(id: Buffer): string {
    return join(this.folder, `${id.toString('hex')}.block`);
  }
}

function readWhole(file: string): WholeBlock | undefined {
  try {
    return wholeBlock(decodeRawBlock(readFileSync(file)));
  } catch {
    return undefined; // cut off by a kill, or not readable
  }
}
