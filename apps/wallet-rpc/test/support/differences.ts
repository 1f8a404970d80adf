/** Rows of the recordings that are answered otherwise on purpose, and why (docs/differences.md#wallet-over-json-rpc). */
const DIFFERENCES: readonly (readonly [reason: string, ids: readonly (number | string)[]])[] = [];

const reasons = new Map(DIFFERENCES.flatMap(([reason, ids]) => ids.map((id) => [id, reason] as const)));

/** Why a row is answered otherwise; undefined where it has to be equal. */
export const differenceOf = (id: number | string): string | undefined => reasons.get(id);

export const listedDifferences = (): ReadonlySet<number | string> => new Set(reasons.keys());
