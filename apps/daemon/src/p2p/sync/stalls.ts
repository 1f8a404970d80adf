import { SYNC_PATIENCE, SYNC_REQUEST_LIMIT, SYNC_STALL_TIMEOUT } from '../constants';
import { closeReasons, type CloseReason } from '../penalties/close-reasons';
import type { SyncPeer } from './sync-peer';

/** Whether a peer owes us blocks for so long that its claim counts for nothing. Who has served before may be slow for once. */
export function isUnserved({ owesSince, session }: SyncPeer, now: number): boolean {
  const patience = session.standing.served ? SYNC_STALL_TIMEOUT : SYNC_PATIENCE;
  return owesSince !== undefined && now - owesSince >= patience;
}

/** Why the connection to a peer that owes us an answer ends; `undefined` while there is hope. */
export function stallReason({ owesSince, session, objects }: SyncPeer, now: number): CloseReason | undefined {
  if (owesSince === undefined) return undefined;
  const grownAt = Math.max(owesSince, session.progressAt ?? owesSince);
  if (now - grownAt <= SYNC_STALL_TIMEOUT && now - owesSince <= SYNC_REQUEST_LIMIT) return undefined;
  // Not a word since the question for its chain: perhaps the line is dead. Who named blocks, or talks, knows better.
  const isDead = objects === undefined && session.lastHeard <= owesSince;
  return isDead ? closeReasons.syncStalled : closeReasons.claimUnserved;
}
