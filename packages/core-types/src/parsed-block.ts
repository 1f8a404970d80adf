import { readBlock } from './block';
import { auxHeaderHash, blockHash, parentBlockSize, powInput } from './block-hashing';
import type { Block } from './model';
import { MAX_BLOCK_BYTES } from './networks/constants';
import type { ParsedTransaction } from './parsed-transaction';
import { BinaryReader } from './reader';

/**
 * A block with its bytes. Hashes are computed on first use and cached.
 * `bytes` and every field of `block` are views of the bytes it was parsed from.
 */
export class ParsedBlock {
  private cachedHash: Buffer | undefined;
  private cachedAuxHeaderHash: Buffer | undefined;
  private cachedPowInput: Buffer | undefined;
  private cachedParentSize: number | undefined;

  /** `bytes` must be the encoding of `block`, `coinbase` its coinbase; outside of this package use `parseBlock`. */
  constructor(
    readonly block: Block,
    readonly coinbase: ParsedTransaction,
    readonly bytes: Buffer,
  ) {}

  get hash(): Buffer {
    return (this.cachedHash ??= blockHash(this.block, this.coinbase.hash));
  }

  /** The hash that the merge-mining tag of the parent must commit to; unused in version 1. */
  get auxHeaderHash(): Buffer {
    return (this.cachedAuxHeaderHash ??= auxHeaderHash(this.block, this.coinbase.hash));
  }

  get powInput(): Buffer {
    return (this.cachedPowInput ??= powInput(this.block, this.coinbase.hash));
  }

  /** Bytes of the parent block as the reference serializes it; 0 in version 1. */
  get parentSize(): number {
    return (this.cachedParentSize ??= parentBlockSize(this.block));
  }
}

/** Parses all of `bytes`; throws DecodeError. Do not write to `bytes` afterwards. */
export function parseBlock(bytes: Uint8Array): ParsedBlock {
  const reader = new BinaryReader(bytes);
  reader.within(MAX_BLOCK_BYTES);
  const { block, coinbase } = readBlock(reader);
  reader.done();
  return new ParsedBlock(block, coinbase, reader.buffer);
}
