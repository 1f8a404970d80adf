import * as fc from 'fast-check';
import { ChainPlan, type PlanEntry } from '../../../src/p2p/sync/chain-plan';
import { sha256, toyBlock } from '../fakes';

const hash = (number: number): Buffer => sha256(Buffer.from(String(number)));
const range = (start: number, end: number): Buffer[] =>
  Array.from({ length: end - start }, (_, index) => hash(start + index));
const raw = toyBlock(hash(0), 0);
const hashesOf = (entries: readonly PlanEntry[]): Buffer[] => entries.map((entry) => entry.hash);

function receiveAll(plan: ChainPlan, peer: number, count: number): void {
  for (const entry of plan.request(peer, count)) plan.receive(entry, peer, raw, 10);
}

describe('the chain plan', () => {
  it('requests a block that two peers announce from one of them only', () => {
    const plan = new ChainPlan();
    plan.announce(1, hash(0), range(1, 6));
    plan.announce(2, hash(0), range(1, 9));
    expect(hashesOf(plan.request(1, 4))).toEqual(range(1, 5));
    expect(hashesOf(plan.request(2, 100))).toEqual(range(5, 9));
    expect(plan.request(1, 100)).toEqual([]);
  });

  it('appends a chain that continues the list of the peer', () => {
    const plan = new ChainPlan();
    plan.announce(1, hash(0), range(1, 6));
    plan.announce(1, hash(5), range(6, 9));
    expect(hashesOf(plan.listOf(1))).toEqual(range(1, 9));
  });

  it('requests both sides of a fork, and the common blocks once', () => {
    const plan = new ChainPlan();
    plan.announce(1, hash(0), range(1, 6));
    plan.announce(2, hash(0), [...range(1, 4), ...range(200, 205)]);
    expect(hashesOf(plan.request(1, 100))).toEqual(range(1, 6));
    expect(hashesOf(plan.request(2, 100))).toEqual(range(200, 205));
  });

  it('replaces the list of a peer that has reorganised its chain', () => {
    const plan = new ChainPlan();
    plan.announce(1, hash(0), range(1, 6));
    receiveAll(plan, 1, 2);
    plan.announce(1, hash(0), [hash(1), ...range(300, 303)]);
    expect(hashesOf(plan.listOf(1))).toEqual([hash(1), ...range(300, 303)]);
    expect(plan.heldBytes).toBe(10);
    expect(hashesOf(plan.nextBatch(100, 1_000).batch)).toEqual([hash(1)]);
  });

  it('rejects a list with a hash twice', () => {
    const plan = new ChainPlan();
    expect(plan.announce(1, hash(0), range(1, 6))).toBe(true);
    expect(plan.announce(1, hash(5), [hash(6), hash(3)])).toBe(false);
    expect(hashesOf(plan.listOf(1))).toEqual(range(1, 6));
  });

  it('shares no entry between peers that name another block before the same hash', () => {
    const plan = new ChainPlan();
    plan.announce(1, hash(0), [hash(2), hash(1), hash(3)]);
    plan.announce(2, hash(0), range(1, 4));
    plan.request(1, 100);
    expect(hashesOf(plan.request(2, 100))).toEqual(range(1, 4));
  });

  it('hands out received blocks only behind imported or importing ones', () => {
    const plan = new ChainPlan();
    plan.announce(1, hash(0), range(1, 6));
    plan.announce(2, hash(0), range(1, 6));
    const [first] = plan.request(1, 1);
    receiveAll(plan, 2, 2);
    expect(plan.nextBatch(100, 1_000).batch).toEqual([]);
    if (first !== undefined) plan.receive(first, 1, raw, 10);
    const { batch, behind } = plan.nextBatch(2, 1_000);
    expect([hashesOf(batch), behind]).toEqual([range(1, 3), 3]);
    for (const entry of batch) entry.state = 'importing';
    expect(hashesOf(plan.nextBatch(2, 1_000).batch)).toEqual([hash(3)]);
  });

  it('takes batches from the lists round-robin', () => {
    const plan = new ChainPlan();
    plan.announce(1, hash(0), range(1, 6));
    plan.announce(2, hash(0), range(101, 106));
    for (const peer of [1, 2]) receiveAll(plan, peer, 5);
    const taken = [1, 2, 3].map(() => {
      const { batch } = plan.nextBatch(1, 1_000);
      for (const entry of batch) entry.state = 'importing';
      return hashesOf(batch)[0];
    });
    expect(taken).toEqual([hash(1), hash(101), hash(2)]);
  });

  it('retains a block while a peer offers it or the chain imports it', () => {
    const plan = new ChainPlan();
    plan.announce(1, hash(0), range(1, 11));
    plan.announce(2, hash(0), range(1, 6));
    receiveAll(plan, 1, 7);
    for (const entry of plan.nextBatch(3, 1_000).batch) entry.state = 'importing';
    plan.withdraw(1);
    expect(plan.heldBytes).toBe(50);
    const importing = plan.listOf(2).slice(0, 3);
    plan.withdraw(2);
    expect(plan.heldBytes).toBe(30);
    plan.done(importing);
    expect(plan.heldBytes).toBe(0);
  });

  it('lets another peer take over only the requested blocks that it offers', () => {
    const plan = new ChainPlan();
    plan.announce(1, hash(0), range(1, 4));
    plan.announce(2, hash(0), range(1, 3));
    const requested = plan.request(1, 3);
    expect(hashesOf(plan.takeOver(2, requested))).toEqual(range(1, 3));
    plan.withdraw(1);
    expect(plan.request(2, 3)).toEqual([]);
  });

  it('takes a block that arrives after its request was withdrawn', () => {
    const plan = new ChainPlan();
    for (const peer of [1, 2]) plan.announce(peer, hash(0), range(1, 2));
    const [entry] = plan.request(1, 1);
    plan.withdraw(1);
    expect(entry?.state).toBe('wanted');
    expect(entry && plan.receive(entry, 1, raw, 10)).toBe(true);
    expect(hashesOf(plan.nextBatch(100, 1_000).batch)).toEqual([hash(1)]);
  });

  it('does not restore dropped blocks whose import has failed', () => {
    const plan = new ChainPlan();
    plan.announce(1, hash(0), range(1, 3));
    receiveAll(plan, 1, 2);
    const { batch } = plan.nextBatch(100, 1_000);
    for (const entry of batch) entry.state = 'importing';
    plan.clear();
    plan.rewind(batch);
    expect(batch.map(({ state }) => state)).toEqual(['dropped', 'dropped']);
  });

  it('hands out each list in order and counts the held bytes, for any sequence of events', () => {
    const peer = fc.integer({ min: 1, max: 3 });
    const action = fc.oneof(
      fc.record({ kind: fc.constant('announce' as const), peer, from: fc.nat(20), to: fc.nat(30), fork: fc.nat(30) }),
      fc.record({ kind: fc.constant('request' as const), peer, count: fc.integer({ min: 1, max: 8 }) }),
      fc.record({ kind: fc.constant('receive' as const), count: fc.nat(8) }),
      fc.record({ kind: fc.constant('withdraw' as const), peer }),
      fc.record({ kind: fc.constant('import' as const), accepted: fc.nat(5) }),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const plan = new ChainPlan();
        const requested: { entry: PlanEntry; peer: number }[] = [];
        const onChain = new Set([hash(0).toString('hex')]);
        let highest = 0;
        for (const step of actions) {
          if (step.kind === 'announce') {
            const from = Math.min(highest, step.from);
            const numbers = Array.from({ length: Math.max(0, step.to - from) }, (_, index) => from + 1 + index);
            const hashes = numbers.map((number) => hash(number > step.fork ? 1_000 * step.fork + number : number));
            const known = hashes.findIndex((one) => !onChain.has(one.toString('hex')));
            const anchor = known > 0 ? hashes[known - 1] : hash(from);
            if (known >= 0) plan.announce(step.peer, anchor ?? hash(0), hashes.slice(known));
          } else if (step.kind === 'request') {
            requested.push(...plan.request(step.peer, step.count).map((entry) => ({ entry, peer: step.peer })));
          } else if (step.kind === 'receive') {
            for (const one of requested.splice(0, step.count)) plan.receive(one.entry, one.peer, raw, 5);
          } else if (step.kind === 'withdraw') {
            plan.withdraw(step.peer);
          } else {
            const { batch } = plan.nextBatch(8, 1_000);
            for (const entry of batch) entry.state = 'importing';
            const accepted = batch.slice(0, step.accepted);
            for (const { key, previous } of accepted) {
              expect(onChain).toContain(previous.toString('hex'));
              onChain.add(key);
            }
            plan.done(accepted);
            plan.rewind(batch.slice(accepted.length));
            for (let next = hash(highest + 1); onChain.has(next.toString('hex')); next = hash(highest + 1))
              highest += 1;
          }
          const listed = new Set([1, 2, 3].flatMap((id) => plan.listOf(id)));
          expect(plan.heldBytes).toBe([...listed].reduce((sum, { bytes }) => sum + bytes, 0));
          for (const entry of listed) expect(entry.state).not.toBe('dropped');
        }
        plan.clear();
        expect(plan.heldBytes).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
