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
import type { RingMember } from './model';

/**
 * Parses a signed transaction and applies the rules of a node's pool at the same height: sizes, amounts, fee, ring sizes,
 * unlock time, proof of work and signatures (docs/protocol/wallet.md#self-check). Only a node can check that ring members
 * are unlocked and that inputs are unspent.
 * @throws WalletError failedToCreateRingSignature, daemonError, tooManyInputsToFitInBlock, amountsNotPretty, unexpectedFee,
 * outputDecomposition, unlockTimeTooSmall
 */
export async function selfCheck(bytes: Buffer, plan: Plan, now: number): Promise<ParsedTransaction> {
  const { terms, fees } = plan.settings;
  const parsed = parseTransaction(bytes);
  const { network, localHeight: height, maxSize } = terms;
  const rings = plan.rings.map(({ input, members }) => ({ amount: input.output.amount, members }));
  const staged = stageForPool(parsed, { network, height, rings, now });
  const refusal = settleTransaction(staged, await runProofs(staged.proofs));
  if (refusal !== undefined) throw failureOf(refusal.code, parsed.size, maxSize);
  if (parsed.size > maxSize) throw walletError.tooManyInputsToFitInBlock(parsed.size, maxSize);
  if (!parsed.transaction.outputs.every(({ amount }) => isPrettyAmount(amount))) throw walletError.amountsNotPretty();
  if (parsed.fee !== plan.fee || !fees.isExpected(plan.fee, parsed.size)) throw walletError.unexpectedFee();
  return parsed;
}

interface PoolContext {
  readonly network: Network;
  /** Index of the top block. */
  readonly height: number;
  readonly rings: readonly CheckedRing[];
  /** Unix seconds. */
  readonly now: number;
}

interface CheckedRing {
  readonly amount: bigint;
  readonly members: readonly RingMember[];
}

/** Applies the rules of the pool at a height, except signatures and proof of work. */
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

/** The wallet error for a consensus failure. Failures without a wallet error of their own get the text of a node. */
function failureOf(code: ReasonCode, size: number, maxSize: number): WalletError {
  switch (code) {
    case 'INPUT_INVALID_SIGNATURES':
    case 'INPUT_INVALID_DOMAIN_KEYIMAGES':
      return walletError.failedToCreateRingSignature();
    case 'SIZE_TOO_LARGE':
      return walletError.tooManyInputsToFitInBlock(size, maxSize);
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

/** A chain view that contains only the ring members as reported by the node. */
function ringView(rings: readonly CheckedRing[], height: number): ChainView {
  const keys = new Map<string, Buffer>();
  const place = (amount: bigint, index: number): string => `${amount} ${index}`;
  for (const { amount, members } of rings) {
    for (const { index, key } of members) keys.set(place(amount, index), Buffer.from(key, 'hex'));
  }
  const unavailable = (): never => {
    throw new RangeError('a wallet has no blocks');
  };
  return {
    height,
    facts: unavailable,
    window: unavailable,
    keyImageHeight: () => undefined,
    output: (amount, index) => {
      const key = keys.get(place(amount, index));
      return key === undefined ? undefined : { key, unlockTime: 0n, height: 0 };
    },
    outputCount: unavailable,
  };
}
