import BN from 'bn.js';

/*
 * bn.js carries the two products of consensus that the reference computes in 128 bits: the size penalty of the reward
 * and the work times the target of the legacy difficulty. There the width is a part of the rule, and a type of its own
 * keeps such a product from being mixed with amounts of 64 bits before it is brought back.
 */

/** The way in: a value of at most 64 bits. */
export function toWide(value: bigint | number): BN {
  return new BN(value.toString(16), 16);
}

/** The way out. */
export function fromWide(value: BN): bigint {
  return BigInt(`0x${value.toString(16)}`);
}
