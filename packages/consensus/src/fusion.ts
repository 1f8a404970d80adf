import {
  FUSION_MAX_SIZE,
  FUSION_MIN_INPUT_OUTPUT_RATIO,
  FUSION_MIN_INPUTS,
  decomposeAmount,
  type Rules,
} from '@wrkz/core-types';

/** The rules that fusion needs, by the index of the previous block. */
export type FusionRules = Pick<Rules, 'fusionFee' | 'fusionDustThreshold'>;

/**
 * Whether a transaction only joins small outputs into large ones (docs/protocol/transactions.md#fusion): many inputs,
 * and outputs that are, in ascending order, exactly the digits of their sum.
 *
 * @param size serialized bytes
 */
export function isFusion(
  inputs: readonly bigint[],
  outputs: readonly bigint[],
  size: number,
  rules: FusionRules,
): boolean {
  if (size > FUSION_MAX_SIZE || inputs.length < FUSION_MIN_INPUTS) return false;
  if (inputs.length < outputs.length * FUSION_MIN_INPUT_OUTPUT_RATIO) return false;
  let sum = 0n;
  for (const amount of inputs) {
    if (amount < rules.fusionDustThreshold) return false;
    sum += amount;
  }
  // Unsigned 64-bit as in the reference: a sum below the fee wraps and then never matches.
  const target = BigInt.asUintN(64, sum - rules.fusionFee);
  const expected = decomposeAmount(target, rules.fusionDustThreshold); // ascending, its dust first
  return expected.length === outputs.length && expected.every((amount, i) => amount === outputs[i]);
}
