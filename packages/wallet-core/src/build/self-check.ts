import {
  type ChainView,
  type ReasonCode,
  REASONS,
  runProofs,
  settleTransaction,
  stageTransaction,
} from '@wrkz/consensus';
import { isPrettyAmount, type ParsedTransaction, parseTransaction } from '@wrkz/core-types';
import type { WalletError } from '../errors';
import type { Plan } from './assemble';
import { failures } from './failures';
import type { Ring } from './rings';

/**
 * Reads a finished transaction back and judges it with the rules that a node's pool applies at the same height
 * (docs/protocol/wallet.md#self-check): sizes, amounts, fee, ring sizes, lock, work and every signature. Only what no
 * wallet can know, whether members of its rings are locked or its inputs spent, is left to the node.
 * @throws WalletError 20, 31, 32, 44, 45, 56, 60
 */
export async function checkFinished(bytes: Buffer, plan: Plan, now: number): Promise<ParsedTransaction> {
  const { terms, fees } = plan.frame;
  const parsed = parseTransaction(bytes);
  const { network, localHeight } = terms;
  const staged = stageTransaction(parsed, {
    network,
    height: localHeight,
    blockTimestamp: now,
    view: ringView(plan.rings, localHeight),
    pool: true,
    checkpointed: false,
    medianSize: network.rulesAt(localHeight + 1).fullRewardZone,
    tipTimestamp: now,
    now,
    spentInBlock: new Set(),
  });
  const refusal = settleTransaction(staged, await runProofs(staged.proofs));
  if (refusal !== undefined) throw failureOf(refusal.code, parsed.size, terms.largestSize);
  if (parsed.size > terms.largestSize) throw failures.transactionTooLarge(parsed.size, terms.largestSize);
  if (!parsed.transaction.outputs.every(({ amount }) => isPrettyAmount(amount))) throw failures.amountsNotPretty();
  if (parsed.fee !== plan.fee || !fees.isExpected(plan.fee, parsed.size)) throw failures.unexpectedFee();
  return parsed;
}

/** A refusal under the code that wallets have for it, else as a node would tell it. */
function failureOf(code: ReasonCode, size: number, largest: number): WalletError {
  switch (code) {
    case 'INPUT_INVALID_SIGNATURES':
    case 'INPUT_INVALID_DOMAIN_KEYIMAGES':
      return failures.ringSignature();
    case 'SIZE_TOO_LARGE':
      return failures.transactionTooLarge(size, largest);
    case 'WRONG_FEE':
    case 'WRONG_AMOUNT':
      return failures.unexpectedFee();
    case 'EXCESSIVE_OUTPUTS':
      return failures.tooManyOutputs();
    case 'UNLOCK_TIME_TOO_SMALL':
      return failures.unlockTimeTooSmall();
    default:
      return failures.nodeError(REASONS[code].text);
  }
}

/** A chain that holds nothing but the members of the rings, as the node told them. */
function ringView(rings: readonly Ring[], height: number): ChainView {
  const keys = new Map<string, Buffer>();
  const place = (amount: bigint, index: number): string => `${amount} ${index}`;
  for (const { input, members } of rings) {
    for (const { index, key } of members) keys.set(place(input.output.amount, index), key);
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
