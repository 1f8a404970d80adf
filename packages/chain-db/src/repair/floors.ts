import type { SqliteConnection } from '@wrkz/sqlite';
import { UnreadableLiteMark } from '../errors';
import { type FloorHeights, Floors } from '../modes/floors';
import { orNothing } from './tolerant';

/**
 * What a damaged database keeps: as it says itself, or, where that is damaged, by what is in it. A lite node has neither
 * bodies nor transactions below its height, a pruned one has no bodies below its floor.
 */
export function floorsOfDamaged(connection: SqliteConnection, asked: number | undefined): FloorHeights {
  const floors = new Floors(connection);
  const told = orNothing(() => floors.bodies());
  const lowestBody = lowest(connection, 'SELECT min(height) FROM block_bodies WHERE height > 0');
  const lite = asked ?? markOf(floors) ?? (told === 0 ? undefined : litePlace(connection, lowestBody));
  if (lite !== undefined) return { bodies: lite, records: lite, lite };
  return { bodies: told ?? (lowestBody > 1 ? lowestBody : 0), records: 0, lite: undefined };
}

function markOf(floors: Floors): number | undefined {
  try {
    return orNothing(() => floors.lite);
  } catch (error) {
    if (error instanceof UnreadableLiteMark) return undefined;
    throw error;
  }
}

/** The height where bodies and transactions begin, if they begin together and above the bottom. */
function litePlace(connection: SqliteConnection, lowestBody: number): number | undefined {
  const first = lowest(connection, 'SELECT height FROM transactions WHERE id > 0 ORDER BY id LIMIT 1');
  return first > 1 && first === lowestBody ? first : undefined;
}

/** 0 where it cannot be read or there is none. */
function lowest(connection: SqliteConnection, sql: string): number {
  return orNothing(() => connection.prepare<[], [number | null]>(sql).raw(true).get()?.[0]) ?? 0;
}
