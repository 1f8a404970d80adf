import { cnFastHash, treeHash, treeHashFromBranch } from '@wrkz/crypto';
import { baseTransactionHash, type Block, transactionHash, type TransactionInput } from '../src';

/*
 * The serialization from which the reference computes ids and sizes. It does not use the encoders of the package, so tests
 * detect errors in them; round-trip tests would not.
 */

function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let left = BigInt(value);
  for (; left >= 0x80n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  bytes.push(Number(left));
  return Buffer.from(bytes);
}

function inputBytes(input: TransactionInput): Buffer {
  if (input.type === 'base') return Buffer.concat([Buffer.from([0xff]), varint(input.height)]);
  return Buffer.concat([
    Buffer.from([2]),
    varint(input.amount),
    varint(input.keyOffsets.length),
    ...input.keyOffsets.map(varint),
    input.keyImage,
  ]);
}

/** The parent block as serialized by the reference, without the encoders of the package. */
export function referenceParent(block: Block, root?: Buffer): Buffer {
  const parent = block.parentBlock!;
  const coinbase = parent.baseTransaction;
  const nonce = Buffer.alloc(4);
  nonce.writeUInt32LE(block.nonce);
  return Buffer.concat([
    varint(parent.majorVersion),
    varint(parent.minorVersion),
    varint(block.timestamp),
    parent.previousHash,
    nonce,
    root ?? Buffer.alloc(0),
    varint(parent.transactionCount),
    ...parent.baseTransactionBranch,
    varint(coinbase.version),
    varint(coinbase.unlockTime),
    varint(coinbase.inputs.length),
    ...coinbase.inputs.map(inputBytes),
    varint(coinbase.outputs.length),
    ...coinbase.outputs.map(({ amount, key }) => Buffer.concat([varint(amount), Buffer.from([2]), key])),
    varint(coinbase.extra.length),
    coinbase.extra,
    coinbase.version >= 2 ? Buffer.from([0]) : Buffer.alloc(0),
    ...parent.blockchainBranch,
  ]);
}

/** The block id, computed with `referenceParent`. */
export function referenceId(block: Block): Buffer {
  if (block.majorVersion === 1) return hashWithLength(header(block));
  const parent = block.parentBlock!;
  const branch = parent.baseTransactionBranch;
  const root = treeHashFromBranch(branch, branch.length, baseTransactionHash(parent.baseTransaction), null);
  return hashWithLength(Buffer.concat([header(block), referenceParent(block, root)]));
}

function header(block: Block): Buffer {
  const nonce = Buffer.alloc(4);
  nonce.writeUInt32LE(block.nonce);
  return Buffer.concat([
    varint(block.majorVersion),
    varint(block.minorVersion),
    ...(block.majorVersion === 1 ? [varint(block.timestamp), block.previousHash, nonce] : [block.previousHash]),
    treeHash([transactionHash(block.coinbase), ...block.transactionHashes]),
    varint(block.transactionHashes.length + 1),
  ]);
}

function hashWithLength(blob: Buffer): Buffer {
  return cnFastHash(Buffer.concat([varint(blob.length), blob]));
}
