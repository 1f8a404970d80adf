export * from './block-hashing';
export { decodeBlock, encodeBlock } from './block';
export { DecodeError } from './errors';
export { parseExtra, type MergeMiningTag, type ParsedExtra } from './extra/daemon-reader';
export { fromHex, isHash64, toHex } from './hex';
export * from './model';
export * from './networks';
export { ParsedBlock, parseBlock } from './parsed-block';
export { ParsedTransaction, parseTransaction } from './parsed-transaction';
export { decodeRawBlock, encodeRawBlock } from './raw-block';
export { BinaryReader } from './reader';
export {
  decodeTransaction,
  decodeTransactionPrefix,
  encodeTransaction,
  encodeTransactionPrefix,
  prefixHash,
  transactionHash,
} from './transaction';
export { encodeVarint, varintSize, writeVarint } from './varint';
export { BinaryWriter } from './writer';
