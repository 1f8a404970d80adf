export * from './block-hashing';
export { decodeBlock, encodeBlock } from './block';
export { BinaryReader, DecodeError } from './reader';
export { parseExtra, type MergeMiningTag, type ParsedExtra } from './extra/daemon-reader';
export { fromHex, isHash64, toHex } from './hex';
export { lowerBound } from './lower-bound';
export * from './model';
export * from './networks';
export { ParsedBlock, parseBlock } from './parsed-block';
export { ParsedTransaction, parseTransaction } from './parsed-transaction';
export { decodeRawBlock, encodeRawBlock, rawBlockBytes } from './raw-block';
export {
  decodeTransaction,
  decodeTransactionPrefix,
  encodeTransaction,
  encodeTransactionPrefix,
  prefixHash,
  transactionHash,
} from './transaction';
export { encodeVarint, MAX_UINT64, varintSize, writeVarint } from './varint';
export { BinaryWriter } from './writer';
export * from './address';
export {
  decomposeAmount,
  describeAmount,
  formatAmount,
  isPrettyAmount,
  parseAmount,
  prettyAmounts,
  splitIntoDenominations,
} from './amounts';
export { decodeBase58, decodeTagged, encodeBase58, encodeTagged } from './base58';
export { buildExtra, buildNonce, type ExtraParts } from './extra/build';
export { ExtraTag, NonceTag, POW_NONCE_SIZE } from './extra/tags';
export { findWalletExtra, type WalletExtraPlaces } from './extra/wallet-places';
export { parseExtraWallet, type WalletExtra } from './extra/wallet-reader';
export { decodeMnemonic, encodeMnemonic, MnemonicError, mnemonicErrorCodes } from './mnemonic';
