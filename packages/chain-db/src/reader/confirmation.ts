import { decodeTransactionPrefix } from '@wrkz/core-types';
import { CorruptDatabase } from '../errors';

/** What a confirmation asks of the chain. */
export interface ConfirmingQueries {
  hashAt(height: number): Buffer | undefined;
  /** The prefixes of a block's transactions, each compared with its checksum. */
  scanBlocks(start: number, end: number): { readonly prefixes: readonly Buffer[] };
  keyImageHeight(keyImage: Buffer): number | undefined;
  /** Blocks below `records` have no transactions, genesis aside. */
  floors(): { readonly records: number };
}

/** Confirmations remembered: a peer that repeats a spent transaction costs no block read each time. */
const REMEMBERED = 10_000;

/** Asks a second witness before a look-up is held against somebody: an index may be damaged where the block is not. */
export class Confirmation {
  /** By image: the block that was seen to spend it. */
  private readonly seen = new Map<string, Buffer>();

  constructor(private readonly chain: ConfirmingQueries) {}

  /**
   * Whether a transaction of this block spends the image. Below the height of a lite node there are none to ask: the row of
   * the image, with its checksum, is all that is known.
   *
   * @throws CorruptDatabase where the block itself is damaged
   */
  spends(height: number, keyImage: Buffer): boolean {
    const image = keyImage.toString('hex');
    const hash = this.chain.hashAt(height);
    if (hash === undefined) return false;
    if (height > 0 && height < this.chain.floors().records) return this.chain.keyImageHeight(keyImage) === height;
    if (this.seen.get(image)?.equals(hash) === true) return true;
    const found = this.chain
      .scanBlocks(height, height + 1)
      .prefixes.some((prefix) =>
        decodeTransactionPrefix(prefix).inputs.some((input) => input.type === 'key' && input.keyImage.equals(keyImage)),
      );
    if (!found) return false;
    if (this.seen.size >= REMEMBERED) this.seen.clear();
    this.seen.set(image, hash);
    return true;
  }

  /** @throws CorruptDatabase unless the block at `height`, which is recorded for it, spends the image */
  requireSpent(height: number, keyImage: Buffer): void {
    if (this.spends(height, keyImage)) return;
    throw new CorruptDatabase(
      `key image ${keyImage.toString('hex')} is recorded as spent in block ${height}, which does not spend it`,
    );
  }
}
