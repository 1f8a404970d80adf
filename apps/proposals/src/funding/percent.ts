/**
 * What share of a target was received, in hundredths of a percent, halves rounded up: 1 of 3 is 3333. It goes beyond 10,000
 * when more was received than asked for.
 */
export function fundedHundredths(received: bigint, target: bigint): bigint {
  return (received * 20_000n + target) / (target * 2n);
}

/** The same as a percentage with two decimals, exact: 33.33. */
export function fundedPercent(received: bigint, target: bigint): number {
  return Number(fundedHundredths(received, target)) / 100;
}
