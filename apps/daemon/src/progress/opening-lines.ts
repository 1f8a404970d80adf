import type { Opening } from '@wrkz/chain-db';

/** The log lines of an open after an unclean stop. */
export function openingLines({ cleanStop, checked }: Opening): string[] {
  return cleanStop
    ? []
    : [`The last stop was not clean: the highest ${String(checked)} blocks were checked and are sound`];
}
