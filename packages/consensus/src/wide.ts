import BN from 'bn.js';

/*
 * bn.js computes the two products of consensus that the reference computes in 128 bits: the size penalty of the reward and the
 * work times the target of the legacy difficulty. The width is part of the rule there. The separate type prevents such a product
 * from being mixed with 64-bit amounts before it is converted back.
 */

/** Converts a value of at most 64 bits. */
export function toWide(value: bigint | number): BN {
  return new BN(value.toString(16), 16);
}

/** Converts back to a bigint. */
export function fromWide(value: BN): bigint {
  return BigInt(`0x${value.toString(16)}`);
}
