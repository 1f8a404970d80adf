/** Recorded rows with intended differences, and the reasons (docs/differences.md#wallet-over-json-rpc). */
const DIFFERENCES: readonly (readonly [reason: string, ids: readonly (number | string)[]])[] = [
  ['negative integers are refused', [111, 139, 154, 216, 231, 239, 242, 265, 280, 288, 293, 383, 410, 425, 450]],
  ['a rate may have a fraction; one below the minimum is too small', [233, 234, 282, 283]],
  ['a transaction that every node would refuse is refused before it is built', [285, 286, 287, 290, 291, 292]],
  ['short payment ids are accepted', [113, 141, 185, 246, 297, 385, 412]],
  ['two equal payment ids are no conflict', [462]],
  ['transactions that the reference misses are returned', [116, 144, 354, 388, 415]],
  ['an output that the reference misses is counted', [45, 63, 64, 65, 66, 159]],
  ['an address with another view key is not an own address', [428, 429]],
  ['earlier rows sent or delayed other transactions, for the reasons above', [478, 484, 487, 488, 489, 490, 494]],
];

const reasons = new Map(DIFFERENCES.flatMap(([reason, ids]) => ids.map((id) => [id, reason] as const)));

/** Why the response to a row differs; undefined if it must be equal. */
export const differenceOf = (id: number | string): string | undefined => reasons.get(id);

export const listedDifferences = (): ReadonlySet<number | string> => new Set(reasons.keys());

/** Successful sends: their response has the ring size, which may be smaller than requested. */
const ANONYMITY_RETURNED: ReadonlySet<number | string> = new Set([
  ...[457, 460, 461, 463, 464, 465, 466, 467, 468, 469, 470, 471, 472, 473, 474, 475],
]);

/** Whether the response to a row has `anonymity` in addition to the fields of July 2025. */
export const returnsAnonymity = (id: number | string): boolean => ANONYMITY_RETURNED.has(id);
