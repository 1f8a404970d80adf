import { transactionPowDifficulty } from '@wrkz/consensus';
import {
  decodeTransactionPrefix,
  encodeTransactionPrefix,
  ExtraTag,
  MAX_TRANSACTION_OUTPUTS,
  MAX_UINT64,
  POW_NONCE_SIZE,
  type Network,
  type TransactionPrefix,
} from '@wrkz/core-types';
import type { JobSpec } from './job';
import { PowRefusal, type RefusalName } from './refusals';

const MIN_PREFIX_SIZE = 9;
const MAX_RING_SIZE = 128;

/** A height above every rule change. */
const NEWEST_RULES = Number.MAX_SAFE_INTEGER;

export interface PrefixOptions {
  readonly network: Network;
  /** Block index whose rules apply; undefined: the newest rules. */
  readonly height: number | undefined;
  readonly maxDifficulty: bigint;
}

/**
 * Validates a serialized prefix and computes the difficulty of its proof of work.
 * @throws PowRefusal for the first failing check, in the order of the error table
 */
export function validatePrefix(bytes: Buffer, options: PrefixOptions): JobSpec {
  if (bytes.length < MIN_PREFIX_SIZE) throw new PowRefusal('tooShort');
  const prefix = decode(bytes);
  const problem = shapeProblem(prefix) ?? amountProblem(prefix) ?? (endsWithNonce(prefix) ? undefined : 'noNonceTag');
  if (problem !== undefined) throw new PowRefusal(problem);
  const difficulty = transactionPowDifficulty(prefix, options.network, options.height ?? NEWEST_RULES);
  if (difficulty === 0n) throw new PowRefusal('nothingNeeded');
  if (difficulty > options.maxDifficulty) {
    throw new PowRefusal('tooDifficult', {
      values: { difficulty: String(difficulty), limit: String(options.maxDifficulty) },
    });
  }
  return { prefix: bytes, inputs: prefix.inputs.length, outputs: prefix.outputs.length, difficulty };
}

function decode(bytes: Buffer): TransactionPrefix {
  let prefix: TransactionPrefix;
  try {
    prefix = decodeTransactionPrefix(bytes);
  } catch {
    throw new PowRefusal('notAPrefix');
  }
  if (!encodeTransactionPrefix(prefix).equals(bytes)) throw new PowRefusal('notCanonical');
  return prefix;
}

function shapeProblem({ inputs, outputs }: TransactionPrefix): RefusalName | undefined {
  if (inputs.length === 0) return 'noInputs';
  if (outputs.length === 0) return 'noOutputs';
  if (outputs.length > MAX_TRANSACTION_OUTPUTS) return 'tooManyOutputs';
  for (const input of inputs) {
    if (input.type !== 'key') return 'notKeyInput';
    if (input.keyOffsets.length === 0 || input.keyOffsets.length > MAX_RING_SIZE) return 'ringSize';
  }
  return undefined;
}

function amountProblem({ inputs, outputs }: TransactionPrefix): RefusalName | undefined {
  const paid = inputs.reduce((sum, input) => sum + (input.type === 'key' ? input.amount : 0n), 0n);
  if (paid > MAX_UINT64) return 'inputOverflow';
  const received = outputs.reduce((sum, output) => sum + output.amount, 0n);
  if (received > MAX_UINT64) return 'outputOverflow';
  if (received > paid) return 'outputsExceedInputs';
  return received === paid ? 'zeroFee' : undefined;
}

function endsWithNonce({ extra }: TransactionPrefix): boolean {
  return extra[extra.length - POW_NONCE_SIZE - 1] === ExtraTag.powNonce;
}
