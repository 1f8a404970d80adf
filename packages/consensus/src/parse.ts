import { DecodeError, parseBlock, parseTransaction, type ParsedBlock, type ParsedTransaction } from '@wrkz/core-types';
import { RuleFailure } from './errors';

/* The first step of validation: invalid bytes are rejected with DESERIALIZATION_FAILED. */

/**
 * Parses a block. The caller checks whether it is known and has a parent before it parses the transactions
 * (docs/protocol/blocks.md#order-of-checks).
 */
export function parseBlockOrRefuse(bytes: Uint8Array): ParsedBlock | RuleFailure {
  return refusing(() => parseBlock(bytes));
}

/** The transactions delivered with a block, in their order. */
export function parseTransactionsOrRefuse(list: readonly Uint8Array[]): ParsedTransaction[] | RuleFailure {
  return refusing(() => list.map((bytes) => parseTransaction(bytes)));
}

function refusing<T>(parse: () => T): T | RuleFailure {
  try {
    return parse();
  } catch (error) {
    if (error instanceof DecodeError) return new RuleFailure('DESERIALIZATION_FAILED', { detail: error.message });
    throw error;
  }
}
