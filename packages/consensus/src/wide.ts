import BN from 'bn.js';

/** Products wider than 64 bits go through bn.js; these two lines are the way in and out. */
export function toWide(value: bigint | number): BN {
  return new BN(value.toString(16), 16);
}

export function fromWide(value: BN): bigint {
  return BigInt(`0x${value.toString(16)}`);
}
