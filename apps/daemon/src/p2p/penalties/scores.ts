import { BoundedMap } from '@wrkz/service-kit/base';
import { hostNetwork } from '../util/host-network';

const BAN_AT = 100;
/** Points fade at this rate, so that rare faults of a long-lived peer never add up to a ban. */
const FADE_PER_SECOND = 100 / 3600;
const MAX_TRACKED = 10_000;

interface Score {
  points: number;
  at: number;
}

/** Points against addresses in canonical form, IPv6 ones by their /64. They fade by 100 an hour; who has 100 at one time has earned a ban. */
export class Scores {
  private readonly scores = new BoundedMap<string, Score>(MAX_TRACKED);

  /** `now` is in seconds, on a clock that never steps. */
  constructor(private readonly now: () => number) {}

  /** Adds points; true when the address has earned a ban by that, and starts again without points. */
  add(host: string, points: number): boolean {
    const total = this.pointsOf(host) + points;
    const network = hostNetwork(host);
    this.scores.delete(network);
    if (total >= BAN_AT) return true;
    this.scores.set(network, { points: total, at: this.now() });
    return false;
  }

  pointsOf(host: string): number {
    const score = this.scores.get(hostNetwork(host));
    if (score === undefined) return 0;
    return Math.max(0, score.points - (this.now() - score.at) * FADE_PER_SECOND);
  }
}
