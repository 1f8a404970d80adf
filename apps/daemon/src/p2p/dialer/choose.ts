import type { PeerEntry } from '@wrkz/levin';
import type { P2pRandom } from '../ports';
import { addressGroup } from '../util/address';
import { randomIndex } from '../util/clock';

/**
 * Picks a peer to call: a neighbourhood at random, then one of its peers. Whoever holds many addresses of one network
 * gains nothing by it.
 */
export function choosePeer(candidates: readonly PeerEntry[], random: P2pRandom): PeerEntry | undefined {
  const groups = new Map<string, PeerEntry[]>();
  for (const candidate of candidates) {
    const group = addressGroup(candidate.host);
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [candidate]);
    else members.push(candidate);
  }
  const all = [...groups.values()];
  const members = all.length === 0 ? [] : (all[randomIndex(random, all.length)] ?? []);
  return members.length === 0 ? undefined : members[randomIndex(random, members.length)];
}
