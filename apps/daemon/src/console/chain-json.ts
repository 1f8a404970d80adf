import { type BaseTransaction, type Block, type ParentBlock, toHex, type Transaction } from '@wrkz/core-types';
import { stringifyJson } from '@wrkz/service-kit';
import { transactionPrefixJson } from '../rpc/queries/transactions';

/**
 * Blocks and transactions as one line of JSON with the network's field names in alphabetical order and bytes as hex. Signatures are
 * listed for each input; the C++ node prints only the last one.
 */
export function blockJson(block: Block): string {
  const { majorVersion, minorVersion, timestamp, previousHash, nonce, parentBlock } = block;
  const own = { nonce: nonceHex(nonce), timestamp };
  return print({
    major_version: majorVersion,
    minor_version: minorVersion,
    prev_id: toHex(previousHash),
    miner_tx: transactionFields(block.coinbase),
    tx_hashes: block.transactionHashes.map((hash) => toHex(hash)),
    ...(parentBlock === undefined ? own : { parent_block: { ...parentFields(parentBlock), ...own } }),
  });
}

export function transactionJson(transaction: Transaction): string {
  return print(transactionFields(transaction));
}

function transactionFields(transaction: Transaction): Record<string, unknown> {
  const signatures = transaction.signatures.map((all) => {
    return Array.from({ length: all.length / 64 }, (_, i) => toHex(all.subarray(i * 64, (i + 1) * 64)));
  });
  const signed = signatures.some((ring) => ring.length > 0);
  return { ...transactionPrefixJson(transaction), ...(signed ? { signatures } : {}) };
}

function parentFields(parent: ParentBlock): Record<string, unknown> {
  return {
    majorVersion: parent.majorVersion,
    minorVersion: parent.minorVersion,
    prevId: toHex(parent.previousHash),
    numberOfTransactions: parent.transactionCount,
    minerTx: baseFields(parent.baseTransaction),
    baseTransactionBranch: parent.baseTransactionBranch.map((hash) => toHex(hash)),
    blockchainBranch: parent.blockchainBranch.map((hash) => toHex(hash)),
  };
}

function baseFields(transaction: BaseTransaction): Record<string, unknown> {
  const { ignored } = transaction;
  return { ...transactionPrefixJson(transaction), ...(ignored === undefined ? {} : { ignored }) };
}

/** The four bytes of the nonce in the order of the block. */
function nonceHex(nonce: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(nonce);
  return toHex(bytes);
}

function print(value: unknown): string {
  return stringifyJson(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, field]) => [name, sorted(field)]));
}
