import { COINBASE_UNLOCK_WINDOW, MAX_PARENT_BLOCK_SIZE, MAX_UINT64 } from '@wrkz/core-types';
import type { BlockStep } from './block-context';
import { hardSizeLimit } from './sizes';
import { minTimestamp } from './median';

/*
 * Steps 3 to 6 of docs/protocol/blocks.md#order-of-checks: rules that need the block, the clock and earlier timestamps,
 * but no transactions.
 */

export const checkHardSize: BlockStep = ({ size, height }) =>
  size > hardSizeLimit(height) ? 'CUMULATIVE_BLOCK_SIZE_TOO_BIG' : undefined;

/** Requires the version of the height in the coinbase, or of height 0 if the coinbase has none. */
export const checkVersion: BlockStep = ({ parsed, context }) => {
  const [input, second] = parsed.block.coinbase.inputs;
  const claimed = input?.type === 'base' && second === undefined ? input.height : 0;
  return parsed.block.majorVersion === context.network.rulesAt(claimed).blockVersion ? undefined : 'WRONG_VERSION';
};

export const checkParentBlock: BlockStep = ({ parsed }) => {
  const { majorVersion, parentBlock } = parsed.block;
  // The parent block is part of the block, so a block below the limit needs no further check.
  if (parsed.bytes.length > MAX_PARENT_BLOCK_SIZE && parsed.parentSize > MAX_PARENT_BLOCK_SIZE)
    return 'PARENT_BLOCK_SIZE_TOO_BIG';
  return majorVersion === 2 && parentBlock !== undefined && parentBlock.majorVersion > 1
    ? 'PARENT_BLOCK_WRONG_VERSION'
    : undefined;
};

export const checkTimestamp: BlockStep = ({ parsed, context, parent, rules }) => {
  const { timestamp } = parsed.block;
  if (timestamp > BigInt(context.now + rules.futureTimeLimit)) return 'TIMESTAMP_TOO_FAR_IN_FUTURE';
  const least = minTimestamp(context.view, parent.height, rules.timestampWindow);
  return least !== undefined && timestamp < BigInt(least) ? 'TIMESTAMP_TOO_FAR_IN_PAST' : undefined;
};

/** No rule limits the size of the coinbase, its extra, or the number and denominations of its outputs. */
export const checkCoinbase: BlockStep = (staging) => {
  const { parsed, height, proofs } = staging;
  const { inputs, outputs, unlockTime } = parsed.block.coinbase;
  const [input] = inputs;
  if (input === undefined || inputs.length !== 1) return 'INPUT_WRONG_COUNT';
  if (input.type !== 'base') return 'INPUT_UNEXPECTED_TYPE';
  if (input.height !== height) return 'BASE_INPUT_WRONG_BLOCK_INDEX';
  if (unlockTime !== BigInt(height + COINBASE_UNLOCK_WINDOW)) return 'WRONG_TRANSACTION_UNLOCK_TIME';
  for (const { amount, key } of outputs) {
    if (amount === 0n) return 'OUTPUT_ZERO_AMOUNT';
    proofs.push({ kind: 'outputKey', key, transaction: parsed.coinbase });
    staging.coinbaseSum += amount;
    if (staging.coinbaseSum > MAX_UINT64) return 'OUTPUTS_AMOUNT_OVERFLOW';
  }
  return undefined;
};
