import { chainA } from '@wrkz/testing';
import { blockCodec } from '../../../src/p2p/hashes';
import { type FakeChain, sha256, toyBlock, toyBranch, toyChain } from '../fakes';
import { Harness, local, reaches } from '../harness';

const hashOf = (raw: { block: Buffer }): Buffer => sha256(raw.block);

// Several nodes share one thread.
describe('nodes over loopback', () => {
  const harness = new Harness();
  afterEach(() => harness.stop());

  it('downloads the chain from an outgoing peer', async () => {
    const full = await harness.node(toyChain(2500));
    const fresh = await harness.node(toyChain(0), { exclusiveNodes: [local(full.node)] });
    await reaches(fresh.chain, 2500);
    expect(fresh.chain.tip()).toEqual(full.chain.tip());
    expect(fresh.chain.calls.every(({ source }) => source === 'sync')).toBe(true);
    expect(Math.max(...fresh.chain.calls.map(({ count }) => count))).toBeLessThanOrEqual(200);
  });

  it('downloads the chain from an incoming peer', async () => {
    const fresh = await harness.node(toyChain(0));
    await harness.node(toyChain(900), { exclusiveNodes: [local(fresh.node)] });
    await reaches(fresh.chain, 900);
  });

  it('downloads chain A byte for byte', async () => {
    const blocks = chainA();
    const full = await harness.node(blocks, {}, { codec: blockCodec });
    const fresh = await harness.node(blocks.slice(0, 1), { exclusiveNodes: [local(full.node)] }, { codec: blockCodec });
    await reaches(fresh.chain, 720);
    expect(wholeChain(fresh.chain).equals(wholeChain(full.chain))).toBe(true);
  });

  it('downloads more hashes than one chain entry holds', async () => {
    const full = await harness.node(toyChain(12_500));
    const fresh = await harness.node(toyChain(0), { exclusiveNodes: [local(full.node)], syncBatchMin: 600 });
    await reaches(fresh.chain, 12_500);
    expect(fresh.chain.tip()).toEqual(full.chain.tip());
  });

  it('downloads from three peers without downloading blocks twice', async () => {
    const blocks = toyChain(6000);
    const full = await Promise.all([1, 2, 3].map(() => harness.node(blocks)));
    const fresh = await harness.node(toyChain(0), {
      exclusiveNodes: full.map(({ node }) => local(node)),
      syncBatchMax: 240,
    });
    const served = full.map(({ chain }) => jest.spyOn(chain, 'rawBlock'));
    await reaches(fresh.chain, 6000);
    for (const spy of served) expect(spy.mock.calls.length).toBeGreaterThan(500);
    // Only blocks in flight during a change of the plan are fetched twice.
    expect(served.reduce((sum, spy) => sum + spy.mock.calls.length, 0)).toBeLessThan(6600);
  });

  it('switches to the longer branch, whichever node called', async () => {
    const common = toyChain(50);
    const tip = hashOf(common[50] ?? { block: Buffer.alloc(0) });
    for (const callerIsShorter of [true, false]) {
      const short = [...common, ...toyBranch(tip, 20, 1000)];
      const long = [...common, ...toyBranch(tip, 35, 2000)];
      const called = await harness.node(callerIsShorter ? long : short);
      const caller = await harness.node(callerIsShorter ? short : long, { exclusiveNodes: [local(called.node)] });
      const loser = callerIsShorter ? caller : called;
      await reaches(loser.chain, 85);
      expect(loser.chain.tip().hash).toEqual((callerIsShorter ? called : caller).chain.tip().hash);
      await harness.stop();
    }
  });

  it('relays a block and a transaction through a node in between', async () => {
    const chain = toyChain(10);
    const first = await harness.node(chain);
    const middle = await harness.node(chain, { exclusiveNodes: [local(first.node)] });
    const last = await harness.node(chain, { exclusiveNodes: [local(middle.node)] });
    await settled(first, middle, last);

    const transaction = Buffer.from('a transaction of the first node');
    await first.pool.add(transaction);
    await until(() => last.pool.has(sha256(transaction)));

    // The block has one transaction that all nodes have, and one that only the miner has.
    const hidden = Buffer.from('never relayed');
    first.chain.add(toyBlock(first.chain.tip().hash, 77, [transaction, hidden]));
    await reaches(last.chain, 11);
    expect(last.chain.tip()).toEqual(first.chain.tip());
    expect(last.chain.transaction(sha256(hidden))).toEqual(hidden);
    // The block is relayed, not synchronized.
    expect(last.chain.calls).toEqual([{ count: 1, source: 'relay' }]);
  });

  it('agrees on the longer branch through a node in between', async () => {
    const chain = toyChain(10);
    const first = await harness.node(chain);
    const last = await harness.node(chain);
    for (let index = 0; index < 5; index += 1) first.chain.add(toyBlock(first.chain.tip().hash, 100 + index));
    for (let index = 0; index < 8; index += 1) last.chain.add(toyBlock(last.chain.tip().hash, 200 + index));
    const middle = await harness.node(chain, { exclusiveNodes: [local(first.node), local(last.node)] });
    await Promise.all([reaches(first.chain, 18), reaches(middle.chain, 18)]);
    expect(first.chain.tip()).toEqual(last.chain.tip());
    expect(middle.chain.tip()).toEqual(last.chain.tip());
  });

  it('requests the pool of a peer', async () => {
    const chain = toyChain(3);
    const rich = await harness.node(chain);
    const transactions = Array.from({ length: 50 }, (_, index) => Buffer.from(`pooled ${index}`));
    for (const transaction of transactions) await rich.pool.add(transaction);
    const poor = await harness.node(chain, { exclusiveNodes: [local(rich.node)] });
    await until(() => poor.pool.hashes().length === 50);
  });

  it('continues with another peer when one disconnects', async () => {
    const blocks = toyChain(4000);
    const [doomed, steady] = await Promise.all([harness.node(blocks), harness.node(blocks)]);
    const fresh = await harness.node(toyChain(0), { exclusiveNodes: [local(doomed.node), local(steady.node)] });
    await reaches(fresh.chain, 300);
    await doomed.node.stop();
    await reaches(fresh.chain, 4000);
  });
});

type Started = Awaited<ReturnType<Harness['node']>>;

/** The bytes of all blocks of a chain. */
function wholeChain(chain: FakeChain): Buffer {
  const raws = chain.hashes(0, Infinity).map((hash) => chain.rawBlock(hash));
  return Buffer.concat(raws.flatMap((raw) => (raw === undefined ? [] : [raw.block, ...raw.transactions])));
}

async function settled(...nodes: Started[]): Promise<void> {
  await until(() =>
    nodes.every(({ node }) => node.peers().length > 0 && node.peers().every((peer) => peer.state === 'normal')),
  );
}

/** Waits for a condition that network events cause; each iteration is one event. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
