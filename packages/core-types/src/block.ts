import { treeDepth } from '@wrkz/crypto';
import { BinaryReader, DecodeError } from './reader';
import { parseExtra } from './extra/daemon-reader';
import type { Block, ParentBlock } from './model';
import { MAX_BLOCK_VERSION, MAX_MERGE_MINING_DEPTH } from './networks/constants';
import { type ParsedTransaction, readParsedTransaction } from './parsed-transaction';
import { readBaseTransaction, writeBaseTransaction, writeTransaction } from './transaction';
import { BinaryWriter } from './writer';

/*
 * The binary form of a block (docs/protocol/blocks.md#block-form). Version 1: header, coinbase, hashes. From version 2
 * on the parent block, with timestamp and nonce, is between header and coinbase.
 */

interface ParentPart {
  readonly timestamp: bigint;
  readonly nonce: number;
  readonly parentBlock: ParentBlock;
}

function readHashes(reader: BinaryReader, count: number): Buffer[] {
  const hashes: Buffer[] = [];
  for (let left = count; left > 0; left--) hashes.push(reader.hash());
  return hashes;
}

function readNonce(reader: BinaryReader): number {
  return reader.bytes(4).readUInt32LE(0);
}

/** Number of hashes from a block of this chain to the root in the parent's coinbase. */
function blockchainBranchLength(parentExtra: Buffer): number {
  const tag = parseExtra(parentExtra).mergeMiningTag;
  if (tag === undefined) throw new DecodeError('parent block without a merge-mining tag');
  if (tag.depth > BigInt(MAX_MERGE_MINING_DEPTH)) throw new DecodeError('merge-mining tag is too deep');
  return Number(tag.depth);
}

function readParent(reader: BinaryReader): ParentPart {
  const majorVersion = reader.varintNumber(8);
  const minorVersion = reader.varintNumber(8);
  const timestamp = reader.varint();
  const previousHash = reader.hash();
  const nonce = readNonce(reader);
  // The reference reads 64 bits and stores 16 (docs/protocol/blocks.md#parent-block); ids use the cut value.
  const transactionCount = Number(reader.varint() & 0xffffn);
  if (transactionCount === 0) throw new DecodeError('parent block without transactions');
  const baseTransactionBranch = readHashes(reader, treeDepth(transactionCount));
  const baseTransaction = readBaseTransaction(reader);
  const blockchainBranch = readHashes(reader, blockchainBranchLength(baseTransaction.extra));
  return {
    timestamp,
    nonce,
    parentBlock: {
      majorVersion,
      minorVersion,
      previousHash,
      transactionCount,
      baseTransactionBranch,
      baseTransaction,
      blockchainBranch,
    },
  };
}

/** Reads a block and its coinbase, for parsed-block.ts. */
export function readBlock(reader: BinaryReader): { block: Block; coinbase: ParsedTransaction } {
  const majorVersion = reader.varintNumber(8);
  if (majorVersion === 0 || majorVersion > MAX_BLOCK_VERSION) {
    throw new DecodeError(`unknown block version ${majorVersion}`);
  }
  const minorVersion = reader.varintNumber(8);
  let header: { timestamp: bigint; previousHash: Buffer; nonce: number; parentBlock?: ParentBlock };
  if (majorVersion === 1) {
    const timestamp = reader.varint();
    header = { timestamp, previousHash: reader.hash(), nonce: readNonce(reader) };
  } else {
    const previousHash = reader.hash();
    header = { previousHash, ...readParent(reader) };
  }
  const coinbase = readParsedTransaction(reader);
  const transactionHashes = readHashes(reader, reader.count(32, 'transaction hashes'));
  const block = { majorVersion, minorVersion, ...header, coinbase: coinbase.transaction, transactionHashes };
  return { block, coinbase };
}

/** Decodes a block from all of `bytes`. The result has views of `bytes`. @throws DecodeError */
export function decodeBlock(bytes: Uint8Array): Block {
  const reader = new BinaryReader(bytes);
  const { block } = readBlock(reader);
  reader.done();
  return block;
}

/** The parent block of a block from version 2 on. @throws RangeError if it is missing or must not exist */
export function parentOf(block: Block): ParentBlock {
  if (block.parentBlock === undefined)
    throw new RangeError(`block version ${block.majorVersion} without a parent block`);
  return block.parentBlock;
}

/**
 * Writes the parent block. `merkleRoot` is only in hashing blobs; `headerOnly` ends it after the transaction count, for the
 * proof of work.
 */
export function writeParentBlock(
  writer: BinaryWriter,
  block: Block,
  options: { readonly merkleRoot?: Buffer; readonly headerOnly?: boolean } = {},
): void {
  const parent = parentOf(block);
  writer
    .varint(parent.majorVersion)
    .varint(parent.minorVersion)
    .varint(block.timestamp)
    .hash(parent.previousHash)
    .uint32(block.nonce);
  if (options.merkleRoot !== undefined) writer.hash(options.merkleRoot);
  writer.varint(parent.transactionCount);
  if (options.headerOnly === true) return;
  if (parent.baseTransactionBranch.length !== treeDepth(parent.transactionCount)) {
    throw new RangeError('the coinbase branch of the parent block does not fit its transaction count');
  }
  for (const hash of parent.baseTransactionBranch) writer.hash(hash);
  writeBaseTransaction(writer, parent.baseTransaction);
  if (parent.blockchainBranch.length !== blockchainBranchLength(parent.baseTransaction.extra)) {
    throw new RangeError('the blockchain branch of the parent block does not fit its merge-mining tag');
  }
  for (const hash of parent.blockchainBranch) writer.hash(hash);
}

/** Writes versions, previous id and, in version 1, timestamp and nonce. */
export function writeBlockHeader(writer: BinaryWriter, block: Block): void {
  if ((block.majorVersion === 1) !== (block.parentBlock === undefined)) {
    throw new RangeError('a block has a parent block exactly from version 2 on');
  }
  writer.varint(block.majorVersion).varint(block.minorVersion);
  if (block.majorVersion === 1) {
    writer.varint(block.timestamp).hash(block.previousHash).uint32(block.nonce);
  } else {
    writer.hash(block.previousHash);
  }
}

/** Encodes a block. @throws RangeError if its parts contradict each other */
export function encodeBlock(block: Block): Buffer {
  const writer = new BinaryWriter();
  writeBlockHeader(writer, block);
  if (block.majorVersion !== 1) writeParentBlock(writer, block);
  writeTransaction(writer, block.coinbase);
  writer.varint(block.transactionHashes.length);
  for (const hash of block.transactionHashes) writer.hash(hash);
  return writer.toBuffer();
}
