/** Rows of the recordings that are answered otherwise on purpose, and why (docs/differences.md#wallet). */
const DIFFERENCES: readonly (readonly [reason: string, ids: readonly number[]])[] = [
  ['the sweeps and the refresh exist: 403 while no wallet is open', [59, 60, 61]],
  ['a payment id of 16 hex digits makes an integrated address: 403 while no wallet is open', [63]],
  ['the fusion routes are gone: 404', [30, 31, 105, 106, 443, 444]],
  ['the text of code 12 names three lengths', [124, 125, 130, 141, 213, 272]],
  ['negative, fractional and too large numbers are refused', [162, 181, 184, 325, 340, 341]],
  ['the request that opened the wallet was refused, so there is none', [163, 182, 183, 185, 186]],
  ['keys of zero are refused', [176, 177, 399, 405, 407, 408, 470, 471]],
  ['a seed whose spend key is not reduced is refused', [194, 195, 196]],
  ['a folder is no wallet file: 1', [159]],
];

const reasons = new Map(DIFFERENCES.flatMap(([reason, ids]) => ids.map((id) => [id, reason] as const)));

/** Why a row is answered otherwise; undefined where it has to be equal. */
export const differenceOf = (id: number): string | undefined => reasons.get(id);
