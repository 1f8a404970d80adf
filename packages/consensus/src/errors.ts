/**
 * Every answer the chain gives to a block or a transaction (protocol 5 and 6): the text that clients and logs know,
 * and the score a peer earns for having sent such a thing. A peer is scored only for what it could have checked
 * itself without our clock, our tip or our pool, so most scores are either 0 or 100.
 */
export interface Reason {
  /** What the C++ program says, to the letter, its spelling included. */
  readonly text: string;
  /** 100 bans at once; 0 is never held against a peer. */
  readonly banScore: number;
}

const honest = 0;
const doubtful = 10;
const malicious = 100;

export const REASONS = {
  A1: { text: 'Block added to main chain', banScore: honest },
  A2: { text: 'Block added to alternative chain', banScore: honest },
  A3: { text: 'Chain switched', banScore: honest },
  A4: { text: 'Block already exists', banScore: honest },
  A5: { text: 'Block rejected as orphaned', banScore: honest },
  A6: { text: 'Deserialization error', banScore: malicious },

  B1: { text: 'Wrong block version', banScore: malicious },
  B2: { text: 'Parent block size is too big', banScore: malicious },
  B3: { text: 'Parent block has wrong version', banScore: malicious },
  B4: { text: 'Timestamp is too far in future', banScore: honest },
  B5: { text: 'Timestamp is too far in past', banScore: malicious },
  B6: { text: 'Cumulative block size is too big', banScore: malicious },
  B7: { text: 'Block difficulty overhead occurred', banScore: malicious },
  B8: { text: "Block reward doesn't match expected reward", banScore: malicious },
  B9: { text: 'Checkpoint block hash mismatch', banScore: malicious },
  B10: { text: 'Proof of work is too weak', banScore: malicious },
  B11: { text: "Block's transaction is absent in transaction pool", banScore: honest },
  B12: { text: 'Block contains duplicate transaction hashes', banScore: malicious },
  B13: { text: 'Block contains inconsisten transaction hashes', banScore: malicious },

  T1: { text: 'Transaction has no inputs', banScore: malicious },
  T2: { text: 'Transaction has input with unknown type', banScore: malicious },
  T3: { text: "Transaction's input uses empty output", banScore: malicious },
  T4: { text: 'Transaction uses key image not in the valid domain', banScore: malicious },
  T5: { text: 'Transaction has identical key images', banScore: malicious },
  T6: { text: 'Transaction has identical output indexes', banScore: malicious },
  T7: { text: 'Transaction contains an input which has already been spent', banScore: honest },
  T8: { text: 'Transaction has input with invalid global index', banScore: honest },
  T9: { text: 'Transaction uses locked input', banScore: honest },
  T10: { text: 'Transaction has input with invalid signature', banScore: doubtful },
  T12: { text: "Transaction's inputs sum overflow", banScore: malicious },
  T13: { text: 'Wrong input count', banScore: malicious },
  T14: { text: 'Wrong input type', banScore: malicious },
  T15: { text: 'Base input has wrong block index', banScore: malicious },
  T16: { text: 'Transaction has zero output amount', banScore: malicious },
  T17: { text: 'Transaction has output with invalid key', banScore: malicious },
  T20: { text: 'Transaction has outputs amount overflow', banScore: malicious },
  T21: { text: 'Transaction wrong amount', banScore: malicious },
  T22: { text: 'Transaction has wrong unlock time', banScore: malicious },
  T23: { text: 'Mixin too large or too small', banScore: doubtful },
  T24: { text: 'Transaction extra too large', banScore: doubtful },
  T26: { text: 'The number of input signatures is not correct', banScore: doubtful },
  T27: { text: 'Transaction has output exceeding max output size', banScore: doubtful },
  T28: { text: 'Transaction has an excessive number of outputs for the input count', banScore: doubtful },
  T29: { text: 'Transaction fee is below minimum fee and is not a fusion transaction', banScore: doubtful },
  T30: { text: 'Transaction is too large (in bytes)', banScore: honest },
  T31: { text: 'Transaction has a too weak proof of work', banScore: doubtful },
  T32: { text: 'Transaction has a too small unlock time', banScore: honest },
} as const satisfies Record<string, Reason>;

/** A = the fate of a block, B = a block rule, T = a transaction rule. */
export type ReasonCode = keyof typeof REASONS;

/** Why a block or a transaction is refused. Data, not an exception: a refusal is an ordinary answer. */
export class RuleFailure {
  readonly code: ReasonCode;
  /** The offending transaction of a block, where it is one transaction's fault. */
  readonly transactionHash: Buffer | undefined;
  /** Numbers for the log; never part of what a client is told. */
  readonly detail: string | undefined;

  constructor(code: ReasonCode, context: { transactionHash?: Buffer | undefined; detail?: string | undefined } = {}) {
    this.code = code;
    this.transactionHash = context.transactionHash;
    this.detail = context.detail;
  }

  /** The text of the table, as clients know it. */
  get message(): string {
    return REASONS[this.code].text;
  }

  get banScore(): number {
    return REASONS[this.code].banScore;
  }
}
