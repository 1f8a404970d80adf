import type { BatchOptions } from './batch-size';
import type { SyncSession } from './sync-peer';

export interface SyncOptions extends BatchOptions {
  /** `--sync-max-peers`. */
  readonly maxPeers: number;
  /** `--sync-peer-failure-threshold`. */
  readonly failureThreshold: number;
}

/** How a synchronisation from one peer ended. `abandoned`: it is kept for relay and may be tried again later. */
export type SyncOutcome = 'synchronized' | 'abandoned' | 'demoted';

export interface SyncEvents {
  /** `delivered`: blocks that it brought and that were needed. */
  onEnd(session: SyncSession, outcome: SyncOutcome, delivered: number): void;
  /** A place for another peer is free, or a peer may have one again. */
  onFree(): void;
  /** The peer brings what it claims, or does not: its standing has changed. */
  onStanding(session: SyncSession): void;
  /** An open session. */
  session(id: number): SyncSession | undefined;
}
