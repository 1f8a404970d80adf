import {
  type ChainView,
  type ReasonCode,
  REASONS,
  runProofs,
  settleTransaction,
  type StagedTransaction,
  stageTransaction,
} from '@wrkz/consensus';
import { isPrettyAmount, type Network, type ParsedTransaction, parseTransaction } from '@wrkz/core-types';
import { nodeRefusal, walletError, type WalletError } from '../errors';
import type { Plan } from './assemble';

/**
 * Reads a finished transaction back and judges it with the rules that a node's pool applies at the same height
 * (docs/protocol/wallet.md#self-check): sizes, amounts, fee, ring sizes, lock, work and every signature. Only what no
 * wallet can know, whether members of its rings are locked or its inputs spent, is left to the node.
 * @throws WalletError 20, 31, 32, 44, 45, 56, 60
 */
export async function checkFinished(bytes: Buffer, plan: Plan, now: number): Promise<ParsedTransaction> {
  const { terms, fees } = plan.frame;
  const parsed = parseTransaction(bytes);
  const { network, localHeight: height } = terms;
  const rings = plan.rings.map(({ input, members }) => ({ amount: input.output.amount, members }));
  const staged = stageForPool(parsed, { network, height, rings, now });
  const refusal = settleTransaction(staged, await runProofs(staged.proofs));
  if (refusal !== undefined) throw failureOf(refusal.code, parsed.size, terms.largestSize);
  if (parsed.size > terms.largestSize) throw walletError.tooManyInputsToFitInBlock(parsed.size, terms.largestSize);
  if (!parsed.transaction.outputs.every(({ amount }) => isPrettyAmount(amount))) throw walletError.amountsNotPretty();
  if (parsed.fee !== plan.fee || !fees.isExpected(plan.fee, parsed.size)) throw walletError.unexpectedFee();
  return parsed;
}

/** The members of a ring, as a node reported them. */
export interface CheckedRing {
  readonly amount: bigint;
  readonly members: readonly { readonly index: number; readonly key: Buffer }[];
}

interface PoolContext {
  readonly network: Network;
  /** Index of the top block. */
  readonly height: number;
  readonly rings: readonly CheckedRing[];
  /** Unix seconds. */
  readonly now: number;
}

/** Applies the pool's rules at a height; signatures and proof of work are left as proofs. */
export function stageForPool(
  parsed: ParsedTransaction,
  { network, height, rings, now }: PoolContext,
): StagedTransaction {
  return stageTransaction(parsed, {
    network,
    height,
    blockTimestamp: now,
    view: ringView(rings, height),
    pool: true,
    checkpointed: false,
    medianSize: network.rulesAt(height + 1).fullRewardZone,
    tipTimestamp: now,
    now,
    spentInBlock: new Set(),
  });
}

/** A refusal under the code that wallets have for it, else as a node would tell it. */
function failureOf(code: ReasonCode, size: number, largest: number): WalletError {
  switch (code) {
    case 'INPUT_INVALID_SIGNATURES':
    case 'INPUT_INVALID_DOMAIN_KEYIMAGES':
      return walletError.failedToCreateRingSignature();
    case 'SIZE_TOO_LARGE':
      return walletError.tooManyInputsToFitInBlock(size, largest);
    case 'WRONG_FEE':
    case 'WRONG_AMOUNT':
      return walletError.unexpectedFee();
    case 'EXCESSIVE_OUTPUTS':
      return walletError.outputDecomposition();
    case 'UNLOCK_TIME_TOO_SMALL':
      return walletError.unlockTimeTooSmall();
    default:
      return nodeRefusal(REASONS[code].text);
  }
}

/** A chain that holds nothing but the members of the rings, as the node told them. */
function ringView(rings: readonly CheckedRing[], height: number): ChainView {
  const keys = new Map<string, Buffer>();
  const place = (amount: bigint, index: number): string => `${amount} ${index}`;
  for (const { amount, members } of rings) {
    for (const { index, key } of members) keys.set(place(amount, index), key);
  }
  const unknown = (): never => {
    throw new RangeError('a wallet holds no blocks');
  };
  return {
    height,
    facts: unknown,
    window: unknown,
    keyImageHeight: () => undefined,
    output: (amount, index) => {
      const key = keys.get(place(amount, index));
      return key === undefined ? undefined : { key, unlockTime: 0n, height: 0 };
    },
    outputCount: unknown,
  };
}
