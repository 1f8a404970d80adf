import type { Opening } from '@wrkz/chain-db';

/** What the operator is told of an open that was not like any other. */
export function openingLines({ cleanStop, checked, mended, forgotten }: Opening): string[] {
  const lines: string[] = [];
  if (mended?.height !== undefined) {
    lines.push(
      `Block ${String(mended.height)} was stored under another id than the network's, by a rule of an older version: ` +
        `${String(mended.removed)} blocks from there on were taken off and are fetched again`,
    );
  }
  if (mended !== undefined && mended.alternatives > 0) {
    lines.push(`${String(mended.alternatives)} blocks beside the main chain had ids of an older rule and were dropped`);
  }
  if (forgotten > 0) {
    lines.push(`${String(forgotten)} blocks beside the main chain were dropped, because one of them was damaged`);
  }
  if (!cleanStop) {
    lines.push(`The last stop was not in order: the highest ${String(checked)} blocks were checked, and are whole`);
  }
  return lines;
}
