import { cnFastHash } from '@wrkz/crypto';
import { BinaryReader, DecodeError } from './reader';
import type { BaseTransaction, Transaction, TransactionInput, TransactionOutput, TransactionPrefix } from './model';
import { MAX_TRANSACTION_VERSION } from './networks/constants';
import { BinaryWriter } from './writer';

/*
 * The binary form of a transaction (docs/protocol/transactions.md#transaction-form): version, unlock time, inputs,
 * outputs, extra, then the signatures without a count. Decoded byte fields are views of the input.
 */

const BASE_INPUT_TAG = 0xff;
const KEY_TAG = 0x02;
const SIGNATURE_SIZE = 64;
/** An offset is at least one byte. */
const MEMBER_SIZE = 1;
/** A base input is its tag and a height; an output is amount, tag and key. */
const MIN_INPUT_SIZE = 2;
const MIN_OUTPUT_SIZE = 34;
const NO_SIGNATURES = Buffer.alloc(0);

/** `memberSize`: min bytes of a ring member, including its signature if signatures follow. */
function readInput(reader: BinaryReader, memberSize: number): TransactionInput {
  const tag = reader.byte();
  if (tag === KEY_TAG) {
    const amount = reader.varint();
    const count = reader.count(memberSize, 'ring members');
    const keyOffsets = new Array<number>(count);
    for (let i = 0; i < count; i++) keyOffsets[i] = reader.varintNumber(32);
    return { type: 'key', amount, keyOffsets, keyImage: reader.hash() };
  }
  if (tag === BASE_INPUT_TAG) return { type: 'base', height: reader.varintNumber(32) };
  throw new DecodeError(`unknown input type ${tag}`);
}

function readOutput(reader: BinaryReader): TransactionOutput {
  const amount = reader.varint();
  const tag = reader.byte();
  if (tag !== KEY_TAG) throw new DecodeError(`unknown output type ${tag}`);
  return { amount, key: reader.hash() };
}

function readBody(reader: BinaryReader, version: number, memberSize: number): TransactionPrefix {
  const unlockTime = reader.varint();
  const inputs: TransactionInput[] = [];
  for (let left = reader.count(MIN_INPUT_SIZE, 'inputs'); left > 0; left--) inputs.push(readInput(reader, memberSize));
  const outputs: TransactionOutput[] = [];
  for (let left = reader.count(MIN_OUTPUT_SIZE, 'outputs'); left > 0; left--) outputs.push(readOutput(reader));
  const extra = reader.bytes(reader.count(1, 'bytes of extra'));
  return { version, unlockTime, inputs, outputs, extra };
}

/** Reads a prefix at the reader's position. */
function readTransactionPrefix(reader: BinaryReader, memberSize: number): TransactionPrefix {
  const version = reader.varintNumber(8);
  if (version > MAX_TRANSACTION_VERSION) throw new DecodeError(`unknown transaction version ${version}`);
  return readBody(reader, version, memberSize);
}

function ringSize(input: TransactionInput): number {
  return input.type === 'key' ? input.keyOffsets.length : 0;
}

function readSignatures(reader: BinaryReader, inputs: readonly TransactionInput[]): Buffer[] {
  return inputs.map((input) => {
    const size = ringSize(input);
    return size === 0 ? NO_SIGNATURES : reader.bytes(size * SIGNATURE_SIZE);
  });
}

/** Reads a transaction at the reader's position: its prefix and as many signatures as its rings have members. */
export function readTransaction(reader: BinaryReader): Transaction {
  const prefix = readTransactionPrefix(reader, MEMBER_SIZE + SIGNATURE_SIZE);
  return { ...prefix, signatures: readSignatures(reader, prefix.inputs) };
}

/** Reads the coinbase of a merge-mining parent: any version, no signatures (docs/protocol/blocks.md#parent-block). */
export function readBaseTransaction(reader: BinaryReader): BaseTransaction {
  const version = reader.varintNumber(8);
  const prefix = readBody(reader, version, MEMBER_SIZE);
  return version >= 2 ? { ...prefix, ignored: reader.varint() } : prefix;
}

/** Decodes a transaction from all of `bytes`. The result has views of `bytes`. @throws DecodeError */
export function decodeTransaction(bytes: Uint8Array): Transaction {
  const reader = new BinaryReader(bytes);
  const transaction = readTransaction(reader);
  reader.done();
  return transaction;
}

/**
 * Decodes a prefix from all of `bytes`. With `allowSignatures` the complete signatures of its rings may follow. The result has
 * views of `bytes`.
 * @throws DecodeError
 */
export function decodeTransactionPrefix(
  bytes: Uint8Array,
  options: { readonly allowSignatures?: boolean } = {},
): TransactionPrefix {
  const reader = new BinaryReader(bytes);
  const prefix = readTransactionPrefix(reader, MEMBER_SIZE);
  if (options.allowSignatures === true && reader.remaining > 0) readSignatures(reader, prefix.inputs);
  reader.done();
  return prefix;
}

function writeInput(writer: BinaryWriter, input: TransactionInput): void {
  if (input.type === 'base') {
    writer.byte(BASE_INPUT_TAG).varint(input.height);
    return;
  }
  writer.byte(KEY_TAG).varint(input.amount).varint(input.keyOffsets.length);
  for (const offset of input.keyOffsets) writer.varint(offset);
  writer.hash(input.keyImage);
}

/** Writes a prefix, of a transaction or of a parent's coinbase. */
export function writeTransactionPrefix(writer: BinaryWriter, prefix: TransactionPrefix): void {
  writer.varint(prefix.version).varint(prefix.unlockTime).varint(prefix.inputs.length);
  for (const input of prefix.inputs) writeInput(writer, input);
  writer.varint(prefix.outputs.length);
  for (const output of prefix.outputs) writer.varint(output.amount).byte(KEY_TAG).hash(output.key);
  writer.varint(prefix.extra.length).bytes(prefix.extra);
}

/** Writes a transaction. @throws RangeError if the signatures do not match the rings */
export function writeTransaction(writer: BinaryWriter, transaction: Transaction): void {
  writeTransactionPrefix(writer, transaction);
  const { inputs, signatures } = transaction;
  // A coinbase may have an empty list instead of one empty entry.
  if (signatures.length !== inputs.length && signatures.length !== 0) {
    throw new RangeError(`${signatures.length} signature lists for ${inputs.length} inputs`);
  }
  inputs.forEach((input, i) => {
    const own = signatures[i] ?? NO_SIGNATURES;
    if (own.length !== ringSize(input) * SIGNATURE_SIZE) {
      throw new RangeError(`input ${i} has ${own.length} bytes of signatures for a ring of ${ringSize(input)}`);
    }
    writer.bytes(own);
  });
}

/** Writes a parent's coinbase. */
export function writeBaseTransaction(writer: BinaryWriter, transaction: BaseTransaction): void {
  writeTransactionPrefix(writer, transaction);
  if (transaction.version >= 2) writer.varint(transaction.ignored ?? 0n);
}

/** The bytes of a prefix, which are signed and which the transaction proof of work hashes. */
export function encodeTransactionPrefix(prefix: TransactionPrefix): Buffer {
  const writer = new BinaryWriter();
  writeTransactionPrefix(writer, prefix);
  return writer.toBuffer();
}

/** The bytes of a transaction. */
export function encodeTransaction(transaction: Transaction): Buffer {
  const writer = new BinaryWriter();
  writeTransaction(writer, transaction);
  return writer.toBuffer();
}

/** The id of a transaction: the hash of all its bytes, signatures included. */
export function transactionHash(transaction: Transaction | Uint8Array): Buffer {
  return cnFastHash(transaction instanceof Uint8Array ? transaction : encodeTransaction(transaction));
}

/** The hash that ring signatures sign. */
export function prefixHash(prefix: TransactionPrefix): Buffer {
  return cnFastHash(encodeTransactionPrefix(prefix));
}
