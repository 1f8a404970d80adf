import { isLocalHost } from '../util/address';
import type { Bans } from './bans';

const BAN_AT = 100;
/** Points fade at this rate, so that rare faults of a long-lived peer never add up to a ban. */
const FADE_PER_SECOND = 100 / 3600;
const MAX_TRACKED = 10_000;

interface Score {
  points: number;
  at: number;
}

/**
 * Misbehaviour by address. Only what the sender could have known to be wrong is ever scored; the points stand with the
 * reasons in connection/close-reasons. Local addresses are never banned: many nodes may share one.
 */
export class Scores {
  private readonly scores = new Map<string, Score>();

  constructor(
    private readonly bans: Bans,
    private readonly now: () => number,
  ) {}

  /** Adds points to an address in canonical form; true when it is banned by that. */
  add(host: string, points: number): boolean {
    if (points <= 0 || isLocalHost(host)) return false;
    const total = this.pointsOf(host) + points;
    if (total >= BAN_AT) {
      this.scores.delete(host);
      return this.bans.add(host);
    }
    this.scores.delete(host);
    this.scores.set(host, { points: total, at: this.now() });
    this.forgetOldest();
    return false;
  }

  pointsOf(host: string): number {
    const score = this.scores.get(host);
    if (score === undefined) return 0;
    return Math.max(0, score.points - (this.now() - score.at) * FADE_PER_SECOND);
  }

  private forgetOldest(): void {
    const [oldest] = this.scores.keys();
    if (this.scores.size > MAX_TRACKED && oldest !== undefined) this.scores.delete(oldest);
  }
}
