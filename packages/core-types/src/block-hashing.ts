import { cnFastHash, treeHash, treeHashFromBranch } from '@wrkz/crypto';
import { encodeBlock, parentOf, writeBlockHeader, writeParentBlock } from './block';
import type { BaseTransaction, Block } from './model';
import { transactionHash, writeBaseTransaction, writeTransactionPrefix } from './transaction';
import { varintSize } from './varint';
import { BinaryWriter } from './writer';

/*
 * Hashing blobs and ids (docs/protocol/blocks.md#block-id). The functions that need the coinbase's hash take
 * it as an optional last argument, for callers that already have it.
 */

/** The header, the root over coinbase and transactions, and their number. */
export function headerHashingBlob(block: Block, coinbaseHash?: Buffer): Buffer {
  const writer = new BinaryWriter(160);
  writeBlockHeader(writer, block);
  writer.hash(treeHash([coinbaseHash ?? transactionHash(block.coinbase), ...block.transactionHashes]));
  writer.varint(block.transactionHashes.length + 1);
  return writer.toBuffer();
}

/** Ids are hashes of a blob prefixed with its length; only the proof of work hashes it without the length. */
function hashWithLength(blob: Buffer): Buffer {
  return cnFastHash(new BinaryWriter(blob.length + 10).varint(blob.length).bytes(blob).toBuffer());
}

/** The hash of this block that a merge-mining parent commits to (from version 2). */
export function auxHeaderHash(block: Block, coinbaseHash?: Buffer): Buffer {
  return hashWithLength(headerHashingBlob(block, coinbaseHash));
}

/** keccak(00), the hash of the empty signatures of a parent's coinbase. */
let noSignaturesHash: Buffer | undefined;

/** The hash of a parent's coinbase: of all its bytes, or from version 2 on of the hashes of its three parts. */
export function baseTransactionHash(transaction: BaseTransaction): Buffer {
  const writer = new BinaryWriter();
  if (transaction.version < 2) {
    writeBaseTransaction(writer, transaction);
    return cnFastHash(writer.toBuffer());
  }
  writeTransactionPrefix(writer, transaction);
  noSignaturesHash ??= cnFastHash(Buffer.from([0]));
  return cnFastHash(Buffer.concat([cnFastHash(writer.toBuffer()), noSignaturesHash, Buffer.alloc(32)]));
}

/**
 * The block as the reference would serialize it. It reads the number after the extra of a parent's coinbase of version 2
 * and up, drops it, and writes 0 instead, so ids and sizes do not depend on it. All inputs of ids and limits use this
 * form; stored and relayed bytes have the original number (docs/protocol/blocks.md#block-id).
 */
function asReferenceWrites(block: Block): Block {
  const parent = parentOf(block);
  if ((parent.baseTransaction.ignored ?? 0n) === 0n) return block;
  return { ...block, parentBlock: { ...parent, baseTransaction: { ...parent.baseTransaction, ignored: 0n } } };
}

/**
 * Serialized bytes of a block and its transactions as the reference reports them (`block_size`): it serializes the block again,
 * so a transaction count of the parent above 65,535 is truncated to 16 bits.
 * @param transactions serialized, without the coinbase
 */
export function reportedBlockBytes(block: Block, transactions: readonly Uint8Array[]): number {
  const written = block.parentBlock === undefined ? block : asReferenceWrites(block);
  return transactions.reduce((sum, transaction) => sum + transaction.length, encodeBlock(written).length);
}

/** The parent block with its root: `headerOnly` for the proof of work, whole for the block id. */
export function parentHashingBlob(block: Block, headerOnly: boolean): Buffer {
  const { baseTransaction, baseTransactionBranch } = parentOf(block);
  const merkleRoot = treeHashFromBranch(
    baseTransactionBranch,
    baseTransactionBranch.length,
    baseTransactionHash(baseTransaction),
    null,
  );
  const writer = new BinaryWriter();
  writeParentBlock(writer, asReferenceWrites(block), { merkleRoot, headerOnly });
  return writer.toBuffer();
}

/** The id of a block. */
export function blockHash(block: Block, coinbaseHash?: Buffer): Buffer {
  const header = headerHashingBlob(block, coinbaseHash);
  return hashWithLength(block.majorVersion === 1 ? header : Buffer.concat([header, parentHashingBlob(block, false)]));
}

/** The input of a block's proof of work. */
export function powInput(block: Block, coinbaseHash?: Buffer): Buffer {
  return block.majorVersion === 1 ? headerHashingBlob(block, coinbaseHash) : parentHashingBlob(block, true);
}

/** Offset of the 4 nonce bytes (little-endian) in `powInput`. */
export function powNonceOffset(block: Block): number {
  const { majorVersion, minorVersion } = block.majorVersion === 1 ? block : parentOf(block);
  return varintSize(majorVersion) + varintSize(minorVersion) + varintSize(block.timestamp) + 32;
}

/** Bytes of the parent block as the reference serializes it, which a rule limits; 0 in version 1. */
export function parentBlockSize(block: Block): number {
  if (block.majorVersion === 1) return 0;
  const writer = new BinaryWriter();
  writeParentBlock(writer, asReferenceWrites(block));
  return writer.toBuffer().length;
}
