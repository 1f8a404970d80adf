import { heightClaims, type Claimant } from '../../../src/p2p/sync/network-height';
import { newSyncRecord } from '../../../src/p2p/sync/sync-record';

const [ours, aside, unknown] = [1, 2, 3].map((fill) => Buffer.alloc(32, fill)) as [Buffer, Buffer, Buffer];

/** Our tip has index 99. Block 50 of our chain and an alternative block of the same height are known. */
const chain = {
  tip: () => ({ height: 99, hash: Buffer.alloc(32, 9) }),
  isKnown: (hash: Buffer) => !hash.equals(unknown),
  heightOf: (hash: Buffer) => (hash.equals(ours) ? 50 : undefined),
};

function claimed(tip: Buffer, height: number, unserved = false): unknown {
  const peer: Claimant = {
    incoming: false,
    demoted: false,
    record: { ...newSyncRecord(), unserved },
    claim: { height, tip },
  };
  return heightClaims([peer], chain, () => 120).map((claim) => [claim.height, claim.shown]);
}

test('derives the height from a known tip; a side branch counts as no higher than our chain', () => {
  expect(claimed(ours, 1_000_000)).toEqual([[51, 51]]);
  expect(claimed(aside, 1_000_000)).toEqual([[100, 100]]);
  expect(claimed(aside, 70)).toEqual([[70, 70]]);
});

test('counts the claim of an unknown tip until its blocks were not delivered', () => {
  expect(claimed(unknown, 1_000_000)).toEqual([[1_000_000, 120]]);
  expect(claimed(unknown, 1_000_000, true)).toEqual([]);
});
