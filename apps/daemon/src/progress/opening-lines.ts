import type { Opening } from '@wrkz/chain-db';

/** What the operator is told of an open that was not like any other. */
export function openingLines({ cleanStop, checked, forgotten }: Opening): string[] {
  const lines: string[] = [];
  if (forgotten > 0) {
    lines.push(`${String(forgotten)} blocks beside the main chain were dropped, because one of them was damaged`);
  }
  if (!cleanStop) {
    lines.push(`The last stop was not in order: the highest ${String(checked)} blocks were checked, and are whole`);
  }
  return lines;
}
