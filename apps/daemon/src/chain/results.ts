import { type AddBlockCode, type ReasonCode, REASONS, type RuleFailure } from '@wrkz/consensus';

/** The result for one block from a peer, a miner or a file. */
export interface AddBlockResult {
  /** The outcome, or the rule that the block or one of its transactions broke. */
  readonly code: ReasonCode;
  /** The text that belongs to the code. */
  readonly message: string;
  /** Missing only when the block did not parse. */
  readonly hash?: Buffer;
  readonly height?: number;
  /** The transaction that broke a rule of transactions. */
  readonly transactionHash?: Buffer;
}

/**
 * The block is stored: on the main chain, on a side branch, or already before
 * (docs/protocol/reasons.md#what-becomes-of-a-block).
 */
const ACCEPTED: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'ADDED_TO_MAIN',
  'ADDED_TO_ALTERNATIVE',
  'ADDED_TO_ALTERNATIVE_AND_SWITCHED',
  'ALREADY_EXISTS',
]);

/** Whether the block is stored now, so that its children may follow. */
export function isAccepted(result: Pick<AddBlockResult, 'code'>): boolean {
  return ACCEPTED.has(result.code);
}

/** The result for a block with a hash. */
export function verdict(code: AddBlockCode, hash: Buffer, height?: number): AddBlockResult {
  return { code, message: REASONS[code].text, hash, ...(height === undefined ? {} : { height }) };
}

/** The result for bytes that are not a block. */
export function unreadable(): AddBlockResult {
  return { code: 'DESERIALIZATION_FAILED', message: REASONS.DESERIALIZATION_FAILED.text };
}

/** The result for a block that breaks a rule. */
export function refused(failure: RuleFailure, hash: Buffer): AddBlockResult {
  const { code, message, transactionHash } = failure;
  return { code, message, hash, ...(transactionHash === undefined ? {} : { transactionHash }) };
}
