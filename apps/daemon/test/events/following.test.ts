import fc from 'fast-check';
import { blocksUpTo, completePool, completeStep, writeEvent } from '../../src/events/journal/chain-follower';
import type { JournalStore } from '../../src/events/journal/store';
import { EventQueue } from '../../src/events/journal/queue';
import type { NodeEvent } from '../../src/events/node-events';
import { temporaryDirectory } from '../support/temporary';
import { entriesIn, freshHash, ModelChain, openStore } from './support/model';
import { Replay } from './support/replay';

/** Writes events down as the journal's thread does. */
function write(store: JournalStore, chain: ModelChain, events: readonly NodeEvent[]): void {
  for (const event of events) {
    if (!store.commit(() => writeEvent(store, { event, time: 1 }))) complete(store, chain);
  }
}

function complete(store: JournalStore, chain: ModelChain): void {
  while (!completeStep(store, chain.reader, 2));
}

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('grow' as const), mines: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('turn' as const),
      back: fc.integer({ min: 1, max: 5 }),
      forth: fc.nat(6),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'transaction' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'write' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'kill' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'read' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'alternative' as const }) },
);

describe('the journal follows the chain', () => {
  it('records each block once and in order, and each reorganisation at its position, for any loss of events', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
        const directory = temporaryDirectory();
        const chain = new ModelChain();
        let store = openStore(directory);
        store.commit(() => store.extend(chain.tip));
        const replay = new Replay([[0, chain.tip.hash.toString('hex')]]);
        // Some of these are full at times.
        const places = [6, 12, 1_000][steps.length % 3] as number;
        let queue = new EventQueue(places);
        const alternatives: string[] = [];
        let pool: Buffer[] = [];
        const wait = (event: NodeEvent): void =>
          queue.add({ event, time: 1, ready: true, before: { height: 0, hash: chain.tip.hash } });
        const writeWaiting = (): void => {
          const left = queue.takeDropped();
          if (left.chain) complete(store, chain);
          if (left.pool) completePool(store, pool, 3);
          const batch = queue.batch();
          write(
            store,
            chain,
            batch.map(({ event }) => event),
          );
          queue.written(batch.at(-1)?.number ?? 0);
        };
        for (const what of steps) {
          if (what.kind === 'grow') {
            const mined = pool.slice(0, what.mines);
            wait(chain.grow(mined));
            if (mined.length > 0) wait({ kind: 'pool-removed', hashes: mined, reason: 'InBlock' });
            pool = pool.slice(what.mines);
          }
          if (what.kind === 'turn') wait(chain.turn(what.back, what.forth));
          if (what.kind === 'transaction') {
            pool.push(freshHash());
            wait({ kind: 'pool-added', hash: pool.at(-1) as Buffer });
          }
          if (what.kind === 'alternative') {
            const hash = freshHash();
            alternatives.push(hash.toString('hex'));
            wait({ kind: 'alternative', height: chain.tip.height, hash });
          }
          if (what.kind === 'write') writeWaiting();
          if (what.kind === 'read') complete(store, chain);
          if (what.kind === 'kill') {
            // Unwritten events are lost. Those of alternative blocks cannot be recovered from the chain.
            for (const { event } of queue.batch()) {
              if (event.kind === 'alternative')
                alternatives.splice(alternatives.indexOf(event.hash.toString('hex')), 1);
            }
            queue = new EventQueue(places);
            store.close();
            store = openStore(directory);
            pool = [];
            complete(store, chain);
            completePool(store, pool, 3);
          }
          // Beyond half of the places alternative blocks are given up; see the queue's own tests.
          if (queue.batch().filter(({ event }) => event.kind === 'alternative').length >= places / 2) writeWaiting();
        }
        writeWaiting();
        complete(store, chain);
        store.close();
        const reported = entriesIn(directory).filter(({ topic }) => topic === 'alternative');
        expect(reported.map(({ body }) => body['hash'])).toEqual(alternatives);
        replay.take(entriesIn(directory));
        expect(replay.chain).toEqual(chain.blocks.map(({ height, hash }) => [height, hash.toString('hex')]));
        expect([...replay.pool].sort()).toEqual(pool.map((hash) => hash.toString('hex')).sort());
      }),
      { numRuns: 60 },
    );
  });

  it('rejects an event that does not continue the known chain', () => {
    const directory = temporaryDirectory();
    const chain = new ModelChain();
    const store = openStore(directory);
    store.commit(() => store.extend(chain.tip));
    const lost = chain.grow();
    const next = chain.grow();
    expect(store.commit(() => writeEvent(store, { event: next, time: 1 }))).toBe(false);
    write(store, chain, [next, lost]);
    store.close();
    expect(entriesIn(directory).map(({ body }) => body['height'])).toEqual([1, 2]);
  });

  it('skips a block of an abandoned branch, although its height is the next', () => {
    const directory = temporaryDirectory();
    const chain = new ModelChain();
    const store = openStore(directory);
    store.commit(() => store.extend(chain.tip));
    const late = [chain.grow(), chain.grow(), chain.turn(2, 1)];
    complete(store, chain);
    write(store, chain, late);
    store.close();
    expect(entriesIn(directory).map(({ body }) => body['hash'])).toEqual([chain.tip.hash.toString('hex')]);
  });

  it('reports transactions that left the pool unnoticed as InBlock if a block has them, otherwise as NotKept', () => {
    const directory = temporaryDirectory();
    const chain = new ModelChain();
    const store = openStore(directory);
    store.commit(() => store.extend(chain.tip));
    const [mined, forgotten] = [freshHash(), freshHash()];
    write(store, chain, [
      { kind: 'pool-added', hash: mined },
      { kind: 'pool-added', hash: forgotten },
    ]);
    chain.grow([mined]);
    complete(store, chain);
    completePool(store, [], 3);
    store.close();
    const left = entriesIn(directory).filter(({ topic }) => topic === 'pool-removed');
    expect(left.map(({ body }) => body)).toEqual([
      { hashes: [mined.toString('hex')], reason: 'InBlock' },
      { hashes: [forgotten.toString('hex')], reason: 'NotKept' },
    ]);
  });

  it('a new journal reads the chain below, and records a reorganisation there', () => {
    const directory = temporaryDirectory();
    const chain = new ModelChain();
    const store = openStore(directory);
    for (let i = 0; i < 4; i++) chain.grow();
    store.commit(() => blocksUpTo(chain.reader, chain.tip).forEach((block) => store.extend(block)));
    chain.turn(3, 1);
    complete(store, chain);
    store.close();
    expect(entriesIn(directory)[0]?.body).toMatchObject({ common_root_height: 1, discarded_blocks: 3, new_blocks: 1 });
    expect(blocksUpTo(chain.reader, { height: 4, hash: freshHash() })).toHaveLength(1);
  });

  it('stops following a chain that differs from further back than the remembered blocks', () => {
    const directory = temporaryDirectory();
    const chain = new ModelChain();
    const store = openStore(directory);
    chain.grow();
    store.commit(() => store.extend(chain.tip));
    write(store, chain, [chain.grow()]);
    chain.turn(2, 5);
    complete(store, chain);
    expect(store.position()).toBeUndefined();
    expect(store.state.keptAfter).toBe(store.state.last);
    store.close();
  });
});
